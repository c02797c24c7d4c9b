"""Running the propagating search: batches, limits and statistics around the compiled kernel."""

import time
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cpqueens.backends.backtracking.memory import with_room
from cpqueens.backends.backtracking.objective import Bisection, open_bound
from cpqueens.backends.backtracking.orders import Branching, decide, refuse_wide, tree_search
from cpqueens.backends.backtracking.portfolio import CompetingSearch, Heard, Slices, drained
from cpqueens.backends.backtracking.watching import TreeObserver
from cpqueens.backends.base import Deliver, Ended, Request, StopReason, Want
from cpqueens.kernels.exact import branching as tree, domains as at
from cpqueens.kernels.exact.forward import ASKED, BATCH_FULL, CHOOSING, EXHAUSTED, PAUSED, TRAIL_FULL, search
from cpqueens.kernels.jit.tiers import Fixed
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled
from cpqueens.system.stopping import AT_ONCE, Pace, Stopped, doubled, stopping

_SMALL = 1 << 12
"""Words of the variables of a network of which some steps take no time, in plain form."""
_FIRST_BATCH, _LARGEST_BATCH = 64, 4096
_HALVINGS, _SPLITS = 65, 17  # of one variable, on one path; of one with listed values
NEAR = 4
"""A bound is near that leaves at most one of so many parts open."""
_UNSEEN = nullcontext()
_COUNTS = {
    "nodes": tree.NODES,
    "failures": tree.FAILURES,
    "restarts": tree.RESTARTS,
    "nogoods": tree.NOGOODS,
    "deepest": tree.DEEPEST,
}
"""What is counted, by its name in the statistics."""


