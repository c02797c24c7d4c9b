"""Las Vegas search as a backend: random safe values, backtracking below them, new starts after failures.

It is never wrong, but a single attempt may fail.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from cpqueens.answers.quality import Z95, wilson_interval
from cpqueens.answers.trace import TraceRecorder
from cpqueens.backends.backtracking.orders import tree_search
from cpqueens.backends.base import TRACE, Deliver, Ended, Feature, Many, Order, Parameter, Request, StopReason
from cpqueens.errors import ModelError, UnsupportedRequest
from cpqueens.kernels.boards import las_vegas as codes
from cpqueens.kernels.boards.pattern import Pattern
from cpqueens.kernels.boards.tables import masks_of
from cpqueens.kernels.exact.branching import DEPTH, NODES
from cpqueens.kernels.exact.domains import copied
from cpqueens.kernels.jit.random import seed_state
from cpqueens.kernels.jit.tiers import Fixed
from cpqueens.kernels.local.start import STEPS, make_lot
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.lowered.compiled import Compiled
from cpqueens.lowered.forms import BOARD, compiled_of
from cpqueens.lowered.structures.table import find
from cpqueens.system.stopping import Pace, Stopped, doubled, stopping

_ANY_NUMBER = 2**62
_DEFAULT_NODES = 100_000_000
"""Nodes of a run without any limit: a model without solutions would keep it for ever."""


class LasVegas:
    """Las Vegas search: random safe values first, backtracking below them, and a new start after a failure.

    The variables are placed in the order of their creation: the first ``stop_vegas`` of them each take one of
    their safe values, uniformly at random, the others are placed by chronological backtracking (strategy
    ``backtracking:check``) to the first solution or to failure, and after a failure all begins afresh. Steps
    are nodes: the root of each attempt and every safe placement. It never proves anything.

    Source: Deng Hongtao and Zhu Xun on Las Vegas optimisation of the N-queens problem, Journal of Jianghan
    University (Natural Sciences) 34(4), 2006, after Brassard and Bratley, "Fundamentals of Algorithmics",
    1996. Their code restarts only the random part; cpqueens restarts everything.
    """

    name = "las-vegas"
    proves = False
    features = frozenset({Feature.SEED, Feature.STEP_LIMIT})
    order = Order.ANY
    strategies: tuple[str, ...] = ()
    parameters: Mapping[str, Parameter] = {
        "stop_vegas": Parameter(int, None, "how many variables are placed at random; by default all"),
        "attempts": Parameter(
            int, None, "attempts, for the estimates; then the first solution is returned", limits=(1, 2**40)
        ),
        "trace": TRACE,
    }

    def can_express(self, model: Statement) -> bool:
        """Say whether every constraint can be expressed (raises if not)."""
        self._compiled(model)
        return True

    def run(self, model: Statement, request: Request, deliver: Deliver) -> Ended:
        """Make attempts until the first solution, or as many as asked for."""
        started = time.monotonic()
        request.clock.measure()
        random = _placed(model, request)
        try:
            with stopping(request.should_stop):
                compiled = self._compiled(model)
                facts = {"translate_time": time.monotonic() - started, "constraints": compiled.how}
                attempts = _attempts(model, compiled, random, request.seed)
        except Stopped:
            return Ended(False, request.why_stopped())
        recorder = request.recorder(model)
        if recorder is not None:
            attempts.record(recorder)
        ended = _Run(attempts, random, request.parameters.get("attempts"), request, facts).to_the_end(deliver)
        return ended if recorder is None else replace(ended, trace=recorder.trace())

    def run_many(self, model: Statement, request: Request, seeds: IntArray) -> Many | None:
        """Make a run for each seed, each to its first success, if the model has a pattern."""
        random = _placed(model, request)
        if random == 0 or request.parameters.get("attempts") is not None:
            return None
        pattern = _pattern_of(self._compiled(model))
        if pattern is None:
            return None
        return pattern_many(pattern, random, request, seeds)

    def _compiled(self, model: Statement) -> Compiled:
        return compiled_of(model, BOARD, self.name)


def _attempts(model: Statement, compiled: Compiled, random: int, seed: int) -> Attempts:
    """Return attempts with the kernel that fits the model."""
    pattern = _pattern_of(compiled)
    if pattern is None:
        return _AnyAttempts(model, compiled, random, seed)
    return _PatternAttempts(pattern, random, seed)


def _pattern_of(compiled: Compiled) -> Pattern | None:
    """Return the board that a model is, if there are tables of its lines."""
    pattern = find("shifted_board", compiled)
    return pattern if pattern is not None and pattern.has_table else None


def _placed(model: Statement, request: Request) -> int:
    """Return how many variables are placed at random, by default all."""
    most = len(model.decisions)
    value: int = request.parameters.get("stop_vegas", most)
    if not 0 <= value <= most:
        raise ModelError(f"stop_vegas: an integer from 0 to {most} is needed, got {value}")
    return value


class Attempts(Protocol):
    """A sequence of attempts on one model: a tally (see `kernels.boards.las_vegas`) and a way to go on."""

    tally: IntArray
    stepped: Callable[[bool], None] | None = None
    hopeless: bool = False
    """Whether it is known already that no attempt can succeed."""

    def record(self, recorder: TraceRecorder) -> None:
        """Show a recorder all that follows, for which `advance` is called for single steps."""

    def advance(self, steps: int, most: int, limit: int) -> IntArray | None:
        """Go on for ``steps`` steps, to attempt ``most`` or to ``limit`` nodes; return a solution."""

    @property
    def open_nodes(self) -> int:
        """The nodes of the attempt under way."""

    def nodes(self) -> int:
        """Return the nodes of all attempts."""
        return int(self.tally[codes.SUCCESS_NODES] + self.tally[codes.FAILURE_NODES]) + self.open_nodes


class _PatternAttempts(Attempts):
    """Attempts on a recognised pattern."""

    def __init__(self, pattern: Pattern, random: int, seed: int) -> None:
        self._base, self._random = pattern.base, random
        self.tally, state, x = (
            np.zeros(size, dtype=np.int64) for size in (codes.TALLIES, codes.STATES, pattern.n)
        )
        masks, state[codes.ROW], generator = masks_of(pattern), -1, seed_state(seed)
        self.placing = codes.RowAttempt(*masks, x, state, generator, self.tally)

    def record(self, recorder: TraceRecorder) -> None:
        from cpqueens.backends.backtracking.watching import PathObserver

        path = PathObserver(recorder, len(self.placing.x), self._base)
        x, state, seen = self.placing.x, self.placing.state, {"attempts": 0, "successes": 0}

        def stepped(success: bool) -> None:
            made = int(self.tally[codes.ATTEMPTS])
            if seen["successes"]:
                path.show(self.nodes(), [], afresh=True)
            placed = x if success else x[: max(0, int(state[codes.ROW]))]
            path.show(self.nodes(), placed.tolist(), success)
            if made > seen["attempts"] and not success:
                recorder.show("restart", self.nodes(), path.values)
            seen.update(attempts=made, successes=int(success))

        self.stepped = stepped

    def advance(self, steps: int, most: int, limit: int) -> IntArray | None:
        answer = codes.attempt_pattern(self.placing, self._random, most, limit, steps)
        return self.placing.x + self._base if answer == codes.SUCCESS else None

    @property
    def open_nodes(self) -> int:
        state = self.placing.state
        return int(state[codes.ROW_NODES]) if state[codes.ROW] >= 0 else 0


def pattern_many(pattern: Pattern, random: int, request: Request, seeds: IntArray) -> Many:
    """Make a run for each seed with `_PatternAttempts`."""
    from cpqueens.backends.together import Together, drive, ended

    attempts = _PatternAttempts(pattern, random, 0)
    unlimited = request.step_limit is None and not request.clock.limited
    lot = make_lot(seeds, pattern.n, _DEFAULT_NODES if unlimited else request.step_limit)
    tallies = np.zeros((len(seeds), codes.TALLIES), dtype=np.int64)
    counts = {
        "attempts": tallies[:, codes.ATTEMPTS],
        "successes": tallies[:, codes.SUCCESSES],
        "nodes_of_successes": tallies[:, codes.SUCCESS_NODES],
        "nodes_of_failures": tallies[:, codes.FAILURE_NODES],
    }
    state, arguments = Fixed(attempts.placing), (random, tallies)
    together = Together(codes.pattern_runs, state, arguments, attempts.nodes, {"nodes": STEPS}, counts)
    seconds = drive(together, lot, request)
    np.add(lot.x, pattern.base, out=lot.x)
    return ended(together, lot, seconds, request)


class _AnyAttempts(Attempts):
    """Attempts on any model, each placement tested by propagation without look-ahead."""

    def __init__(self, model: Statement, compiled: Compiled, random: int, seed: int) -> None:
        from cpqueens.backends.backtracking.memory import LISTED, build_memory

        count = compiled.decision_count
        spans = compiled.upper[:random] - compiled.lower[:random] + 1
        if random and int(spans.max()) > LISTED:
            raise UnsupportedRequest(
                f"las-vegas tests every value of a variable placed at random, at most {LISTED}; one of the "
                f"first {random} spans {int(spans.max())}: narrow it or lower stop_vegas"
            )
        self._count = count
        start, _ = model.kept("network of attempts", lambda: build_memory(compiled, check_only=True))
        self._memory = copied(start)
        self._search = tree_search(count, check_only=True, seed=seed)
        self._own = np.zeros(codes.OWN, dtype=np.int64)
        self._own[codes.RANDOM_VARIABLES] = random
        self.tally = np.zeros(codes.TALLIES, dtype=np.int64)

    def record(self, recorder: TraceRecorder) -> None:
        from cpqueens.backends.backtracking.watching import TreeObserver

        tree, seen = TreeObserver(recorder, self._count, check_only=True), [0]

        def stepped(success: bool) -> None:
            made = int(self.tally[codes.ATTEMPTS])
            if success:
                recorder.show("solution", self.nodes(), self._search.solutions[0])
            else:
                tree.show(self.nodes(), self._memory, self._search, afresh=made > seen[0])
            seen[0] = made

        self.stepped = stepped

    def advance(self, steps: int, most: int, limit: int) -> IntArray | None:
        answer = codes.attempt_any(self._memory, self._search, self._own, self.tally, most, limit, steps)
        if answer == codes.TRAIL_FULL:
            self._memory = self._memory._replace(stack=doubled(self._memory.stack))
        self.hopeless = answer == codes.NO_ROOT
        return self._search.solutions[0] if answer == codes.SUCCESS else None

    @property
    def open_nodes(self) -> int:
        return int(self._search.state[NODES]) if self._search.state[DEPTH] else 0


class _Run:
    """Attempts under the limits of a request."""

    def __init__(
        self, attempts: Attempts, random: int, asked: int | None, request: Request, facts: dict[str, Any]
    ) -> None:
        self.attempts, self.random, self.asked = attempts, random, asked
        self.request, self.facts = request, facts
        self.first: IntArray | None = None
        self.found_after: float | None = None  # delivered only when all attempts are made
        unlimited = asked is None and not request.clock.limited
        self.most = request.step_limit or (_DEFAULT_NODES if unlimited else None)
        self.pace = Pace(128 if isinstance(attempts, _PatternAttempts) else 16)  # a millisecond in plain form

    def to_the_end(self, deliver: Deliver) -> Ended:
        """Run until enough is known or a limit is reached; deliver the first solution."""
        reason = None
        while reason is None:
            reason = self._enough() or self._limit()
            if reason is None:
                self._advance()
        if self.first is not None:
            deliver(self.first[None, :])
        exhausted = reason is StopReason.EXHAUSTED
        statistics = self._statistics()
        if reason is StopReason.GAVE_UP:
            statistics["gave_up"] = f"no limit was given, and {self.attempts.nodes():,} nodes were made"
        return Ended(exhausted, reason, statistics=statistics)

    def _limit(self) -> StopReason | None:
        if self.request.should_stop():
            return self.request.why_stopped()
        if self.most is not None and self.attempts.nodes() >= self.most:
            return StopReason.STEP_LIMIT if self.request.step_limit else StopReason.GAVE_UP
        return None

    def _enough(self) -> StopReason | None:
        """Return why no further attempt is needed; with nothing at random, one failure says it all."""

        made, successes = int(self.attempts.tally[codes.ATTEMPTS]), int(self.attempts.tally[codes.SUCCESSES])
        if self.attempts.hopeless or (self.random == 0 and made > successes):
            return StopReason.EXHAUSTED
        enough = successes > 0 if self.asked is None else made >= self.asked
        return StopReason.SOLUTION_LIMIT if enough else None

    def _advance(self) -> None:
        """Run the kernel for a slice of time."""
        stepped = self.attempts.stepped
        steps = self.pace.steps if stepped is None else 1
        most = self.asked or (_ANY_NUMBER if self.random else 1)
        limit = _ANY_NUMBER if self.most is None else self.most
        solution = self.pace.timed(
            lambda steps: self.attempts.advance(steps, most, limit),
            steps,
            unmade=None,
            paused=lambda solution: solution is None,
        )
        if stepped is not None:
            stepped(solution is not None)
        if solution is not None and self.first is None:
            self.first, self.found_after = solution.copy(), self.request.clock.elapsed()

    def _statistics(self) -> dict[str, Any]:
        estimates = Estimates(*self.attempts.tally.tolist())
        return self.facts | {
            "first_solution_time": self.found_after,
            "stop_vegas": self.random,
            "nodes": self.attempts.nodes(),
            "attempts": estimates.attempts,
            "successes": estimates.successes,
            "nodes_of_successes": estimates.success_nodes,
            "nodes_of_failures": estimates.failure_nodes,
            "estimates": estimates.as_dict(),
        }


# ---- estimates -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Estimate:
    """A value with the interval that covers the expectation 95 times in 100; None where nothing is known."""

    value: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class Estimates:
    """Finished attempts, as kernels tally them, with sums of their nodes and of the squares of these."""

    attempts: int
    successes: int
    success_nodes: int
    success_squares: int
    failure_nodes: int
    failure_squares: int

    @property
    def failures(self) -> int:
        """Number of failed attempts."""
        return self.attempts - self.successes

    @property
    def p(self) -> Estimate:
        """The probability that an attempt succeeds, with its Wilson interval."""
        if not self.attempts:
            return Estimate(None, None)
        return Estimate(self.successes / self.attempts, wilson_interval(self.successes, self.attempts))

    @property
    def s(self) -> Estimate:
        """The mean nodes of a success."""
        return _mean(self.successes, self.success_nodes, self.success_squares)

    @property
    def e(self) -> Estimate:
        """The mean nodes of a failure."""
        return _mean(self.failures, self.failure_nodes, self.failure_squares)

    @property
    def t(self) -> Estimate:
        """The nodes until the first success, s + (1 - p) e / p, which is all nodes over all successes.

        Its interval is that of a ratio estimator: the variance of nodes - t * success, over all attempts.
        """
        if not self.successes:
            return Estimate(None, None)
        nodes, squares = self.success_nodes + self.failure_nodes, self.success_squares + self.failure_squares
        t = nodes / self.successes
        residual = squares - 2 * t * self.success_nodes + t * t * self.successes
        if self.attempts < 2:
            return Estimate(t, None)
        deviation = math.sqrt(max(0.0, residual) / (self.attempts - 1) * self.attempts) / self.successes
        return Estimate(t, (t - Z95 * deviation, t + Z95 * deviation))

    def as_dict(self) -> dict[str, Any]:
        """Return ``{name: {"value", "interval"}}`` for p, s, e and t."""
        named = {"p": self.p, "s": self.s, "e": self.e, "t": self.t}
        return {k: {"value": v.value, "interval": v.interval} for k, v in named.items()}


def _mean(number: int, total: int, squares: int) -> Estimate:
    if number == 0:
        return Estimate(None, None)
    mean = total / number
    if number < 2:
        return Estimate(mean, None)
    variance = max(0.0, squares - total * mean) / (number - 1)
    spread = Z95 * math.sqrt(variance / number)
    return Estimate(mean, (mean - spread, mean + spread))
