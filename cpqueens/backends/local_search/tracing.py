"""Recording local search: its values are shown after every step, split into the moves that kernels tell."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from cpqueens.answers.profile import Walked
from cpqueens.answers.trace import StateTaker, TraceRecorder
from cpqueens.kernels.local import info as at
from cpqueens.language.rows import IntArray

MOST_STATES, MOST_NUMBERS = 256, 1 << 25
"""States that are kept for a profile, and numbers in them; then every other one goes."""


class Observed(Protocol):
    """What is looked at of a search."""

    info: IntArray
    tabu: IntArray
    events: Any

    @property
    def x(self) -> IntArray:
        """The current assignment."""

    @property
    def cost(self) -> int:
        """Its weighted violation."""

    @property
    def steps(self) -> int:
        """Steps so far."""


def kind_of(change: int) -> str:
    """Return what a move is called that changes the cost so much."""
    return "move" if change < 0 else "uphill" if change else "sideways"


def events_for(size: int) -> Any:
    """Return room for what one step of a kernel tells: a sweep may move every variable; none for none."""
    return np.zeros((size and 2 * size + 64, at.EVENT_WIDTH), dtype=np.int64)


NO_EVENTS = events_for(0)


def apply(values: IntArray, after: IntArray, event: list[int]) -> None:
    """Change ``values`` by an event of a kernel, which may be followed by others until they are ``after``."""
    _, code, v, target, _, _ = event
    swap = code == at.SWAP
    if code in (at.EVENT_SIDEWAYS, at.ACCEPT) and 0 <= target < len(values):  # it does not say which
        swap = bool(after[v] == values[target] and after[target] == values[v] and values[v] != values[target])
    if swap:
        values[[v, target]] = values[[target, v]]
    else:
        values[v] = target


class WalkObserver:
    """Shows a recorder the states of one search, whose kernels are called for single steps."""

    single = True

    def __init__(self, recorder: TraceRecorder, search: Observed) -> None:
        self.recorder, self.search = recorder, search
        self.temperature: Callable[[], float] | None = None
        self._keep()

    def _keep(self) -> None:
        """Remember what the next step is compared with."""
        search = self.search
        self._x, self._cost, self._tabu = search.x.copy(), search.cost, search.tabu.copy()
        self._heat = self._temperature()
        search.info[[at.RECORDED, at.SEEN]] = 0
        search.info[at.THINNING] = 1

    def _temperature(self) -> float | None:
        return None if self.temperature is None else self.temperature()

    def _show(self, kind: str, values: IntArray, cost: int | None) -> None:
        self.recorder.show(kind, self.search.steps, values, cost, self._temperature())

    def heated(self, temperature: Callable[[], float]) -> None:
        """Note the temperature too, from now on."""
        self.temperature = temperature
        self._heat = temperature()

    def begun(self, kind: str = "restart") -> None:
        """Note that the state was set anew: by a start, or by other means."""
        search = self.search
        if not self.recorder.has_begun:
            self.recorder.begin(search.x, search.cost)
        elif kind:
            self._show(kind, search.x, search.cost)
        self._keep()

    def walked(self, step: int, values: IntArray, cost: int | None) -> None:
        """Note a step of a kernel that keeps its own count of steps, and perhaps no cost that compares."""
        if not np.array_equal(values, self._x):
            kind = "move" if cost is None else kind_of(cost - self._cost)
            self.recorder.show(kind, step, values, cost)
            self._x, self._cost = values.copy(), self._cost if cost is None else cost

    def stepped(self) -> None:
        """Note what a step of a kernel on the search's own state did."""
        heat = self._temperature()
        if heat is not None and self._heat is not None and heat > self._heat:
            self._show("temperature", self._x, self._cost)
        for kind, values, cost in self._moves():
            self._show(kind, values, cost)
        self._keep()

    def _moves(self) -> list[tuple[str, IntArray, int]]:
        """Return the events of a step with the values and the cost after each."""
        search = self.search
        now = self._x.copy()
        found: list[tuple[str, IntArray, int]] = []
        for event in search.events[: int(search.info[at.RECORDED])].tolist():
            _, code, _, _, change, cost = event
            if code == at.RESET:
                now = search.x.copy()
            else:
                apply(now, search.x, event)
            found.append(("reset" if code == at.RESET else kind_of(change), now.copy(), cost))
        if not np.array_equal(now, search.x):
            found.append((kind_of(search.cost - self._cost), search.x.copy(), search.cost))
        if not found and search.cost != self._cost:
            found.append(("weights", now, search.cost))
        elif not found and (search.tabu > self._tabu).any():
            found.append(("tabu", now, search.cost))
        return found


