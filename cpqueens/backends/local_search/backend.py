"""The backend `local-search`: from a request to a strategy's run and back."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Deliver, Ended, Feature, Order, Parameter, Request, Want

if TYPE_CHECKING:
    from cpqueens.backends.local_search.problem import Problem
    from cpqueens.backends.local_search.search import Limits, Result
    from cpqueens.language.statement import Statement

COMMON: Mapping[str, Parameter] = {
    "audit": Parameter(str, "final", "compare the state with a fresh computation", ("final", "step", "full")),
    "trace": Parameter(int, 0, "how many events to keep for the statistics"),
    "neighbourhood": Parameter(
        str, "derived", "swaps where the model allows, or not", ("derived", "assignment")
    ),
}

REASONS: Mapping[str, StopReason] = {
    "solved": StopReason.SOLUTION_LIMIT,
    "step_limit": StopReason.STEP_LIMIT,
    "local_optimum": StopReason.LOCAL_OPTIMUM,
    "plateau_limit": StopReason.PLATEAU_LIMIT,
    "gave_up": StopReason.GAVE_UP,
}


class LocalSearch:
    """Local search over swaps and assignments; it finds solutions and never proves anything."""

    name = "local-search"
    proves = False
    features = frozenset({Feature.OBJECTIVE, Feature.HINT, Feature.SEED, Feature.STEP_LIMIT})
    order = Order.ANY

    @cached_property
    def strategies(self) -> tuple[str, ...]:
        """Names of the strategies, the default first."""
        from cpqueens.backends.local_search.strategies import STRATEGIES

        return tuple(STRATEGIES)

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The options of all strategies, and those common to them."""
        from cpqueens.backends.local_search.strategies import STRATEGIES, get_strategy

        found = dict(COMMON)
        for name in STRATEGIES:
            for key, option in get_strategy(name).OPTIONS.items():
                found.setdefault(key, Parameter(option.type, option.default, option.meaning, option.choices))
        return found

    def run(self, model: Statement, request: Request, deliver: Deliver) -> Ended:
        """Search as asked and deliver what is found."""
        with request.clock.pause("compile"):  # the first import of Numba takes most of a second
            from cpqueens.backends.compile_time import compilation_booked
            from cpqueens.backends.local_search.running import run_request

        with compilation_booked(request.clock):
            return run_request(model, request, deliver)


def ended(result: Result, request: Request, objective: int | None, size: int) -> Ended:
    """Return how a run ended; the best assignment is `closest` if it is no solution."""
    statistics: dict[str, Any] = dict(result.statistics)
    reason = _reason(result, request)
    if result.reason == "step_limit" and reason is StopReason.GAVE_UP:
        statistics["gave_up"] = f"no limit was given, and {result.steps:,} steps were made"
    if result.events is not None and len(result.events):
        statistics["events"] = result.events.tolist()
    statistics["trajectory"] = result.trajectory
    closest = np.asarray(result.x[:size]) if result.cost > 0 else None
    return Ended(False, reason, objective, closest=closest, statistics=statistics)


def _reason(result: Result, request: Request) -> StopReason:
    """Return why a run ended. The steps that runs without any limit may make are nobody's limit."""
    if result.reason == "stopped":
        return request.why_stopped()
    if result.reason == "step_limit" and request.step_limit is None:
        return StopReason.GAVE_UP
    return REASONS[result.reason]


def default_steps(problem: Problem) -> int:
    """Return the step limit of a request without any limit: about 2 * 10**9 moves looked at."""
    widths = np.minimum(problem.upper - problem.lower + 1, 4096) if problem.size else np.ones(1)
    return int(min(20_000_000, max(100_000, 2_000_000_000 // max(1, int(widths.max())))))


def limits_of(request: Request, problem: Problem | None, size: int) -> Limits:
    """Return the limits of a request; a run without any gets a step limit."""
    from cpqueens.backends.local_search.search import Limits

    steps = request.step_limit
    if steps is None and request.clock.time_limit is None:
        steps = default_steps(problem) if problem is not None else 2_000_000 + 100 * size
    return Limits(steps, request.should_stop)


__all__ = ["COMMON", "REASONS", "LocalSearch", "Want", "default_steps", "ended", "limits_of"]
