"""Watching exact search: its profile, and its trace.

A profile is made of counters in its memory, and of samples of what it is at. Counters lie in the network
behind all else (see `at.T_RUNS`); what is not asked for has none, and the kernels look at one word to know.
Time is not counted: another thread looks two hundred times a second at what runs. A trace tells what is
placed, taken back and pruned, seen from the search's state after every step.
"""

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from cpqueens.answers.profile import COUNTED, Tallies
from cpqueens.answers.trace import UNSET, TraceRecorder
from cpqueens.backends.backtracking.wholes.parts import Column, Propagators
from cpqueens.kernels.boards.search import ROW, PatternSearch
from cpqueens.kernels.exact import branching as tree, domains as at
from cpqueens.language.rows import IntArray
from cpqueens.lowered.forms import CLAUSES, Origins


class Built(Protocol):
    """A network that is being built."""

    origin: int
    propagators: Propagators
    different: list[Any]
    sums: list[Any]


APART = 0.005
"""Seconds between two samples."""


class _Marked(list[Any]):
    """A list that notes, of what is appended, what the builder is adding."""

    def __init__(self, builder: Built) -> None:
        super().__init__()
        self.builder, self.origins = builder, list[int]()

    def append(self, item: Any) -> None:
        """Add an item at the end."""
        super().append(item)
        self.origins.append(self.builder.origin)


class _MarkedPropagators(Propagators):
    """Propagators, with what the builder was adding when each was added."""

    def __init__(self, builder: Built) -> None:
        super().__init__()
        self.builder, self.origins = builder, list[int]()

    def append(self, *parts: Any) -> None:
        """Add a propagator."""
        super().append(*parts)
        self.origins.append(self.builder.origin)

    def extend(self, kinds: Any, lengths: Column, *parts: Any, **named: Any) -> None:
        """Add some for one reason."""
        super().extend(kinds, lengths, *parts, **named)
        self.origins += [self.builder.origin] * len(lengths)


class Sources:
    """Where each propagator and AllDifferent of a network comes from, and where its counters go."""

    def __init__(self, builder: Built) -> None:
        self._propagators = builder.propagators = _MarkedPropagators(builder)
        self._different = builder.different = _Marked(builder)
        self._sums = builder.sums = _Marked(builder)
        self._groups: list[int] = []

    def place_groups(self, lengths: Sequence[int], begin: int, *, sums: bool) -> None:
        """Note where the terms of AllDifferents lie, three numbers each."""
        origins = (self._sums if sums else self._different).origins
        for length, origin in zip(lengths, origins, strict=True):
            self._groups += [begin, origin]
            begin += 3 * length

    def with_counters(self, net: IntArray, variables: int) -> IntArray:
        """Return a network with counters, and behind them a list of what is counted."""
        own = [n for k, origin in enumerate(self._propagators.origins) for n in (k * at.P_WIDTH, origin)]
        counted = np.array([*own, *self._groups, len(net), CLAUSES], dtype=np.int64).reshape(-1, 2)
        counters = np.zeros(len(net) + at.T_WIDTH + variables, dtype=np.int64)
        counters[counted[:, 0] + at.T_ORIGIN] = counted[:, 1]
        return np.concatenate([net, counters, [len(counted)], counted[:, 0]])


class Profiled(Protocol):
    """A search that is profiled."""

    memory: at.Memory