class WatchedStates(StateTaker):
    """Some states of a search, evenly over its slices, from which a profile is made."""

    single = False

    def __init__(self) -> None:
        super().__init__()
        self._seen: list[tuple[int, IntArray]] = []
        self._thinning, self._waiting = 1, 0

    def see(self, steps: int, values: IntArray) -> None:
        """Keep a state, or not; when there are too many, every other one is dropped."""
        self._waiting += 1
        if self._waiting < self._thinning:
            return
        self._waiting = 0
        self._seen.append((steps + self._later, self._of(values).copy()))
        if len(self._seen) >= max(2, min(MOST_STATES, MOST_NUMBERS // max(1, len(values)))):
            del self._seen[1::2]
            self._thinning *= 2

    def walked(self, variables: int) -> Walked:
        """Return what was seen of a search over so many variables."""
        steps = np.array([step for step, _ in self._seen], dtype=np.int64)
        states = np.array([values for _, values in self._seen], dtype=np.int64)
        return Walked(steps, states.reshape(-1, variables))


Recorder = TraceRecorder | WatchedStates
"""Whom a search shows its states."""


class StateObserver:
    """Shows the states of one search after each slice, whatever that did."""

    single = False

    def __init__(self, watched: WatchedStates, search: Observed) -> None:
        self.watched, self.search = watched, search

    def heated(self, temperature: Callable[[], float]) -> None:
        """Temperatures are not part of a state."""

    def begun(self, kind: str = "restart") -> None:
        """Starts are seen after their first slice."""

    def walked(self, step: int, values: IntArray, cost: int | None) -> None:
        """Note where a kernel is that keeps its own count of steps."""
        self.watched.see(step, values)

    def stepped(self) -> None:
        """Note where the search is."""
        self.watched.see(self.search.steps, self.search.x)


def observer_of(recorder: Recorder, search: Observed) -> WalkObserver | StateObserver:
    """Return what shows a recorder a search."""
    if isinstance(recorder, WatchedStates):
        return StateObserver(recorder, search)
    return WalkObserver(recorder, search)


class LoneObserver:
    """Shows a recorder the states of a kernel that searches a model without the general engine.

    Parameters
    ----------
    info
        The kernel's counters.
    restarts
        Where it counts new starts, -1 if nowhere.
    """

    def __init__(self, recorder: Recorder, info: IntArray, restarts: int) -> None:
        self.recorder, self._info, self._restarts = recorder, info, restarts
        self._counted, self._cost = {"restart": 0, "reset": 0}, 0

    def walked(self, step: int, values: IntArray, cost: int | None) -> None:
        """Note a state, and by what the kernel came to it."""
        recorder, before = self.recorder, self._counted
        if isinstance(recorder, WatchedStates):
            recorder.see(step, values)
            return
        assert cost is not None, "a model that is the kernel's has no other cost"
        restarts = int(self._info[self._restarts]) if self._restarts >= 0 else 0
        now = {"restart": restarts, "reset": int(self._info[at.RESETS])}
        if not recorder.has_begun:
            recorder.begin(values, cost)
        elif not np.array_equal(values, recorder.last):
            larger = [kind for kind in now if now[kind] > before[kind]]
            recorder.show(larger[0] if larger else kind_of(cost - self._cost), step, values, cost)
        self._counted, self._cost = now, cost
