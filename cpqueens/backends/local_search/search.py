"""One search: the compiled model, its state, limits and audit; what strategies are written in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np

from cpqueens.backends.local_search.assembler import below
from cpqueens.backends.local_search.audit import check_state, violation
from cpqueens.backends.local_search.layers import build_arrays
from cpqueens.backends.local_search.starts import NO_START, Start, all_starts, hinted_start, random_start
from cpqueens.backends.local_search.tracing import NO_EVENTS, Recorder, events_for, observer_of
from cpqueens.kernels.jit.random import seed_state
from cpqueens.kernels.jit.tiers import Fixed, to_the_end
from cpqueens.kernels.local import arena, info as at
from cpqueens.kernels.local.rebuild import begin
from cpqueens.kernels.local.scan import FOUND
from cpqueens.kernels.local.state import Space, State
from cpqueens.language.rows import IntArray
from cpqueens.lowered.columns import objective_bounds
from cpqueens.lowered.compiled import Compiled
from cpqueens.lowered.evaluation import evaluate, values_of_all
from cpqueens.lowered.neighbourhood import Neighbourhood, build_space, derive
from cpqueens.system.stopping import Pace

MOST_VALUES = 4096
"""Values of a variable that a step looks at: of more, so many random ones."""

End = Literal["solved", "step_limit", "stopped", "local_optimum", "plateau_limit", "gave_up", "set_aside"]
"""Why a search ended; ``stopped`` is by the clock or by the user, ``gave_up`` by a rule in the statistics,
``set_aside`` in favour of another search."""

Hint = tuple[IntArray, IntArray]
"""Values (decision variables,) and which of them count (bool); the first start is as near as possible."""

Paused = Literal[End, "stalled", "budget"]
"""How a part of a search ended: ``stalled`` and ``budget`` (its own steps are used up) end no search."""

_FIRST_VALUES = 1 << 10  # that a first call may look at, some tenths of a second in plain Python
_FIRST_WORK = 1 << 16  # evaluations in a call where nobody measures how long they take
_WORK = 1 << 7  # evaluations for each step that the pace allows


class StrategyError(ValueError):
    """A strategy cannot search this problem."""


@dataclass
class Limits:
    """When to stop: steps of the search, and a function asked every few milliseconds."""

    steps: int | None = None
    should_stop: Callable[[], bool] = lambda: False


class Aside(Protocol):
    """What a search does beside walking, once it has made ``after`` steps."""

    after: int

    def look(self, search: Run) -> End | None:
        """Look at the search, and say how it ends if it does.

        It is asked again until it sets ``search.aside`` to None.
        """


class Judge(Protocol):
    """A kernel that knows all of a model."""

    def violation(self, x: IntArray, limit: int) -> int:
        """Return by how much an assignment violates the model, with an objective of at most ``limit``."""

    def objective(self, x: IntArray) -> int:
        """Return the value of the objective, which the model must have, for an assignment."""


_REPORTED = [at.STEPS, at.EVALUATIONS, at.MOVES, at.RESETS, at.HASH]


@dataclass
class Result:
    """What a search ended with; ``x`` is a solution if ``cost`` is 0."""

    x: IntArray
    cost: int
    reason: Paused
    steps: int
    trajectory: int
    statistics: dict[str, Any] = field(default_factory=dict)
    objective: int | None = None  # of ``x``, where the problem has one and ``x`` is a solution

    @classmethod
    def of(
        cls, info: IntArray, x: IntArray, cost: int, reason: Paused, restarts: int, facts: Mapping[str, Any]
    ) -> Result:
        """Return the result of a search with the scalars ``info``; ``facts`` are further statistics."""
        steps, evaluations, moves, resets, trajectory = info[_REPORTED].tolist()
        statistics = {"steps": steps, "evaluations": evaluations, "moves": moves, "restarts": restarts}
        return cls(x, cost, reason, steps, trajectory, {**statistics, "resets": resets, **facts})

    def add_work(self, other: Result) -> None:
        """Count the work of another result, too."""
        for name in ("steps", "evaluations", "moves", "restarts", "resets", "improvements"):
            if name in other.statistics:
                self.statistics[name] = self.statistics.get(name, 0) + other.statistics[name]
        self.steps += other.steps


class Run:
    """What every search of a compiled model has: limits, counters, an assignment, starts, ever lower demands.

    Parameters
    ----------
    compiled
        The model.
    assignment_only
        Give up the derived swaps; every variable moves by assignment.
    hint
        Values, and which of them count: the first start is as near as possible.
    """

    def __init__(self, compiled: Compiled, assignment_only: bool = False, hint: Hint | None = None) -> None:
        self.compiled, self.size, self.swaps = compiled, compiled.decision_count, not assignment_only
        self.hint = hint
        self._starts: dict[str, Sequence[Start]] = {}
        self.neighbourhood = compiled.once(derive) if self.swaps else derive(compiled, assignment_only=True)
        self.space = build_space(compiled, self.neighbourhood)
        self.random = np.zeros(4, dtype=np.int64)
        self.info = np.zeros(at.LENGTH, dtype=np.int64)  # scalars, see `search_info`
        self.x, self.best, self.tabu = np.zeros((3, self.size), dtype=np.int64)
        self.events = NO_EVENTS
        self.objective_limit, self.objective_least = 0, at.NEVER
        if compiled.objective is not None:
            self.objective_least, self.objective_limit = objective_bounds(compiled)

    def renew(self, seed: int, limits: Limits | None = None, recorder: Recorder | None = None) -> None:
        """Begin another run, of which no start has been made; not after `demand`, which changes the model."""
        self.limits = limits or Limits()
        self.random[:] = seed_state(seed)
        self.info[:] = 0
        self.info[at.SAVED] = at.NEVER
        self.info[at.THINNING] = 1
        self.hint_kept: int | None = None
        self.restarts = -1
        self.extra: dict[str, Any] = {}  # what a strategy adds to the statistics
        self.goes_on = False
        self.aside: Aside | None = None
        self.incumbent: IntArray | None = None  # the last solution
        self.carried: dict[str, Any] = {}  # what a strategy keeps from one improvement to the next
        self.improvements = 0
        self.special: Callable[[Iterator[Any]], End] | None = None  # what `auto` does in the place of walks
        self.observer = None if recorder is None else observer_of(recorder, self)
        self.is_stepwise = self.observer is not None and self.observer.single  # somebody is shown every step

    @property
    def cost(self) -> int:
        """Weighted violation of the current assignment."""
        return int(self.info[at.COST])

    @property
    def steps(self) -> int:
        """Steps so far."""
        return int(self.info[at.STEPS])

    def solved(self) -> bool:
        """Say whether the current assignment satisfies everything."""
        return self.cost == 0

    def start(self, kind: str = "independent") -> None:
        """Begin afresh: the first time from the hint if there is one, else at random.

        Groups start from random permutations. Where they were given up, ``kind`` says whether the others
        start from ``independent`` values or from a ``permutation`` all the same.
        """
        self.keep_best()
        if self.goes_on:  # after a solution, with a lower limit on the objective: no new start
            self.goes_on = False
            self.rebuild("demand")
            return
        self.restarts += 1
        if self.hint is not None and self.restarts == 0:
            neighbourhood, space = self._moves_of(kind)
            self.hint_kept = hinted_start(
                self.x, self.compiled, space, neighbourhood, self.random, *self.hint,
                all_starts(neighbourhood, space),
            )  # fmt: skip
            self.rebuild()
            return
        self.begin(self.starts(kind))

    def begin(self, starts: Sequence[Start]) -> None:
        """Begin at random."""
        random_start(starts, self.x, self.compiled, self.space, self.random)
        self.rebuild()

    def rebuild(self, why: str = "restart") -> None:
        """Judge ``x`` afresh; ``why`` is the event of a trace, "" if that knows the state already."""
        raise NotImplementedError

    @property
    def summary(self) -> Mapping[str, int]:
        """How many constraints there are, by what judges them."""
        raise NotImplementedError

    def amount(self, x: IntArray) -> int:
        """Return by how much an assignment violates the constraints that no group keeps, in all."""
        raise NotImplementedError

    def go_to(self, x: IntArray) -> None:
        """Take an assignment that keeps all groups, instead of a start; also at the end of the run."""
        self.x[:] = x
        self.restarts = max(0, self.restarts)
        with to_the_end():
            self.rebuild("taken")

    def forget(self) -> None:
        """Know nothing of the current assignment: what was to judge it was broken off."""
        self.info[at.COST] = at.NEVER

    def starts(self, kind: str = "independent") -> Sequence[Start]:
        """Return what a random start of this kind is made of."""
        if kind not in self._starts:
            neighbourhood, space = self._moves_of(kind)
            self._starts[kind] = all_starts(neighbourhood, space, keeps_spare=space is self.space)
        return self._starts[kind]

    def _moves_of(self, kind: str) -> tuple[Neighbourhood, Space]:
        """Return the groups that starts of a kind keep."""
        if kind != "permutation" or self.neighbourhood.groups:
            return self.neighbourhood, self.space
        derived = self.compiled.once(derive)
        return derived, build_space(self.compiled, derived)

    def demand(self, limit: int) -> None:
        """Ask for an objective of at most ``limit``; the next start goes on from the current assignment."""
        self.objective_limit = limit
        self.improvements += 1
        self.goes_on = True

    def value_of(self, x: IntArray) -> int:
        """Return the value of the objective for an assignment."""
        raise NotImplementedError

    def look_aside(self) -> End | None:
        """Look aside, from the state of the demand; say how the search ends if it does."""
        if self.goes_on:
            self.start()
        return None if self.aside is None else self.aside.look(self)

    def keep_best(self) -> None:
        """Keep the current assignment if it is the best so far."""
        if self.restarts >= 0 and self.cost < self.info[at.SAVED]:
            self.info[at.SAVED] = self.cost
            self.best[:] = self.x

    def count_step(self) -> None:
        """Count a step that no kernel counts, such as a restart."""
        self.info[at.STEPS] += 1

    def result(self, reason: End) -> Result:
        """Return the outcome: the current assignment if solved, else the best one seen."""
        self.keep_best()
        solved = self.solved()
        x = self.x if solved else self.best
        cost = 0 if solved else int(self.info[at.SAVED])
        facts = {"neighbourhood": self.neighbourhood.report(), "layers": self.summary, **self.extra}
        return Result.of(self.info, x.copy(), cost, reason, max(0, self.restarts), facts)


class Search(Run):
    """A search by the general engine: its state, and the calls that strategies are made of.

    Parameters
    ----------
    compiled
        The model.
    seed
        Of the generator; together with the strategy and its parameters it fixes the trajectory.
    assignment_only
        Give up the derived swaps; every variable moves by assignment.
    measure
        ``surplus`` (terms minus distinct values) or ``pairs`` (equal pairs) for AllDifferents.
    audit
        ``final``, ``step`` (compare with a fresh computation after every call of a kernel) or ``full``
        (after every move).
    recorder
        Is shown states: all, for which kernels are called for single steps, or those after each slice.
    """

    def __init__(
        self,
        compiled: Compiled,
        seed: int = 0,
        limits: Limits | None = None,
        *,
        assignment_only: bool = False,
        measure: str = "surplus",
        audit: str = "final",
        recorder: Recorder | None = None,
        hint: Hint | None = None,
    ) -> None:
        super().__init__(compiled, assignment_only, hint)
        self.audit, self.form = audit, (assignment_only, measure)  # what its arrays depend on
        self.measure = {"surplus": 0, "pairs": 1}[measure]
        self.arrays = build_arrays(compiled, self.neighbourhood.kept)
        self.info, self.best, self.x = (
            self.arrays.part(arena.INFO),
            self.arrays.part(arena.BEST),
            self.arrays.core.x,
        )
        if recorder is not None and recorder.single:
            self.events = events_for(self.size)
        self.paces: dict[Any, Pace] = {}
        groups, spare = self.space.group_start, self.space.spare_start
        group = int((groups[1:] - groups[:-1]).max(initial=0))
        values = int((spare[1:] - spare[:-1]).max(initial=0))
        free = self.space.group < 0
        if free.any():
            values = max(values, int((self.space.upper - self.space.lower)[free].max()) + 1)
        self.moves = np.zeros(group + min(values, MOST_VALUES) + 1, dtype=np.int64)
        self.deltas = self.moves.copy()
        self.state = State(
            self.arrays.core, self.arrays.rows, self.arrays.deep,
            self.space, self.moves, self.deltas, self.tabu, self.events, self.random, self.measure,
        )  # fmt: skip
        self.fixed = Fixed(self.state)  # what kernels are called with
        self.scan = Fixed(np.zeros(FOUND, dtype=np.int64))  # where that of a climb stands
        self.renew(seed, limits, recorder)

    def renew(self, seed: int, limits: Limits | None = None, recorder: Recorder | None = None) -> None:
        """Begin another run, with all constraints."""
        super().renew(seed, limits, recorder)
        self.info[at.WORK] = _FIRST_WORK
        self.relaxed = np.zeros(0, dtype=np.int64)  # constraints that do not count yet
        self.reset_weights()

    @property
    def can_be_renewed(self) -> bool:
        """Whether all that a run has changed is set anew by `renew`."""
        asked = self.audit != "final" or self.is_stepwise or self.hint is not None
        return not asked and self.compiled.objective is None

    @cached_property
    def summary(self) -> Mapping[str, int]:
        """How many constraints there are, by layer."""
        return self.arrays.entries.summary()

    def amount(self, x: IntArray) -> int:
        """Return by how much an assignment violates the constraints that no group keeps, in all."""
        values = values_of_all(self.compiled, x)
        return sum(violation(entry, values) for entry in self.arrays.entries)

    def value_of(self, x: IntArray) -> int:
        """Return the value of the objective for an assignment."""
        assert self.compiled.objective is not None
        return int(evaluate(self.compiled.objective, values_of_all(self.compiled, x)).max())

    def begin(self, starts: Sequence[Start]) -> None:
        """Begin at random, in one call where one kernel can."""
        if len(starts) != 1 or not isinstance(starts[0], Fixed):
            super().begin(starts)
            return
        begin(starts[0], self.fixed)
        if self.observer is not None:
            self.observer.begun("restart")

    def go_to(self, x: IntArray) -> None:
        """Take an assignment, or the nearest one that keeps all groups, of which spare values follow."""
        where = self.compiled, self.space, self.neighbourhood, self.random
        hinted_start(self.x, *where, x, np.ones(self.size, dtype=bool), self.starts())
        super().go_to(self.x)

    def demand(self, limit: int) -> None:
        """Ask for an objective of at most ``limit``; the next start goes on from the current assignment."""
        change, parts, deep = self.objective_limit - limit, self.arrays.entries.parts, self.arrays.deep
        part = parts[-1]
        parts[-1] = replace(part, terms=below(part.terms, -change))
        self.arrays.part(arena.CONSTANTS)[part.numbers[~part.deep]] += change
        if deep is not None and part.deep.any():
            deep.constants[-part.deep.sum() :] += change
        super().demand(limit)

    def rebuild(self, why: str = "restart") -> None:
        """Compute the state afresh from ``x`` and begin a new descent.

        ``why`` is the event of a trace, "" if that knows the state already.
        """
        begin(NO_START, self.fixed)
        if self.observer is not None:
            self.observer.begun(why)

    def reset_weights(self) -> None:
        """Give weight 1 to every constraint (before a start), 0 to those that are relaxed."""
        self.arrays.part(arena.WEIGHT)[:] = 1
        self.arrays.part(arena.WEIGHT)[self.relaxed] = 0

    def relax_short_rows(self) -> None:
        """Leave the AllDifferents of few terms out until an assignment violates them.

        In a difference triangle the short rows are hardly ever violated when the long ones hold (in a
        Costas array never: Chang 1987), and every evaluation is cheaper without them.
        """
        rows = [part.entry(0) for part in self.arrays.entries.parts if part.layer == "rows"]
        longest = max((len(e.terms) for e in rows), default=0)
        self.relaxed = np.array([e.number for e in rows if 2 * len(e.terms) <= longest], dtype=np.int64)

    def tighten(self) -> bool:
        """Count the relaxed constraints that the assignment violates from now on; say if there are any."""
        if len(self.relaxed) == 0:
            return False
        violated = self.arrays.part(arena.ACTIVITY)[self.relaxed] > 0
        if not violated.any():
            return False
        self.arrays.part(arena.WEIGHT)[self.relaxed[violated]] = 1
        self.relaxed = self.relaxed[~violated]
        self.rebuild("demand")
        return True

    def _first_steps(self) -> int:
        """Return the steps of a kernel's first call, which may be plain: a step may look at all values."""
        spans = np.minimum(self.space.upper - self.space.lower, _FIRST_VALUES)
        return max(1, min(16, _FIRST_VALUES // max(1, int(spans.sum()))))

    def run(self, kernel: Callable[..., int], *arguments: Any, steps: int = at.NEVER) -> Paused:
        """Run ``kernel(steps, state, *arguments)`` in short calls; say how it ended.

        It ends as the kernel says, with ``budget`` after ``steps`` steps, or at a limit.
        """
        end = min(self.steps + steps, at.NEVER)
        pace = self.paces.get(kernel)
        if pace is None:
            pace = self.paces[kernel] = Pace(self._first_steps())
        while True:
            left = end - self.steps
            total = at.NEVER if self.limits.steps is None else self.limits.steps - self.steps
            if self.solved() and not self.tighten():
                return "solved"
            if total <= 0:
                return "step_limit"
            if left <= 0:
                return "budget"
            if self.aside is not None:
                if self.steps >= self.aside.after:
                    ended = self.aside.look(self)
                    if ended is not None:
                        return ended
                    continue
                left = min(left, self.aside.after - self.steps)
            if self.limits.should_stop():
                return "stopped"
            single = self.audit == "full" or self.is_stepwise
            size = 1 if single else max(1, min(pace.steps, left, total))
            self.info[at.WORK] = min(_WORK * pace.steps, at.MOST)
            code = pace.timed(lambda most: kernel(most, self.fixed, *arguments), size, unmade=at.BUDGET)
            if self.audit != "final":
                check_state(self.arrays, self.measure, self.events)
            if self.observer is not None:
                self.observer.stepped()
            if code == at.SOLVED:
                continue
            if code != at.BUDGET:
                return ENDINGS[code]


def final(ended: Paused) -> End:
    """Return how a search ended whose kernel never stalls and was given no number of steps.

    Raises
    ------
    ValueError
        If it has not ended: going on is up to the strategy.
    """
    if ended == "stalled" or ended == "budget":  # so written, mypy narrows the type
        raise ValueError(f"a search does not end with {ended!r}")
    return ended


ENDINGS: dict[int, Literal["stalled", "local_optimum", "plateau_limit"]] = {
    at.STALLED: "stalled",
    at.LOCAL_OPTIMUM: "local_optimum",
    at.PLATEAU_LIMIT: "plateau_limit",
}