class Profiling:
    """Collects what the searches of one run do."""

    def __init__(self, sources: Origins, decisions: int) -> None:
        self.sources = sources
        self._decisions = decisions
        self._searches: list[Profiled] = []
        self._now: tuple[int, at.Memory] | None = None
        self._samples: Counter[tuple[int, int]] = Counter()
        self._over = threading.Event()

    def follow(self, search: Profiled) -> int:
        """Take part in a search from its beginning; return its number."""
        self._searches.append(search)
        return len(self._searches) - 1

    @contextmanager
    def sampling(self) -> Iterator[None]:
        """Look at what runs, as long as it lasts."""
        beside = threading.Thread(target=self._sample, name="profile", daemon=True)
        beside.start()
        try:
            yield
        finally:
            self._over.set()
            beside.join()

    def _sample(self) -> None:
        while not self._over.wait(APART):
            now = self._now
            if now is not None:
                self._samples[now[0], int(now[1].stack[at.RUNNING])] += 1

    @contextmanager
    def running(self, number: int) -> Iterator[None]:
        """Say that a search is under way."""
        self._now = number, self._searches[number].memory
        try:
            yield
        finally:
            self._now = None

    def tallies(self) -> Tallies:
        """Return all that was counted, of all searches together, by origin."""
        found: dict[int, IntArray] = {}
        decided = np.zeros(self._decisions + 1, dtype=np.int64)
        for number, search in enumerate(self._searches):
            net, base = search.memory.net, int(search.memory.stack[at.PROFILE])
            many = net[2 * base + at.T_WIDTH :]
            end = int(search.memory.stack[at.VARIABLES]) // at.X_WIDTH
            decided[:-1] += many[: self._decisions]
            decided[-1] += many[self._decisions : end].sum()
            places = many[end + 1 : end + 1 + many[end]]
            fields = base + places[:, None] + np.arange(at.T_WIDTH)
            for place, (*counts, origin) in zip(places.tolist(), net[fields].tolist(), strict=True):
                samples = self._samples[number, place + 1] + self._samples[number, -place]
                row = found.setdefault(origin, np.zeros(len(COUNTED), dtype=np.int64))
                row += (*counts, 1, samples)
        return Tallies(found, decided, self._samples.total())


MOST_CELLS = 20_000
"""Values of all variables together whose coming and going is recorded."""


class PathObserver:
    """Shows a recorder the path of a search that places one variable after the other.

    Parameters
    ----------
    size
        Number of variables.
    base
        Added to the values that are shown.
    """

    def __init__(self, recorder: TraceRecorder, size: int, base: int = 0) -> None:
        self.recorder, self.base = recorder, base
        self.path: list[int] = []
        self.values = np.full(size, UNSET, dtype=np.int64)
        recorder.begin(self.values)

    def show(self, step: int, path: list[int], solved: bool = False, afresh: bool = False) -> None:
        """Note the values of the first variables: one event for each that is taken back or placed.

        With ``afresh`` all are taken back at once, by a new start.
        """
        common = 0
        while not afresh and common < min(len(path), len(self.path)) and path[common] == self.path[common]:
            common += 1
        if afresh and self.path:
            self.values[:] = UNSET
            self.recorder.show("restart", step, self.values)
        else:
            for row in range(len(self.path) - 1, common - 1, -1):
                self._set(row, UNSET, "backtrack", step)
        for row in range(common, len(path)):
            self._set(row, path[row] + self.base, "place", step)
        if solved:
            self.recorder.show("solution", step, self.values)
        self.path = path

    def _set(self, row: int, value: int, kind: str, step: int) -> None:
        self.values[row] = value
        self.recorder.show(kind, step, self.values)


class PatternObserver(PathObserver):
    """Shows a recorder the path of a search on a pattern, which is called for single placements."""

    def __init__(self, recorder: TraceRecorder, search: PatternSearch) -> None:
        super().__init__(recorder, search.pattern.n, search.pattern.base)
        self.search: Any = search
        self.untried: Any = getattr(search, "untried", None)  # of a kernel that goes on after a dead end
        self._before()

    def _before(self) -> None:
        self._row, self._found = int(self.search.control[ROW]), self.search.solutions
        self._words = [] if self.untried is None else self.untried.tolist()

    def stepped(self) -> None:
        """Note what the last call did."""
        search = self.search
        row, solved = int(search.control[ROW]), search.solutions > self._found
        path = search.x.tolist() if solved else search.x[: max(row, 0)].tolist()
        if solved and self.untried is not None:  # it keeps no value of the last row
            path[-1] = lowest_of(self._words[-1] & ~int(self.untried[-1]))
        for dead in self._dead(len(path) - 1):
            self.show(search.nodes, dead)
        self.show(search.nodes, path, solved)
        self._before()

    def _dead(self, end: int) -> Iterator[list[int]]:
        """Yield the paths to the dead ends of the last call, which then placed a value in row ``end``."""
        for row in range(self._row, -1, -1) if self.untried is not None else ():
            tried = self._words[row] & ~(int(self.untried[row]) if row == end else 0)
            while tried and (row != end or tried & (tried - 1)):
                yield [*self.path[:row], lowest_of(tried)]
                tried &= tried - 1
            if row == end:
                return


