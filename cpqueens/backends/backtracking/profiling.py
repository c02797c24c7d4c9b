"""What a profile of exact search is made of: counters in its memory, and samples of what it is at.

Counters lie in the network behind all else (see `at.T_RUNS`); what is not asked for has none, and the kernels
look at one word to know. Time is not counted: another thread looks two hundred times a second at what runs.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from cpqueens.answers.profile import COUNTED, Tallies
from cpqueens.backends.backtracking.wholes.parts import Propagators
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory
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

    memory: Memory


class Profiling:
    """Collects what the searches of one run do."""

    def __init__(self, sources: Origins, decisions: int) -> None:
        self.sources = sources
        self._decisions = decisions
        self._searches: list[Profiled] = []
        self._now: tuple[int, Memory] | None = None
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