class ForwardSearch(CompetingSearch):
    """One run of the strategies ``forward`` (propagation) and ``check`` (no look-ahead)."""

    def __init__(
        self,
        compiled: Compiled,
        network: tuple[at.Memory, int],
        request: Request,
        check_only: bool,
        facts: dict[str, Any],
        learning: bool = False,
        part: Sequence[int] | None = None,
        observer: TreeObserver | None = None,
        memory: at.Memory | None = None,
    ) -> None:
        start, row = network
        super().__init__(compiled, request, start, row)
        self.check_only, self.facts = check_only, facts
        self.learning, self.observer = learning, observer
        self.decided = range(compiled.decision_count) if part is None else part
        self._branching = Branching.of(request)
        self._nogoods = 0 if learning and self._branching.restarts else -1
        self.start = start
        with stopping(request.should_stop) if max(len(part) for part in start) > AT_ONCE else _UNSEEN:
            self.memory = self._network() if memory is None else memory
        self._prefer_earlier()
        self._number = 0 if request.profiling is None else request.profiling.follow(self)
        self.orders = self._orders()
        self.pace = Pace(1 if len(start.x) > _SMALL else 16)  # a first step propagates much, in plain form
        self.phases = self._branching.in_phases(self.decided, self.orders)
        self.tree = self._tree(1 if request.wants_few else _FIRST_BATCH)
        if self.tree.options[tree.ASKS]:
            refuse_wide(self.phases, self.start)
        self._fixed = Fixed(self.memory), Fixed(self.tree)
        self._asked_failures = self._turn_found = 1 << 62  # failures, solutions
        self.bisection: Bisection | None = None
        if request.want is Want.BEST and self._nogoods >= 0:  # then it may go back to its root
            self.bisection = Bisection(self._least)
            self.tree.state[tree.ASK_FOUND] = self.bisection.ask_found
        self._known, self._roots = 0, 1
        self._demand_limit()

    def propagates(self, runs: int = 1 << 62) -> bool:
        """Propagate at the root, before any decision; say whether something is left, or time is over.

        After so many runs of propagators it is left as it is: bounds may creep for ever.
        """
        search(self.memory, self.tree, 1)
        while not self.is_settled and self.work < runs and not self.request.should_stop():
            search(self.memory, self.tree, 1)
        return self._count(tree.PHASE) != tree.RETREAT

    @property
    def is_settled(self) -> bool:
        """Whether propagation is at its fixed point, or has refuted something."""
        return self._count(tree.PHASE) < tree.UNFINISHED

    def run(self, deliver: Deliver, heard: Heard = None) -> Ended:
        """Search to the end or to a stop."""
        return drained(self.slices(deliver), heard)

    def slices(self, deliver: Deliver) -> Slices:
        """Search to the end or to a stop, slice by slice."""
        flushed = time.monotonic()
        reason = self._limit()
        while reason is None:
            self._hear_of_others()
            answer = self._advance()
            only_turn = answer == ASKED and not self._is_asked()
            if self.is_turn_over and self._count(tree.STORED):  # before others find better ones
                reason = self._flush(deliver)
            if self.request.want is Want.BEST:
                self._learn_at_root()
            yield self._count(tree.FOUND)
            full = answer in (BATCH_FULL, EXHAUSTED, ASKED) or self.request.want is Want.BEST
            if self._count(tree.STORED) and (full or time.monotonic() - flushed > 0.05):
                reason = self._flush(deliver)
                flushed = time.monotonic()
            if answer in (EXHAUSTED, ASKED) and not only_turn and self._steer(answer == EXHAUSTED):
                return self._ended(exhausted=reason is None, reason=reason)
            reason = reason or self._limit()
        if reason is not StopReason.CALLBACK and self._count(tree.STORED):
            self._flush(deliver)
        return self._ended(exhausted=False, reason=reason)

    @property
    def is_turn_over(self) -> bool:
        """Whether it has failed, or found, as often as it may before others have their turn."""
        return self.failures >= self._turn_end or self.found >= self._turn_found

    def give_turn(self, failures: int, found: int | None = None) -> None:
        """Let it fail so often before the next turn of others: it comes back exactly then.

        Without an objective, which asks at solutions itself, it may also be after so many solutions.
        """
        self._turn_end = self.failures + failures
        self._ask_at(self._asked_failures)
        if found is not None:
            self._turn_found = self.found + found
            self.tree.state[tree.ASK_FOUND] = self._turn_found

    def go_on(self) -> None:
        """Let it search to its end, after turns by failures and solutions."""
        self._turn_end = self._turn_found = 1 << 62
        self.tree.state[tree.ASK_FOUND] = self._turn_found
        self._ask_at(self._asked_failures)

    @property
    def failures(self) -> int:
        """The dead ends so far."""
        return self._count(tree.FAILURES)

    @property
    def found(self) -> int:
        """The solutions so far."""
        return self._count(tree.FOUND)

    @property
    def progress(self) -> float:
        """What part of the tree is done, if all values of a variable have as much below them; no restarts."""
        left = self.tree.levels[: self._count(tree.DEPTH) + 1, tree.LEFT]
        return 1.0 - float(left.sum(dtype=np.float64)) / tree.WHOLE

    def is_near(self, least: int) -> bool:
        """Say whether a bound leaves little of what lies between the best objective and what is proved."""
        self._learn_best()
        return self._best is None or NEAR * (self._best - least) <= self._best - self._least

    def learn_bound(self, least: int) -> None:
        """Take a bound of the objective, minimised, that was proved elsewhere."""
        self._prove(least)
        if self.bisection is not None:
            self.bisection.least = max(self.bisection.least, least)

    def inherit(self, old: at.Memory) -> None:
        """Decide as a search of the same variables would: by their weights, and the values to try first."""
        for field in (at.WEIGHT, at.SAVED):
            self.memory.x[field : self.memory.stack[at.VARIABLES] : at.X_WIDTH] = old.x[
                field : old.stack[at.VARIABLES] : at.X_WIDTH
            ]
        self.memory.stack[at.BUMP] = old.stack[at.BUMP]

    def root_ends(self) -> tuple[IntArray, IntArray] | None:
        """Propagate at the root; return the bounds of the compiled variables, None if nothing is left."""
        if not self.propagates():
            return None
        x = self.memory.x[: self.compiled.variable_count * at.X_WIDTH].reshape(-1, at.X_WIDTH)
        return x[:, at.LOW].copy(), x[:, at.HIGH].copy()

    def _is_asked(self) -> bool:
        """Say whether it is time to demand another objective."""
        return self.found >= self._count(tree.ASK_FOUND) or self.failures >= self._asked_failures

    def _ask_at(self, failures: int) -> None:
        """Ask at so many failures what objective to demand; the kernel also comes back at the turn's end."""
        self._asked_failures = failures
        self.tree.state[tree.ASK_FAILURES] = min(failures, self._turn_end)

    def _count(self, place: int) -> int:
        return int(self.tree.state[place])

    @property
    def decisions(self) -> int:
        """The decisions so far, safe or not; a root is none."""
        return max(0, self._count(tree.NODES) + self._count(tree.FAILURES) - self._roots)

    def _advance(self) -> int:
        """Run the kernel for a slice of time, growing the trail where it asks for it."""
        steps = self.pace.steps if self.observer is None else 1
        if self.request.step_limit is not None:
            steps = min(steps, self.request.step_limit - self.decisions)
        memory, tree = self._arguments()
        profiling = self.request.profiling
        with _UNSEEN if profiling is None else profiling.running(self._number):
            answer = self.pace.timed(partial(search, memory, tree), steps, unmade=PAUSED)
        if answer == TRAIL_FULL:
            with suppress(Stopped), stopping(self.request.should_stop):  # then the trail stays full
                self.memory = self.memory._replace(stack=doubled(self.memory.stack))
        elif answer == CHOOSING:
            decide(self.phases, self.memory, self.tree)
        elif self.observer is not None:
            self.observer.show(self.decisions, self.memory, self.tree)
        return answer

    def _arguments(self) -> tuple[Fixed, Fixed]:
        """Return memory and tree as the kernel is called with them."""
        memory, tree = self._fixed
        if memory.value is not self.memory or tree.value is not self.tree:
            self._fixed = Fixed(self.memory), Fixed(self.tree)
        return self._fixed

    def _flush(self, deliver: Deliver) -> StopReason | None:
        """Deliver what is stored; where many are wanted, make room for more: up to a few thousand."""
        stored = self._count(tree.STORED)
        go_on = deliver(self.tree.solutions[:stored].copy())
        self.tree.state[tree.STORED] = 0
        capacity, width = self.tree.solutions.shape
        many = self.request.want is not Want.ONE and self.request.want is not Want.BEST
        if many and capacity < _LARGEST_BATCH and capacity * max(1, width) <= 1 << 22:
            wider = np.zeros((min(8 * capacity, _LARGEST_BATCH), width), dtype=np.int64)
            self.tree = self.tree._replace(solutions=wider)
        return None if go_on else StopReason.CALLBACK

    # ---- the objective ----------------------------------------------------------------------------

    def _learn_at_root(self) -> None:
        """Read a bound where nothing is decided, and only what is as good as demanded is not refuted."""
        if self._count(tree.DEPTH) == 0 and self._count(tree.PHASE) == tree.DESCEND:
            self._prove(self._at_least(self.memory))

    def _look_at_open(self) -> None:
        """Take the least objective of what is open; what is closed has nothing as good as demanded."""
        least = open_bound(self.memory, self.tree, self._at_least, self._least)
        if least is not None:
            self._prove(min(least, self._demanded(self.memory) + 1))

    def _steer(self, exhausted: bool) -> bool:
        """Say whether the search is at its end; else demand what is to be demanded next."""
        steering, state = self.bisection, self.tree.state
        self._learn_best()
        if steering is None or self._best is None:
            return exhausted
        before = self._demanded(self.memory)
        if steering.steer(self._best, self._known, self._count(tree.FAILURES), exhausted):
            return True
        self._prove(steering.least)
        demanded = self._best - 1 if steering.target is None else steering.target
        if exhausted or demanded > before:
            self._begin_anew()
        self._demand(demanded)
        self.tree.options[tree.NOGOOD] = self._nogoods if steering.target is None else -1
        state[tree.ASK_FOUND] = steering.ask_found
        self._ask_at(steering.ask_failures)
        return False

    def _learn_best(self) -> None:
        """Read the best value so far: every solution demands one that is better by 1."""
        if self.request.want is Want.BEST and self._count(tree.FOUND) > self._known:
            self._known = self._count(tree.FOUND)
            self._best = self._demanded(self.memory) + 1

    def _is_trying(self) -> bool:
        return self.bisection is not None and self.bisection.target is not None

    def known_best(self) -> int | None:
        """Return the best objective value that it knows of."""
        self._learn_best()
        return super().known_best()

    def known_bound(self) -> int | None:
        """Return what no solution is better than, as far as it has proved, or sees of what is open."""
        if self.request.want is Want.BEST:
            self._look_at_open()
        return super().known_bound()

    def _network(self) -> at.Memory:
        """Return a network of its own, as it is before the root."""
        return at.copied(self.start) if self._nogoods < 0 else with_room(self.start)

    def _begin_anew(self) -> None:
        """Go back to before the root was propagated, with all that was learned."""
        old, self.memory = self.memory, self._network()
        self.inherit(old)
        first, end = old.net[[at.ROWS, at.ROWS_END]]
        self.memory.net[first:end] = old.net[first:end]  # the nogoods
        self.memory.stack[at.RUNS] = old.stack[at.RUNS]
        counters = int(old.stack[at.PROFILE])
        if counters:
            self.memory.net[counters:] = old.net[counters:]
        state = self.tree.state
        state[[tree.DEPTH, tree.REFUTED, tree.LAST_CONFLICT]] = 0
        state[tree.PHASE] = tree.ROOT
        self._roots += 1

    # ---- settings and results -----------------------------------------------------------------------

    def _tree(self, capacity: int) -> tree.TreeSearch:
        request, count, trial = self.request, self.compiled.decision_count, tree.NO_TRIAL
        if self._nogoods >= 0:
            trial = self._branching.trial(request.want, bool(self.orders))
        return tree_search(
            count,
            phases=self.phases,
            check_only=self.check_only,
            objective=self.objective_row,
            keep=request.want is not Want.COUNT,
            learning=self.learning,
            nogoods=self._nogoods,
            lengths=self._branching.lengths if self._nogoods >= 0 else (),
            trial=trial,
            depth=self._depth(),
            capacity=capacity,
            after=request.after,
            seed=request.seed,
        )

    def _orders(self) -> list[int]:
        """Return the auxiliary variables that may be decided: the last of those that nogoods look at."""
        if self._nogoods < 0:
            return []
        first, end = self.start.net.item(at.START), self.start.net.item(at.END)
        if end - first == 2 * self.compiled.decision_count:
            return []
        looked_at = self.start.net[first:end:2] // at.X_WIDTH
        return [int(v) for v in looked_at[self.compiled.decision_count :]]

    def _depth(self) -> int:
        """Return how many levels there can be: one a variable, and more where variables are halved."""
        count = self.compiled.decision_count
        unlisted = np.count_nonzero(self.memory.x[at.FIRST : count * at.X_WIDTH : at.X_WIDTH] < 0)
        splits = _SPLITS * count if self._branching.halves_all else 0
        return count + 1 + len(self.orders) + _HALVINGS * int(unlisted) + splits

    def statistics(self) -> dict[str, Any]:
        """Return what it did, and what is known of it."""
        return self.facts | {
            "strategy": "check" if self.check_only else "forward",
            "decisions": self.decisions,
            "propagations": self.work,
            **{name: self._count(place) for name, place in _COUNTS.items()},
        }

    def _ended(self, exhausted: bool, reason: StopReason | None) -> Ended:
        ended = super()._ended(exhausted, reason)
        return ended if self.observer is None else replace(ended, trace=self.observer.recorder.trace())
