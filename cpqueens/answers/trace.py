"""What a search did, event by event: enough to rebuild each of its states.

Recording a search: its states are compared with each other, so that no engine has to tell what it changed.

An engine that is recorded runs step by step, which changes none of its decisions, and shows its values after
each. One that is not recorded does nothing at all for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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


NONE = np.zeros(0, dtype=np.int64)
_RANK = {kind: rank for rank, kind in enumerate(EVENTS)}


@dataclass
class _Event:
    """One event: what it changed, and which cells of domains it toggled."""

    step: int
    kind: str
    cost: int | None
    heat: float | None
    variables: IntArray
    old: IntArray
    new: IntArray
    toggled: IntArray

    def then(self, later: _Event) -> _Event:
        """Return both as one event."""
        variables = np.concatenate([self.variables, later.variables])
        _, first = np.unique(variables, return_index=True)
        _, last = np.unique(variables[::-1], return_index=True)
        old = np.concatenate([self.old, later.old])[first]
        new = np.concatenate([self.new, later.new])[::-1][last]
        changed = old != new
        variables = variables[first][changed]
        cells, times = np.unique(np.concatenate([self.toggled, later.toggled]), return_counts=True)
        kind = max(later.kind, self.kind, key=_RANK.__getitem__)
        heat, cost = later.heat, later.cost
        return _Event(
            later.step, kind, cost, heat, variables, old[changed], new[changed], cells[times % 2 == 1]
        )


class StateTaker:
    """Takes states of searches, which may be of another model than the user's, and after other searches.

    Attributes
    ----------
    single
        Whether it is shown every step.
    """

    single: bool

    def __init__(self) -> None:
        self._later = 0
        self._restored: Callable[[IntArray], IntArray] | None = None

    def translate(self, restored: Callable[[IntArray], IntArray] | None, steps: int) -> None:
        """Take what a search shows that begins ``steps`` later; ``restored`` gives values of this model."""
        self._restored, self._later = restored, self._later + steps

    def _of(self, values: IntArray) -> IntArray:
        return values if self._restored is None else self._restored(values)


class TraceRecorder(StateTaker):
    """Takes the states of a search one by one, and makes a `Trace` of them.

    Parameters
    ----------
    names
        Of the decision variables.
    room
        How many events to keep; when they are more, each two become one.

    Attributes
    ----------
    also
        Called with step and values of each state, too.
    """

    single = True

    def __init__(self, names: Sequence[str], room: int) -> None:
        super().__init__()
        self.names, self.room = tuple(names), max(2, room)
        self.cells = np.zeros((0, 2), dtype=np.int64)
        self._events: list[_Event] = []
        self._thinning, self._waiting = 1, 0
        self._start: IntArray | None = None
        self._last = NONE
        self._flags = np.zeros(0, dtype=np.bool_)
        self._cost: int | None = None
        self.also: Callable[[int, IntArray], None] | None = None

    @property
    def last(self) -> IntArray:
        """The values that were shown last."""
        return self._last

    @property
    def has_begun(self) -> bool:
        """Whether a start has been shown."""
        return self._start is not None

    def begin(
        self, values: IntArray, cost: int | None = None, domains: tuple[IntArray, Any] | None = None
    ) -> None:
        """Show the start; ``domains`` are cells (cells, 2) and whether they are there (cells,)."""
        self._start = self._last = self._of(values).copy()
        self._cost = cost
        if domains is not None:
            self.cells, self._flags = domains[0], domains[1].copy()

    def show(
        self, kind: str, step: int, values: IntArray, cost: int | None = None, heat: float | None = None,
        flags: Any = None, lead: int = -1,
    ) -> None:  # fmt: skip
        """Show the values after an event, and which cells are left; variable ``lead`` is named first."""
        values = self._of(values)
        changed = np.flatnonzero(values != self._last)
        if lead in changed[1:]:
            changed = np.concatenate([[lead], changed[changed != lead]])
        toggled = NONE
        if flags is not None and len(self._flags):
            toggled = np.flatnonzero(flags != self._flags)
            self._flags = flags.copy()
        old, new = self._last[changed], values[changed]
        if len(changed):
            self._last = values.copy()
        if self.also is not None:
            self.also(step + self._later, values)
        self._keep(_Event(step + self._later, kind, cost, heat, changed, old, new, toggled))

    def has_toggled(self, flags: Any) -> bool:
        """Say whether cells differ from those that were shown last."""
        return flags is not None and len(self._flags) > 0 and not np.array_equal(flags, self._flags)

    def _keep(self, event: _Event) -> None:
        if self._waiting:
            event = self._events.pop().then(event)
        self._events.append(event)
        self._waiting = (self._waiting + 1) % self._thinning
        if len(self._events) >= self.room and not self._waiting and len(self._events) % 2 == 0:
            pairs = zip(self._events[::2], self._events[1::2], strict=True)
            self._events = [one.then(other) for one, other in pairs]
            self._thinning *= 2

    def trace(self) -> Trace | None:
        """Return what was recorded; None if there was not even a start."""
        if self._start is None:
            return None
        events = self._events
        return Trace(
            names=self.names,
            start=self._start,
            cost=self._cost,
            steps=np.array([e.step for e in events], dtype=np.int64),
            kinds=tuple(e.kind for e in events),
            costs=_masked([e.cost for e in events], np.int64),
            temperatures=_masked([e.heat for e in events], np.float64),
            first=_offsets([e.variables for e in events]),
            variables=np.concatenate([NONE, *(e.variables for e in events)]),
            old=np.concatenate([NONE, *(e.old for e in events)]),
            new=np.concatenate([NONE, *(e.new for e in events)]),
            thinning=self._thinning,
            cells=self.cells,
            first_toggled=_offsets([e.toggled for e in events]),
            toggled=np.concatenate([NONE, *(e.toggled for e in events)]),
        )


def _offsets(parts: Sequence[IntArray]) -> IntArray:
    return np.cumsum([0, *map(len, parts)], dtype=np.int64)


def _masked(values: Sequence[Any], dtype: Any) -> np.ma.MaskedArray[Any, Any]:
    missing = np.array([v is None for v in values], dtype=np.bool_)
    return np.ma.MaskedArray(np.array([0 if v is None else v for v in values], dtype=dtype), missing)
