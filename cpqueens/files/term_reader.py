"""Reading the terms of a model file; the forms are those of `cpqueens.files.model_writer`."""

import math
import re
from typing import Any

import msgspec
import numpy as np

from cpqueens.errors import ModelError
from cpqueens.files.schema import Misplaced, at
from cpqueens.language.arrays import of_rows
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray
from cpqueens.model import Model
from cpqueens.text.plaintext import counted, did_you_mean

MAX_TERMS = 20_000_000
_LARGEST = 2**63 - 1
_Row = tuple[list[int], list[int], int]


class TermReader:
    """Turns values of a file into terms of ``model``; ``arrays`` are the defined variables by name."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.arrays: dict[str, LinearArray] = {}
        self.spent = 0
        self._indices: dict[str, int] = {}

    def array(self, value: Any) -> LinearArray:
        """Return an array of terms; a single term has shape ().

        Raises
        ------
        ModelError
            With the place within ``value`` and what is wrong there.
        """
        if isinstance(value, str):
            return self._spend(self._named(value))
        if isinstance(value, dict):
            if "of" in value:
                return self._spend(self._scaled(value))
            return self._spend(self._listed(value))
        return self._spend(self._build((), [self._row(value)]))

    def _spend(self, array: LinearArray) -> LinearArray:
        self.spent += array.size * max(1, array.width)
        if self.spent > MAX_TERMS:
            raise ModelError(f"more than {MAX_TERMS} terms in all")
        return array

    # ---- names ----------------------------------------------------------------------------------

    def _named(self, name: str) -> LinearArray:
        found = self._find(name)
        if found is None:
            known = [*self.model.blocks.by_name, *self.arrays]
            raise ModelError(f"no variable {name!r:.60}{did_you_mean(name, known)}")
        return found

    def _find(self, name: str) -> LinearArray | None:
        if name in self.arrays:
            return self.arrays[name]
        match = re.fullmatch(r"(.+)\[(\d{1,9})\]", name, re.ASCII)
        if match is not None and match[1] in self.arrays:
            array, position = self.arrays[match[1]], int(match[2])
            return array[position] if position < array.size else None
        if name in self.model.blocks.by_name or self.model.blocks.element(name) is not None:
            return self.model[name]
        return None

    def _index(self, name: str) -> int:
        """Return the number of one variable."""
        index = self._indices.get(name)
        if index is None:
            array = self._named(name)
            if array.shape:
                raise ModelError(f"{name!r:.60} is an array of shape {array.shape}, a single term is needed")
            index = self._indices[name] = int(array.variables[0, 0])
        return index

    # ---- forms ----------------------------------------------------------------------------------

    def _scaled(self, value: dict[str, Any]) -> LinearArray:
        _only(value, {"of", "times", "plus"})
        if not isinstance(value["of"], str):
            raise Misplaced("of", f"the name of an array is needed, got {value['of']!r:.40}")
        base = self._named(value["of"])
        times = at("times", self._numbers, value.get("times", 1), base)
        plus = at("plus", self._numbers, value.get("plus", 0), base)
        return base * times + plus

    def _numbers(self, value: Any, base: LinearArray) -> IntArray:
        try:
            numbers = np.array(msgspec.convert(value, int | list[int], strict=True), dtype=np.int64)
        except (msgspec.ValidationError, OverflowError):
            raise ModelError(f"64-bit integers are needed, got {value!r:.40}") from None
        if numbers.ndim and numbers.size != base.size:
            raise ModelError(f"takes {counted(base.size, 'value')}, got {numbers.size}")
        return numbers.reshape(base.shape) if numbers.ndim else numbers

    def _listed(self, value: dict[str, Any]) -> LinearArray:
        _only(value, {"shape", "terms"})
        terms = value.get("terms")
        if not isinstance(terms, list):
            raise Misplaced("terms", "a list of terms is needed")
        try:
            shape = msgspec.convert(value.get("shape", [len(terms)]), tuple[int, ...], strict=True)
        except msgspec.ValidationError:
            raise Misplaced("shape", "a list of integers is needed") from None
        if not shape or min(shape) < 0 or math.prod(shape) != len(terms) or len(shape) > 8:
            raise Misplaced("shape", f"{shape} does not fit {len(terms)} term(s)")
        return self._build(shape, [at(f"terms[{k}]", self._row, t) for k, t in enumerate(terms)])

    def _row(self, value: Any) -> _Row:
        """Return one term as (variables ascending, coefficients, constant)."""
        if isinstance(value, str):
            return [self._index(value)], [1], 0
        parts = value if isinstance(value, list) else [value]
        total: dict[int, int] = {}
        constant = 0
        for part in parts:
            if type(part) is int:
                constant += part
            elif isinstance(part, list) and len(part) == 2 and type(part[0]) is int and type(part[1]) is str:
                index = self._index(part[1])
                total[index] = total.get(index, 0) + part[0]
            else:
                shown = f"{part!r:.40}"
                raise ModelError(f"an integer, a name, or [coefficient, name] is needed, got {shown}")
        kept = sorted((v, a) for v, a in total.items() if a)
        if max((abs(a) for _, a in kept), default=0) > _LARGEST or abs(constant) > _LARGEST:
            raise ModelError("a coefficient or constant does not fit 64 bits")
        return [v for v, _ in kept], [a for _, a in kept], constant

    def _build(self, shape: tuple[int, ...], rows: list[_Row]) -> LinearArray:
        width = max((len(v) for v, _, _ in rows), default=0)
        if width * len(rows) > MAX_TERMS:
            raise ModelError(f"more than {MAX_TERMS} terms in all")
        return of_rows(self.model, rows, shape)


def _only(value: dict[str, Any], known: set[str]) -> None:
    for key in value:
        if key not in known:
            raise ModelError(f"no key {key!r:.40}{did_you_mean(key, known)}")
