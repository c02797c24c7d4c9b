"""Irreducible infeasible subsets by deletion: what stays infeasible without a part does not need it.

Parts are left out in chunks, which double where they are not needed and halve where one of them is
(Chinneck and Dravnieks, ORSA J. Computing 3, 1991).
A solution without some parts is a witness: if it violates a single part, that one is needed, and so is
whatever alone is violated once a value of it is changed, or two are swapped (model rotation: Marques-Silva
and Lynce, SAT 2011; Belov and Marques-Silva, FMCAD 2011).
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from cpqueens.answers.check import Checker
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.system.interrupts import Interrupt

_NEIGHBOURS = 2000
"""Changed witnesses that are looked at for each; of more there is a part, evenly spaced."""


def reduced(
    subset: list[int],
    infeasible: Callable[[list[int]], bool | None],
    interrupt: Interrupt,
    shown: Callable[[list[int]], set[int]] = lambda subset: set(),
) -> tuple[list[int], bool]:
    """Return an irreducible subset and whether every run decided; after a signal the one so far.

    ``infeasible`` says of positions whether they are infeasible together; None if undecided. ``shown`` may
    say of an infeasible subset which positions it needs; what one subset needs, each within it needs too.
    """
    needed, undecided = shown(subset), set[int]()
    chunk = max(1, len(subset) // 4)
    while todo := [p for p in subset if p not in needed and p not in undecided]:
        if interrupt.seen:
            return subset, False
        out = todo[:chunk]
        trial = [p for p in subset if p not in out]
        answer = infeasible(trial)
        if answer is True:
            subset, chunk = trial, 2 * chunk
            continue
        if answer is False:
            needed |= shown(subset)
        if len(out) > 1:
            chunk = max(1, len(out) // 2)
            continue
        (needed if answer is False else undecided).update(out)
    return subset, not undecided


class Witnesses:
    """Assignments of a model's variables that violate few of its constraints, and what they show."""

    def __init__(self, model: Statement) -> None:
        self._checker = Checker(model)
        self._model, self._variables = model, model.decisions.tolist()
        self._seen: list[IntArray] = []

    def add(self, row: IntArray) -> None:
        """Keep an assignment of the decision variables."""
        self._seen.append(row)

    def among(self, parts: Sequence[tuple[int, int | None]]) -> Callable[[Iterable[int]], set[int]]:
        """Return what says of an infeasible subset of places in ``parts`` which of these it needs.

        ``parts`` are positions of constraints, each with its row, None for all rows. It is asked of
        smaller and smaller subsets.
        """
        needed: set[int] = set()

        def shown(subset: Iterable[int]) -> set[int]:
            places = sorted(subset)
            wanted = [parts[k] for k in places]
            todo = [np.stack(self._seen)] if self._seen else []
            while todo:
                rows = todo.pop()
                broken = self._broken(rows, wanted)
                for k in np.flatnonzero(broken.sum(axis=1) == 1).tolist():
                    place = places[int(np.argmax(broken[k]))]
                    if place not in needed:
                        needed.add(place)
                        todo.append(self._neighbours(rows[k]))
            return needed

        return shown

    def _broken(self, rows: IntArray, parts: list[tuple[int, int | None]]) -> NDArray[np.bool_]:
        """Return which parts each assignment violates, of shape (assignments, parts)."""
        amounts = self._checker.elements(rows, sorted({k for k, _ in parts}))
        columns = [amounts[k].any(axis=1) if row is None else amounts[k][:, row] != 0 for k, row in parts]
        return np.stack(columns, axis=1) if columns else np.zeros((len(rows), 0), dtype=np.bool_)

    def _neighbours(self, row: IntArray) -> IntArray:
        """Return the assignments in which one variable has another value, or two swap theirs."""
        room = max(1, _NEIGHBOURS // len(row))
        values = [np.unique(self._values(v)[:: 1 + self._values(v).size // room]) for v in self._variables]
        at = np.repeat(np.arange(len(row)), [some.size for some in values])
        changed = np.repeat(row[None], at.size, axis=0)
        changed[np.arange(at.size), at] = np.concatenate(values)
        first, second = np.triu_indices(len(row), 1)
        some = np.flatnonzero(row[first] != row[second])
        some = some[:: 1 + some.size // _NEIGHBOURS]
        swapped = np.repeat(row[None], some.size, axis=0)
        each = np.arange(some.size)
        swapped[each, first[some]], swapped[each, second[some]] = row[second[some]], row[first[some]]
        everything = np.concatenate([changed, swapped])
        return everything[self._checker.in_domain(everything).all(axis=1)]

    def _values(self, variable: int) -> IntArray:
        """Return the domain of a variable, of a large one a part."""
        if variable in self._model.domains:
            return self._model.domains[variable]
        low, high = int(self._model.lower[variable]), int(self._model.upper[variable])
        return np.arange(low, high + 1, 1 + (high - low) // _NEIGHBOURS, dtype=np.int64)
