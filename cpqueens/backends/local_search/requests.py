"""What a request asks of local search whatever the strategy, and how a run of it ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from cpqueens.answers.outcome import StopReason
from cpqueens.answers.trace import Trace
from cpqueens.backends.base import PROFILE, TRACE, Ended, Parameter, Request
from cpqueens.kernels.local.info import NEVER

if TYPE_CHECKING:
    from cpqueens.backends.local_search.search import Limits, Result
    from cpqueens.language.statement import Statement


COMMON: Mapping[str, Parameter] = {
    "audit": Parameter(str, "final", "compare the state with a fresh computation", ("final", "step", "full")),
    "profile": PROFILE,
    "trace": TRACE,
    "neighbourhood": Parameter(
        str, "derived", "swaps where the model allows, or not", ("derived", "assignment")
    ),
}


REASONS: Mapping[str, StopReason] = {
    "solved": StopReason.SOLUTION_LIMIT,
    **{name: StopReason(name) for name in ("step_limit", "local_optimum", "plateau_limit", "gave_up")},
}


def ended(result: Result, request: Request, maximizing: bool, trace: Trace | None = None) -> Ended:
    """Return how a run ended; the best assignment is `closest` if it is no solution.

    There is none if the run was stopped before it had judged any.
    """
    statistics: dict[str, Any] = dict(result.statistics)
    reason = _reason(result, request)
    if result.reason == "step_limit" and reason is StopReason.GAVE_UP:
        statistics["gave_up"] = f"no limit was given, and {result.steps:,} steps were made"
    statistics["trajectory"] = result.trajectory
    closest = result.x if 0 < result.cost < NEVER else None
    objective = result.objective
    if objective is not None and maximizing:  # what was minimised is the negated one
        objective = -objective
    return Ended(False, reason, objective, closest=closest, statistics=statistics, trace=trace)


def _reason(result: Result, request: Request) -> StopReason:
    """Return why a run ended. The steps that runs without any limit may make are nobody's limit."""
    if result.reason == "stopped":
        return request.why_stopped()
    if result.reason == "step_limit" and request.step_limit is None:
        return StopReason.GAVE_UP
    return REASONS[result.reason]


def default_steps(model: Statement) -> int:
    """Return the step limit of a request without any limit: about 2 * 10**9 moves looked at."""
    widest = int((model.upper[model.decisions] - model.lower[model.decisions]).max(initial=0)) + 1
    return min(20_000_000, max(100_000, 2_000_000_000 // min(widest, 4096)))


def limits_of(
    request: Request, default: Callable[[], int], should_stop: Callable[[], bool] | None = None
) -> Limits:
    """Return the limits of a request; a run without any gets ``default()`` steps."""
    from cpqueens.backends.local_search.search import Limits

    steps = request.step_limit
    if steps is None and not request.clock.limited:
        steps = default()
    return Limits(steps, should_stop or request.should_stop)
