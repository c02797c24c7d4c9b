"""Global propagators against their naive meaning, over all assignments of small domains.

A `Bench` has a few variables and one propagator, which is called directly. `Bench.walk` narrows domains at
random, propagates to the fixpoint, compares what is left with what the meaning supports, and takes changes
back, so that what a propagator remembers between calls is tried too.
"""

import random
from collections.abc import Callable, Sequence
from enum import Enum
from itertools import product
from typing import Any

import numpy as np

from cpqueens import Model
from cpqueens.backends.backtracking.memory import build_memory
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory
from cpqueens.lowered.forms import compile_model

Domains = list[list[int]]
Meaning = Callable[[tuple[int, ...]], bool]
Run = Callable[[Memory, int], Any]
Data = Sequence[int] | Callable[[int], Sequence[int]]


class Strength(Enum):
    """What is claimed of a fixpoint: never more than the solutions allow, and at least this much.

    All decide what is fixed. SOUND claims no more; BOUNDS that both ends of every domain occur in a solution
    within the ends of the others; DOMAIN that every value occurs in a solution within the domains.
    """

    SOUND, BOUNDS, DOMAIN = range(3)


class Bench:
    """Variables 0, 1, ... with these domains, and one propagator over them.

    Parameters
    ----------
    run
        The propagator: takes the memory and its position, returns 1, or 0 where it fails.
    domains
        The values of each variable, ascending.
    meaning
        Says of an assignment of all variables whether the constraint holds.
    coefficients, constant, result
        Of the record: the coefficient of each argument (1), and the number of the result's variable.
    data
        What ``ROWS`` to ``ROWS_END`` of the record enclose, or a function from where that begins.
    arguments
        The numbers of the variables between ``START`` and ``END``; all but the result if not given.
    bounds_only
        Interval variables that have no flags for their values.
    words
        First values of its reversible words, which take the place of the result.
    """

    def __init__(
        self,
        run: Run,
        domains: Domains,
        meaning: Meaning,
        *,
        kind: int = -1,
        coefficients: Sequence[int] | None = None,
        constant: int = 0,
        result: int = -1,
        data: Data = (),
        arguments: Sequence[int] | None = None,
        bounds_only: Sequence[int] = (),
        words: Sequence[int] = (),
    ) -> None:
        self.run, self.domains = getattr(run, "plain", run), domains
        self.memory = _memory(domains)
        for v in bounds_only:
            self.memory.x[v * at.X_WIDTH + at.FIRST] = -1
        if arguments is None:
            arguments = [v for v in range(len(domains)) if v != result]
        pairs = zip(arguments, coefficients or [1] * len(arguments), strict=True)
        flat = [number for v, a in pairs for number in (v * at.X_WIDTH, a)]
        last = len(self.memory.x) if words else result * at.X_WIDTH if result >= 0 else -1
        self._append([kind, constant, last], flat, data)
        records = np.zeros((len(words), at.WORD_WIDTH), dtype=np.int64)
        records[:, 0] = words
        self.memory = self.memory._replace(x=np.concatenate([self.memory.x, records.reshape(-1)]))
        hulls = [range(values[0], values[-1] + 1) for values in domains]
        rows_of = [row for row in product(*hulls) if meaning(row)]
        self.solutions = np.array(rows_of, dtype=np.int64).reshape(-1, len(domains))

    def _append(self, head: list[int], flat: list[int], data: Data) -> None:
        """Append the record, its arguments and its data to ``net``."""
        self.p = len(self.memory.net)
        start = self.p + at.P_WIDTH
        rows = start + len(flat)
        numbers = list(data(rows)) if callable(data) else list(data)
        record = np.zeros(at.P_WIDTH, dtype=np.int64)
        record[[at.KIND, at.CONSTANT, at.RESULT]] = head
        record[[at.START, at.END]] = start, rows
        if numbers:
            record[[at.ROWS, at.ROWS_END]] = rows, rows + len(numbers)
        net = np.concatenate([self.memory.net, record, np.array(flat + numbers, dtype=np.int64)])
        self.memory = self.memory._replace(net=net)

    def left(self) -> Domains:
        """Return the values that the variables have left."""
        return [values_of(self.memory, v * at.X_WIDTH) for v in range(len(self.domains))]

    def propagate(self) -> bool:
        """Run the propagator until nothing changes; say whether it has not failed."""
        while True:
            before = self.left()
            alive = bool(self.run(self.memory, self.p))
            self._forget_changes()
            if not alive or self.left() == before:
                return alive

    def _forget_changes(self) -> None:
        m = self.memory
        first, last = m.stack[at.CHANGED_BASE], m.stack[at.CHANGED_TOP]
        m.x[m.stack[first : last : at.CHANGE_WIDTH] + at.EVENTS] = 0
        m.stack[at.CHANGED_TOP] = first

    def check(self, strength: Strength) -> bool:
        """Propagate and assert what ``strength`` claims; say whether anything is left."""
        given = self.left()
        supported = self._within(given)
        if not self.propagate():
            assert not len(supported), f"failed at {given}, where {supported[0].tolist()} is a solution"
            return False
        left = self.left()
        expected = [sorted(set(column.tolist())) for column in supported.T]
        for v, values in enumerate(expected):
            assert set(values) <= set(left[v]) <= set(given[v]), f"variable {v} of {given} -> {left}"
            if strength is Strength.DOMAIN and self.memory.x[v * at.X_WIDTH + at.FIRST] >= 0:
                assert left[v] == values, f"variable {v} of {given} -> {left}, supported are {expected}"
        if all(len(values) == 1 for values in left):
            assert len(supported) == 1, f"{left} is no solution"
        if strength is Strength.BOUNDS:
            hull = self._within([list(range(values[0], values[-1] + 1)) for values in left])
            for v, values in enumerate(left):
                assert {values[0], values[-1]} <= set(hull[:, v].tolist()), (
                    f"variable {v} of {given} -> {left}"
                )
        return True

    def _within(self, domains: Domains) -> Any:
        inside = np.ones(len(self.solutions), dtype=bool)
        for column, values in zip(self.solutions.T, domains, strict=True):
            inside &= np.isin(column, values)
        return self.solutions[inside]

    def walk(self, source: random.Random, strength: Strength, steps: int = 12) -> None:
        """Check after random changes, some of which are taken back."""
        m = self.memory
        saved: list[tuple[int, int, Domains]] = []
        alive = self.check(strength)
        for _ in range(steps if alive else 0):
            if saved and (not alive or source.random() < 0.3):
                for _ in range(source.randint(1, len(saved))):
                    trail, cells, domains = saved.pop()
                at.restore(m, trail, cells)
                self._forget_changes()
                assert self.left() == domains
            saved.append((int(m.stack[at.TRAIL_TOP]), int(m.stack[at.CELLS_TOP]), self.left()))
            m.stack[at.LEVEL] += 1
            narrow(m, source, len(self.domains))
            alive = self.check(strength)


def narrow(m: Memory, source: random.Random, variables: int) -> None:
    """Take values of a random variable away, or fix it; a domain never gets empty."""
    v = source.randrange(variables) * at.X_WIDTH
    values = values_of(m, v)
    kept = source.choice(values)
    if source.random() < 0.4:
        assert at.tighten(m, v, kept, kept)
    for value in values:
        if value != kept and source.random() < 0.4:
            assert at.remove(m, v, value)


def values_of(m: Memory, v: int) -> list[int]:
    """Return the values of a variable."""
    low, high = int(m.x[v + at.LOW]), int(m.x[v + at.HIGH])
    return [w for w in range(low, high + 1) if at.contains(m, v, w)]


def random_domains(source: random.Random, sizes: Sequence[tuple[int, int]]) -> Domains:
    """Return a random non-empty set of values between each pair of ends."""
    domains = []
    for low, high in sizes:
        values = [w for w in range(low, high + 1) if source.random() < 0.7]
        domains.append(values or [source.randint(low, high)])
    return domains


def _memory(domains: Domains) -> Memory:
    model = Model()
    for v, values in enumerate(domains):
        model.intvar(domain=values, name=f"x{v}")
    memory, _ = build_memory(compile_model(model), check_only=False)
    return at.copied(memory)
