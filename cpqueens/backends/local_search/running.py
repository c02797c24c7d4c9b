"""Serving one request: patterns first, then the general engine, with or without an objective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.backends.base import Deliver, Ended, Request
from cpqueens.backends.local_search import sosic_gu_4
from cpqueens.backends.local_search.backend import COMMON, REASONS, ended, limits_of
from cpqueens.backends.local_search.bounds import node_bounds, term_interval
from cpqueens.backends.local_search.engine import solve_special
from cpqueens.backends.local_search.problem import Problem
from cpqueens.backends.local_search.search import Result, Search, StrategyError
from cpqueens.backends.local_search.strategies import (
    STRATEGIES,
    Strategy,
    complete,
    get_strategy,
    gives_up_swaps,
)
from cpqueens.backends.local_search.translate import to_problem, units_of
from cpqueens.compiled import compile_model
from cpqueens.errors import UnsupportedConstraint, UnsupportedRequest
from cpqueens.interrupts import Stopped, stopping_if_long
from cpqueens.outcome import StopReason

if TYPE_CHECKING:
    from cpqueens.model import Model


def run_request(model: Model, request: Request, deliver: Deliver) -> Ended:
    """Search as ``request`` says and deliver what is found; never exhaustive."""
    name = request.strategy or "auto"
    if name not in STRATEGIES:
        raise UnsupportedRequest(f"local-search has no strategy {name!r}; it has {', '.join(STRATEGIES)}")
    options = dict(request.parameters)
    common = {key: options.pop(key, p.default) for key, p in COMMON.items()}
    strategy = get_strategy(name)
    _refuse_unknown(name, strategy, options)
    plain = request.hint is None and all(common[key] == p.default for key, p in COMMON.items())
    try:
        if plain and name in ("auto", "sosic-gu-4"):
            units = units_of(model)
            if units is not None:
                limits = limits_of(request, None, units.size)
                filled = complete(sosic_gu_4, options)
                result = sosic_gu_4.solve_units(units, request.seed, limits, filled)
                result.statistics["strategy"] = "sosic-gu-4"
                return _finish(result, request, deliver, len(model.decisions))
        with stopping_if_long(request.should_stop, model.variable_count):
            problem = model.derived(
                "local search's problem", lambda: to_problem(compile_model(model, backend="local-search"))
            )
        if plain:
            special = solve_special(problem, name, request.seed, limits_of(request, problem, 0), options)
            if special is not None:
                return _finish(special, request, deliver, problem.size)
        return _general(
            problem, name, strategy, request, deliver, options, common, -1 if model.maximizing else 1
        )
    except OverflowError:  # bounds of defined variables, say of a product
        raise UnsupportedConstraint(
            "local-search: a term may leave 64 bits; narrow the domains or use solver='cpsat'"
        ) from None
    except Stopped:  # while the model was compiled
        return Ended(False, request.why_stopped(), statistics={"strategy": name, "steps": 0})
    except StrategyError as error:
        raise UnsupportedRequest(f"local-search:{name}: {error}") from None


def _refuse_unknown(name: str, strategy: Strategy, options: dict[str, Any]) -> None:
    unknown = sorted(set(options) - set(strategy.OPTIONS))
    if unknown:
        allowed = ", ".join(sorted(strategy.OPTIONS)) or "none of its own"
        raise UnsupportedRequest(f"local-search:{name} has no parameter {unknown[0]!r}; it has {allowed}")


def _finish(result: Result, request: Request, deliver: Deliver, size: int) -> Ended:
    if result.cost == 0:
        deliver(result.x[None, :size])
    return ended(result, _reason(result.reason, request), None, size)


def _reason(reason: str, request: Request) -> StopReason:
    return REASONS[reason] if reason in REASONS else request.why_stopped()


def _nothing_to_choose(search: Search) -> str:
    """Judge the only assignment of a model without variables; the kernels need one to move."""
    search.start()
    return "solved" if search.solved() else "local_optimum"


def _general(
    problem: Problem,
    name: str,
    strategy: Strategy,
    request: Request,
    deliver: Deliver,
    options: dict[str, Any],
    common: dict[str, Any],
    sense: int,
) -> Ended:
    """Search with the general engine; ``sense`` is -1 where the problem's objective is the negated one."""
    filled = complete(strategy, options)
    hint = None
    if request.hint is not None:
        hint = np.asarray(request.hint, dtype=np.int64), np.asarray(request.hinted, dtype=bool)
    with stopping_if_long(request.should_stop, len(problem.terms.constants)):
        search = Search(
            problem, request.seed, limits_of(request, problem, problem.size),
            assignment_only=gives_up_swaps(strategy, filled) or common["neighbourhood"] == "assignment",
            measure=filled.get("measure", "surplus"), audit=common["audit"], trace=common["trace"], hint=hint,
        )  # fmt: skip
    objective: int | None = None
    least = None
    if problem.objective is not None:
        least = term_interval(problem, problem.objective, node_bounds(problem))[0]
    incumbent = None
    while True:
        reason = strategy.run(search, filled) if problem.size else _nothing_to_choose(search)
        if reason != "solved":
            break
        incumbent = search.x.copy()
        go_on = deliver(incumbent[None, :])
        if problem.objective is None or not go_on:
            break
        objective = search.objective_value
        if objective <= (least if least is not None else objective):
            reason = "local_optimum"  # as good as the bounds of its terms allow; still no proof
            break
        if request.should_stop():  # improvements that take no step see no limit
            reason = "stopped"
            break
        search.demand(objective - 1)
    result = search.result(reason)
    result.statistics["strategy"] = name
    if problem.objective is not None:
        result.statistics["improvements"] = search.improvements
    if search.hint_kept is not None:
        result.statistics["hint_kept"] = search.hint_kept
    result.events = search.events[: int(search.info[11])].copy()
    if incumbent is not None:
        result.x, result.cost = incumbent, 0
    claimed = None if objective is None else sense * objective
    return ended(result, _reason(reason, request), claimed, problem.size)