def lowest_of(word: int) -> int:
    """Return the place of the lowest bit."""
    return (word & -word).bit_length() - 1


class TreeObserver:
    """Shows a recorder what is decided and what propagation leaves of the domains.

    Parameters
    ----------
    count
        Number of decision variables.
    check_only
        Whether a variable has a value only where the search placed one.
    """

    def __init__(self, recorder: TraceRecorder, count: int, check_only: bool) -> None:
        self.recorder, self.count, self.check_only = recorder, count, check_only
        self._depth = self._found = self._restarts = 0

    def show(self, step: int, m: at.Memory, q: tree.TreeSearch, afresh: bool = False) -> None:
        """Note the state after a step of the kernel, if it differs from the one before."""
        values, flags = self._values(m, q), self._flags(m)
        depth, found, restarts = (int(q.state[k]) for k in (tree.DEPTH, tree.FOUND, tree.RESTARTS))
        if not self.recorder.has_begun:
            self.recorder.begin(values, domains=None if flags is None else (self._cells(), flags))
        elif found > self._found:
            self.recorder.show("solution", step, values, flags=flags)
        elif afresh or restarts > self._restarts:
            self.recorder.show("restart", step, values, flags=flags)
        elif depth != self._depth or self._differs(values, flags):
            kind = "prune" if depth == self._depth else "place" if depth > self._depth else "backtrack"
            lead = int(q.levels[depth - 1, tree.VARIABLE]) // at.X_WIDTH if kind == "place" else -1
            lead = lead if lead < self.count else -1  # an auxiliary variable is not shown
            self.recorder.show(kind, step, values, flags=flags, lead=lead)
        self._depth, self._found, self._restarts = depth, found, restarts

    def _differs(self, values: IntArray, flags: Any) -> bool:
        return not np.array_equal(values, self.recorder.last) or self.recorder.has_toggled(flags)

    def _values(self, m: at.Memory, q: tree.TreeSearch) -> IntArray:
        records = m.x[: self.count * at.X_WIDTH].reshape(self.count, at.X_WIDTH)
        low = records[:, at.LOW]
        values = np.where(low == records[:, at.HIGH], low, UNSET)
        if self.check_only:
            values[int(q.state[tree.DEPTH]) :] = UNSET
        return values

    def _listed(self, m: at.Memory) -> IntArray | None:
        """Return the records of the variables if all values are listed and not too many."""
        records: IntArray = m.x[: self.count * at.X_WIDTH].reshape(self.count, at.X_WIDTH)
        if self.check_only or (records[:, at.FIRST] < 0).any():
            return None
        if not self.recorder.has_begun:
            self._low, self._high = records[:, at.LOW].copy(), records[:, at.HIGH].copy()
        return records if (self._high - self._low + 1).sum() <= MOST_CELLS else None

    def _cells(self) -> IntArray:
        sizes = self._high - self._low + 1
        variable = np.repeat(np.arange(self.count), sizes)
        value = np.concatenate([np.arange(a, b + 1) for a, b in zip(self._low, self._high, strict=True)])
        return np.stack([variable, value], axis=1)

    def _flags(self, m: at.Memory) -> Any:
        """Return which cells are left (cells,), None where they are not recorded."""
        records = self._listed(m)
        if records is None:
            return None
        parts = []
        for record, low, high in zip(records.tolist(), self._low.tolist(), self._high.tolist(), strict=True):
            first = record[at.FIRST] - record[at.BASE]
            values = np.arange(low, high + 1)
            inside = (record[at.LOW] <= values) & (values <= record[at.HIGH])
            parts.append(inside & (m.cells[first + low : first + high + 1] != 0))
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.bool_)
