"""The variables of a model by their names: blocks of variables that were created together."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Sequence
from enum import Enum
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.labels import text_of_label
from cpqueens.text.plaintext import checked_name, one_line

MAX_NAME = 200
_LONGEST_LABEL = 40
_KEPT = 10_000  # names up to which they are kept
_ELEMENT = re.compile(r"(.+)\[([0-9]{1,18}(?:,[0-9]{1,18})*)\]", re.DOTALL)


class Block(NamedTuple):
    """Variables created together: name, first index, shape, and the labels of each axis or ()."""

    name: str
    first: int
    shape: tuple[int, ...]
    labels: tuple[Sequence[Any] | None, ...] = ()

    @property
    def size(self) -> int:
        """Number of variables."""
        return math.prod(self.shape)


class Blocks(list[Block]):
    """The blocks of a model in the order of their variables, found by name and by variable."""

    def __init__(self) -> None:
        super().__init__()
        self.by_name: dict[str, Block] = {}
        self._names: tuple[int, list[str]] = 0, []  # of so many blocks
        self._bracketed: set[str] = set()  # what stands before a "[" in a name
        self._texts: dict[str, list[list[str]]] = {}  # of labels along each axis, by name

    def copy(self) -> Blocks:
        """Return an independent copy."""
        other = Blocks()
        other += self
        other.by_name, other._bracketed = dict(self.by_name), set(self._bracketed)
        return other

    def create(
        self,
        name: str | None,
        first: int,
        shape: tuple[int, ...],
        labels: tuple[Sequence[Any] | None, ...] = (),
    ) -> Block:
        """Add a block at the end and return it; None for a name of its own.

        Raises
        ------
        ModelError
            For a name that is no name or in use, also as that of an element.
        """
        if name is None:
            name = f"x{len(self)}"
            while name in self.by_name:
                name = f"_{name}"
        name = checked_name(name, "variable name", MAX_NAME)
        bracketed = "[" in name
        if name in self.by_name or (bracketed and self.element(name) is not None):
            raise ModelError(f"variable name {name!r} is in use; names must be unique")
        if shape and name in self._bracketed:
            raise ModelError(f"variable name {name!r}: elements would share the name of another variable")
        block = self.by_name[name] = Block(name, first, shape, labels)
        self.append(block)
        if bracketed:
            self._bracketed.update(name[:k] for k, letter in enumerate(name) if letter == "[")
        return block

    def element(self, name: str) -> int | None:
        """Return the variable called ``name``, such as ``q[3]``, in an array; None if there is none.

        Labels may stand in it where `label_of` writes them.
        """
        match = _ELEMENT.fullmatch(name)
        block = self.by_name.get(match[1]) if match else None
        if match is None or block is None:
            block = self.by_name.get(name.partition("[")[0])
            if block is None or not block.labels:
                return None
            return next(
                (v for v in range(block.first, block.first + block.size) if self.label_of(v) == name), None
            )
        index = tuple(int(part) for part in match[2].split(","))
        if len(index) != len(block.shape) or any(i >= n for i, n in zip(index, block.shape, strict=True)):
            return None
        return block.first + int(np.ravel_multi_index(index, block.shape))

    def names(self) -> list[str]:
        """Return the names of all variables, in their order; nobody may write to them."""
        if self._names[0] == len(self):
            return self._names[1]
        found: list[str] = []
        for block in self:
            if not block.shape:
                found.append(block.name)
                continue
            axes = [[str(k) for k in range(size)] for size in block.shape]
            places = map(",".join, product(*axes))
            found += [f"{block.name}[{place}]" for place in places]
        if len(found) <= _KEPT:
            self._names = len(self), found
        return found

    def from_variable(self, first: int) -> Block | None:
        """Return the block that begins with the variable ``first``, if any."""
        at = bisect_right(self, first, key=lambda block: block.first) - 1
        return self[at] if at >= 0 and self[at].first == first else None

    def block_of(self, variable: int) -> Block:
        """Return the block of a variable that is in one."""
        at = bisect_right(self, variable, key=lambda block: block.first) - 1
        while self[at].size == 0:
            at -= 1
        return self[at]

    def name_of(self, variable: int) -> str:
        """Return the name of a variable that is in one of the blocks."""
        block = self.block_of(variable)
        if not block.shape:
            return block.name
        index = np.unravel_index(variable - block.first, block.shape)
        return f"{block.name}[{','.join(str(int(i)) for i in index)}]"

    def label_of(self, variable: int) -> str:
        """Return the name of a variable in one of the blocks, with labels for places where they are texts."""
        block = self.block_of(variable)
        if not block.labels:
            return self.name_of(variable)
        index = np.unravel_index(variable - block.first, block.shape)
        texts = zip(self.texts_along(block), index, strict=True)
        return f"{block.name}[{','.join(along[int(i)] for along, i in texts)}]"

    def texts_along(self, block: Block) -> list[list[str]]:
        """Return what stands for each place along the axes of a block: its label, or its number.

        Labels that are numbers or look like these stay places, as in indices.
        """
        if block.name not in self._texts:
            labels = block.labels or [None] * len(block.shape)
            self._texts[block.name] = list(map(_texts, labels, block.shape))
        return self._texts[block.name]


def _texts(labels: Sequence[Any] | None, size: int) -> list[str]:
    found = [
        text_of_label(label) if isinstance(label, Enum) else str(label).removesuffix(" 00:00:00")
        for label in (() if labels is None else labels)
    ]
    short = [one_line(text, _LONGEST_LABEL) for text in found]
    numeric = any(text.lstrip("-").isdecimal() or not text for text in short)
    return short if len(set(short)) == size and not numeric else list(map(str, range(size)))
