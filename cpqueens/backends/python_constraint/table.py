"""Table over terms of one decision variable each, by filtering its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cpqueens.backends.python_constraint.atoms import Atom
from cpqueens.backends.python_constraint.objects import OwnConstraint, hide
from cpqueens.backends.python_constraint.watch import Watch


class Rows(OwnConstraint):
    """Table over decision variables: rows that fit what is assigned support the open variables."""

    def __init__(self, scope: list[int], rows: list[tuple[int, ...]], watch: Watch) -> None:
        super().__init__(watch)
        self._scope = scope
        self._rows = rows
        self._at: list[dict[int, list[tuple[int, ...]]]] = []
        for k in range(len(scope)):
            index: dict[int, list[tuple[int, ...]]] = {}
            for row in rows:
                index.setdefault(row[k], []).append(row)
            self._at.append(index)

    @classmethod
    def over(cls, atom: Atom, watch: Watch) -> Rows:
        """Return the table of an atom over ``a*x + b``, as a table over the variables themselves."""
        scope = sorted({row[0][0] for row in atom.rows if row[0]})
        place = {v: k for k, v in enumerate(scope)}
        rows = (_solved(atom, place, wanted) for wanted in atom.detail)
        return cls(scope, list(dict.fromkeys(row for row in rows if row is not None)), watch)

    def __call__(
        self, variables: Sequence[int], domains: Any, assignments: dict[int, int], forwardcheck: Any = False
    ) -> bool:
        """Filter the rows, starting from the assigned variable with the fewest."""
        live, known, unknown = self._rows, [], []
        for k, variable in enumerate(self._scope):
            value = assignments.get(variable)
            if value is None:
                unknown.append(k)
                continue
            mine = self._at[k].get(value)
            if mine is None:
                return False
            known.append((k, value))
            if len(mine) < len(live):
                live = mine
        if known:
            live = [row for row in live if all(row[k] == value for k, value in known)]
        if not live:
            return False
        if not forwardcheck:
            return True
        for k in unknown:
            support, domain = {row[k] for row in live}, domains[self._scope[k]]
            if not hide(domain, [value for value in domain if value not in support]):
                return False
        return True


def _solved(atom: Atom, place: dict[int, int], wanted: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the variables' values for which the terms take the wanted values, if there are any."""
    solved: dict[int, int] = {}
    for (variables, coefficients, constant), value in zip(atom.rows, wanted, strict=True):
        if not variables:
            if value != constant:
                return None
            continue
        x, rest = divmod(value - constant, coefficients[0])
        if rest or solved.setdefault(place[variables[0]], x) != x:
            return None
    return tuple(solved[k] for k in range(len(place)))
