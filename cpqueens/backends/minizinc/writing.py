"""A model as MiniZinc text (Nethercote et al. 2007).

Every function in it is total; where one of the model's is not defined, the conditions that lowering adds say
what follows: the nearest truth around it is false.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cpqueens.backends.minizinc.phrases import CONSTRAINTS, Names, identifier, supports, values_of
from cpqueens.language.blocks import Block
from cpqueens.language.definitions import Truth
from cpqueens.language.rows import IntArray
from cpqueens.lowered.lowering import Lowered, lower
from cpqueens.text.plaintext import printable

if TYPE_CHECKING:
    from cpqueens.language.statement import Statement


def minizinc_text(model: Statement, *, objective: bool = True, raw: bool = False) -> str:
    """Return the model in MiniZinc.

    Parameters
    ----------
    objective
        Whether with its first objective.
    raw
        Whether solutions are written as one line of integers rather than by names.

    Raises
    ------
    UnsupportedConstraint
        If a constraint cannot be written.
    ModelError
        If it has several objectives.
    """
    return _MiniZincWriter(model, objective, raw).text()


def lowered_for_minizinc(model: Statement, *, objective: bool) -> Lowered:
    """Return the model over what MiniZinc has."""
    return lower(model, supports, "minizinc", objective=objective)


class _MiniZincWriter:
    """Writes one model."""

    def __init__(self, model: Statement, objective: bool, raw: bool) -> None:
        self.model = model
        self.raw = raw
        self.lowered = lowered_for_minizinc(model, objective=objective)
        self.blocks: list[tuple[str, Block]] = []
        truths = [d for d in self.lowered.definitions if isinstance(d, Truth)]
        self.names = Names(self._called(), frozenset(v for d in truths for v in d.results.tolist()))

    def _called(self) -> dict[int, str]:
        """Name all variables: decision variables as in the model, others by their numbers."""
        names: dict[int, str] = {}
        known = {b.name for b in self.model.blocks}
        for k, block in enumerate(self.model.blocks):
            name = identifier(block.name) or _free(f"v{k}", known)
            self.blocks.append((name, block))
            places = np.ndindex(*block.shape) if block.shape else [()]
            for variable, at in enumerate(places, block.first):
                names[variable] = f"{name}[{','.join(map(str, at))}]" if at else name
        prefix = _free("d", known)
        for definition in self.lowered.definitions:
            names |= {v: f"{prefix}{v}" for v in definition.results.tolist()}
        return names

    def text(self) -> str:
        """Return the whole text."""
        body = [line for name, block in self.blocks for line in self._declared(name, block)]
        body += self._definitions()
        files: set[str] = set()
        for constraint in self.lowered.constraints:
            needed, write = CONSTRAINTS[constraint.kind]
            files.update(needed)
            body += [f"constraint {text};" for text in write(self.names, constraint)]
        for definition in self.lowered.definitions:
            if isinstance(definition, Truth):
                files.update(CONSTRAINTS[definition.constraint.kind][0])
        head = [f"% {printable(self.model.name)}", *(f'include "{file}.mzn";' for file in sorted(files))]
        return "\n".join([*head, *body, *self._end()]) + "\n"

    def _declared(self, name: str, block: Block) -> list[str]:
        """Declare one array of decision variables, and the holes in domains."""
        model, end = self.model, block.first + block.size
        if not block.size:
            return []
        low, high = model.lower[block.first : end], model.upper[block.first : end]
        index = ", ".join(f"0..{n - 1}" for n in block.shape)
        kind = f"var {int(low.min())}..{int(high.max())}"
        lines = [f"array[{index}] of {kind}: {name};" if block.shape else f"{kind}: {name};"]
        for k, variable in enumerate(range(block.first, end)):
            domain = model.domains.get(variable)
            if domain is not None:
                values = ", ".join(map(str, domain.tolist()))
                lines.append(f"constraint {self.names.names[variable]} in {{{values}}};")
            elif low[k] != low.min() or high[k] != high.max():
                lines.append(f"constraint {self.names.names[variable]} in {low[k]}..{high[k]};")
        return lines

    def _definitions(self) -> list[str]:
        lines = []
        for definition in [part for block in self.lowered.definitions for part in block.split()]:
            low, high = (end.tolist() for end in _bounds(self.lowered, definition.results))
            for k, (v, text) in enumerate(
                zip(definition.results.tolist(), values_of(self.names, definition), strict=True)
            ):
                kind = "var bool" if isinstance(definition, Truth) else f"var {low[k]}..{high[k]}"
                lines.append(f"{kind}: {self.names.names[v]} = {text};")
        return lines

    def _end(self) -> list[str]:
        goal = self.lowered.objective
        sense = "satisfy"
        if goal is not None:
            sense = f"{'maximize' if self.lowered.maximizing else 'minimize'} {self.names.terms(goal)[0]}"
        return [f"solve {sense};", f"output {self._output()};"]

    def _output(self) -> str:
        """Return the item that writes a solution."""
        shown = [(name, block) for name, block in self.blocks if block.size]
        if self.raw:
            goal = self.lowered.objective
            texts = [name for name, _ in shown] + ([] if goal is None else self.names.terms(goal))
            return "[" + ", ".join(f'show({text}), " "' for text in texts) + "]"
        lines = [f'"{name.replace(chr(34), "")} = \\({name});\\n"' for name, _ in shown]
        return f"[{', '.join(lines)}]"


def _bounds(lowered: Lowered, variables: IntArray) -> tuple[IntArray, IntArray]:
    return lowered.store.lower[variables], lowered.store.upper[variables]


def _free(prefix: str, known: set[str]) -> str:
    """Return a prefix with which no known name begins."""
    while any(name.startswith(prefix) for name in known):
        prefix += "_"
    return prefix
