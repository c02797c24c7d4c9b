"""What a search did, event by event: enough to rebuild each of its states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement

UNSET = np.iinfo(np.int64).min
"""Stands for the value of a variable that has none."""

EVENTS: dict[str, str] = {
    "place": "a variable takes a value, and others what propagation leaves them",
    "backtrack": "variables lose their values, since nothing below them holds",
    "prune": "values are taken away, no decision is made",
    "solution": "everything holds",
    "move": "a better neighbour",
    "sideways": "an equal neighbour",
    "uphill": "a worse neighbour",
    "reset": "some variables move at random",
    "restart": "a new start",
    "temperature": "the temperature is raised again",
    "tabu": "variables may not move for some steps",
    "weights": "violated constraints weigh more from now on",
    "demand": "the target rises: a better objective, or constraints that were left out",
    "taken": "an assignment that came from another search",
}
"""The events of all engines, the least striking of a kind first: a thinned event has the name of its last one
that tells most, see `Trace.thinning`."""


@dataclass(frozen=True)
class TraceRow:
    """One change of one variable, or an event that changes none.

    Attributes
    ----------
    event
        Its number, from 1; rows of one event have the same.
    step
        Of the search, as its step limit counts.
    kind
        A key of `EVENTS`.
    variable, old, new
        The variable's name and values; None where there is none.
    cost
        Weighted violation after the event; None in exact search.
    temperature
        None where there is none.
    """

    event: int
    step: int
    kind: str
    variable: str | None
    old: int | None
    new: int | None
    cost: int | None
    temperature: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """The start of a search and its events.

    >>> from cpqueens import AllDifferent, Model
    >>> m = Model()
    >>> x = m.intvar(1, 2, shape=2, name="x")
    >>> m += AllDifferent(x)
    >>> trace = m.solve(solver="backtracking:check", trace=100).trace
    >>> [(row.kind, row.variable, row.new) for row in trace.rows()]
    [('place', 'x[0]', 1), ('place', 'x[1]', 2), ('solution', None, None)]
    >>> [trace.state(k).tolist() for k in (1, 2)] == [[1, UNSET], [1, 2]]
    True

    Attributes
    ----------
    names
        Of the decision variables.
    start
        (variables,) values before the first event; `UNSET` where a variable has none.
    cost
        Of the start; None in exact search.
    steps, kinds, costs, temperatures
        (events,) as in `TraceRow`; costs and temperatures are masked where there are none.
    first
        (events + 1,) where the changes of each event begin.
    variables, old, new
        (changes,) number of a variable, and its values.
    thinning
        So many consecutive events are one here, whose changes are all of theirs together: 1 is complete.
    cells, first_toggled, toggled
        In search by propagation, of the variables' values: (cells, 2) variable and value, all there at the
        start; (events + 1,) where the toggles of each event begin; (toggles,) cells taken away or given back.
    model, solver
        Whose search it is, about what; a notebook shows it as a page that replays the search.
    """

    names: tuple[str, ...]
    start: IntArray
    cost: int | None
    steps: IntArray
    kinds: tuple[str, ...]
    costs: np.ma.MaskedArray[Any, Any]
    temperatures: np.ma.MaskedArray[Any, Any]
    first: IntArray
    variables: IntArray
    old: IntArray
    new: IntArray
    thinning: int
    cells: IntArray
    first_toggled: IntArray
    toggled: IntArray
    model: Statement | None = None
    solver: str = ""

    def __len__(self) -> int:
        return len(self.kinds)

    def rows(self) -> Iterator[TraceRow]:
        """Yield the changes in their order; an event without any has one row."""
        no_cost, cold = (np.ma.getmaskarray(part) for part in (self.costs, self.temperatures))
        for k, kind in enumerate(self.kinds):
            cost = None if no_cost[k] else int(self.costs[k])
            heat = None if cold[k] else float(self.temperatures[k])
            changes = range(self.first[k], self.first[k + 1])
            parts = [
                (self.names[self.variables[c]], _value(self.old[c]), _value(self.new[c])) for c in changes
            ]
            for name, old, new in parts or [(None, None, None)]:
                yield TraceRow(k + 1, int(self.steps[k]), kind, name, old, new, cost, heat)

    def states(self) -> Iterator[IntArray]:
        """Yield the values (variables,) before the first event and after each one."""
        values = self.start.copy()
        yield values.copy()
        for k in range(len(self)):
            part = slice(self.first[k], self.first[k + 1])
            values[self.variables[part]] = self.new[part]
            yield values.copy()

    def state(self, event: int) -> IntArray:
        """Return the values (variables,) after so many events.

        Raises
        ------
        IndexError
            If there are fewer.
        """
        if not 0 <= event <= len(self):
            raise IndexError(f"no state {event}: there are {len(self)} events")
        values = self.start.copy()
        end = self.first[event]
        values[self.variables[:end]] = self.new[:end]  # of several changes the last counts
        return values

    def _repr_html_(self) -> str:
        page = "" if self.model is None else self.model.drawn(self, "replay")
        if not page:
            return f"<div>{escape(repr(self))}</div>"
        style = "width:100%;height:720px;border:0"
        return (
            f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts" style="{style}" '
            f'title="{escape(repr(self))}"></iframe>'
        )

    def __repr__(self) -> str:
        thinned = "" if self.thinning == 1 else f", {self.thinning} events of the search in each"
        return f"<Trace of {len(self)} events of {len(self.names)} variables{thinned}>"


def _value(value: int) -> int | None:
    return None if value == UNSET else int(value)
