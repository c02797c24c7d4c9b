"""The Boolean formulation of large boards for CP-SAT: one literal for each variable and value.

For one solution of a model that consists of AllDifferents over ``x + o`` only, exactly-one and
at-most-one constraints over literals are far faster than AllDifferent (200 queens: 0.85 s against 12 s).
"""

from typing import Any

import numpy as np

from cpqueens.backends.cpsat.writer import joined
from cpqueens.language.rows import IntArray
from cpqueens.lowered.lowering import Lowered

SMALLEST = 60  # variables; below it three AllDifferents are as fast
LARGEST = 4_000_000  # literals


def fits(lowered: Lowered, decisions: IntArray) -> bool:
    """Say whether the model is AllDifferents over plain variables plus constants, and large."""
    if lowered.definitions or lowered.objective is not None or len(decisions) < SMALLEST:
        return False
    if not lowered.constraints or any(c.kind != "AllDifferent" for c in lowered.constraints):
        return False
    arrays = [c.arguments[0] for c in lowered.constraints]
    if any(a.width != 1 or not (np.abs(a.coefficients) == 1).all() for a in arrays):
        return False
    store = lowered.store
    spans = store.upper[decisions] - store.lower[decisions].astype(np.float64) + 1  # may exceed 64 bits
    return float(spans.sum()) <= LARGEST


class BooleanBoard:
    """The text of the formulation, and the way back from its literals to values."""

    def __init__(self, lowered: Lowered, decisions: IntArray) -> None:
        store = lowered.store
        self.lower = store.lower[decisions]
        spans = store.upper[decisions] - self.lower + 1
        self.first = np.concatenate([[0], np.cumsum(spans)[:-1]])
        total = int(spans.sum())
        self.owner = np.repeat(np.arange(len(decisions)), spans)
        self.value = np.arange(total) - self.first[self.owner] + self.lower[self.owner]
        position = {int(v): k for k, v in enumerate(decisions)}
        forbidden = np.zeros(total, dtype=bool)
        for variable, values in store.domains.items():
            if variable in position:
                mine = self.owner == position[variable]
                forbidden |= mine & ~np.isin(self.value, values)
        parts = [f"variables{{domain:[0,{0 if no else 1}]}}" for no in forbidden.tolist()]
        for k, start in enumerate(self.first.tolist()):
            parts.append(_one("exactly_one", range(start, start + int(spans[k]))))
        for constraint in lowered.constraints:
            parts += self._lines(constraint.arguments[0], position)
        self.text = parts

    def _lines(self, terms: Any, position: dict[int, int]) -> list[str]:
        """Return one at-most-one for each value of the terms (exactly one, if values are as few)."""
        lines: dict[int, list[int]] = {}
        starts = [*self.first.tolist(), len(self.value)]
        for (variable,), (a,), c in terms.rows():
            k = position[variable]
            first, end = starts[k], starts[k + 1]
            for literal, value in enumerate(self.value[first:end].tolist(), first):
                lines.setdefault(a * value + c, []).append(literal)
        kind = "exactly_one" if len(lines) == terms.size else "at_most_one"
        return [
            _one(kind, literals) for literals in lines.values() if len(literals) > 1 or kind == "exactly_one"
        ]

    def decode(self, literals: IntArray) -> IntArray:
        """Return the values of the decision variables for the literals' values."""
        true = np.flatnonzero(literals[: len(self.value)])
        row = np.zeros(len(self.first), dtype=np.int64)
        row[self.owner[true]] = self.value[true]
        return row


def _one(kind: str, literals: Any) -> str:
    return f"constraints{{{kind}{{literals:[{joined(literals)}]}}}}"
