"""Serving one request: from a model to the engine, and from its result to what the pipeline reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.backends.base import Deliver, Ended, Request
from cpqueens.backends.local_search.engine import DEFAULTS, search_problem, try_special
from cpqueens.backends.local_search.requests import COMMON, ended, limits_of
from cpqueens.backends.local_search.search import Result, StrategyError
from cpqueens.backends.local_search.strategies import STRATEGIES
from cpqueens.backends.local_search.translate import to_problem, units_of
from cpqueens.errors import UnsupportedConstraint, UnsupportedRequest
from cpqueens.lowered.compiled import compile_model
from cpqueens.system.interrupts import Stopped, stopping_if_long

if TYPE_CHECKING:
    from cpqueens.language.statement import Statement


def run_request(model: Statement, request: Request, deliver: Deliver) -> Ended:
    """Search as ``request`` says and deliver what is found; never exhaustive."""
    name = request.strategy or "auto"
    if name not in STRATEGIES:
        raise UnsupportedRequest(f"local-search has no strategy {name!r}; it has {', '.join(STRATEGIES)}")
    options = dict(request.parameters)
    common = {key: options.pop(key, p.default) for key, p in COMMON.items()}
    try:
        return _run(model, name, options, common, request, deliver)
    except OverflowError:  # bounds of defined variables, say of a product
        raise UnsupportedConstraint(
            "local-search: a term may leave 64 bits; narrow the domains or use solver='cpsat'"
        ) from None
    except Stopped:  # while the model was compiled
        return Ended(False, request.why_stopped(), statistics={"strategy": name, "steps": 0})
    except StrategyError as error:
        raise UnsupportedRequest(f"local-search:{name}: {error}") from None


def _run(
    model: Statement,
    name: str,
    options: dict[str, Any],
    common: dict[str, Any],
    request: Request,
    deliver: Deliver,
) -> Ended:
    began = request.clock.elapsed()  # without compilation
    tried: Result | None = None
    if request.hint is None and common == DEFAULTS and name in ("auto", "sosic-gu-4"):
        tried = _at_once(model, name, options, request)
        if tried is not None and tried.reason != "stalled":
            if tried.cost == 0:
                deliver(tried.x[None, : len(model.decisions)])
            return ended(tried, request, None, len(model.decisions))
        began = request.clock.elapsed() if tried is not None else began
    with stopping_if_long(request.should_stop, model.variable_count):
        problem = model.kept(
            "local search's problem", lambda: to_problem(compile_model(model, backend="local-search"))
        )
    translated = request.clock.elapsed() - began
    hint = None
    if request.hint is not None:
        hint = np.asarray(request.hint, dtype=np.int64), np.asarray(request.hinted, dtype=bool)
    limits = limits_of(request, problem, problem.size)
    result = search_problem(
        problem, name, request.seed, limits, options, deliver, common=common, hint=hint, tried=tried
    )
    result.statistics["translate_time"] = translated + result.statistics.get("translate_time", 0.0)
    sign = -1 if model.maximizing else 1  # the problem's objective is the negated one
    objective = None if result.objective is None else sign * result.objective
    return ended(result, request, objective, problem.size)


def _at_once(model: Statement, name: str, options: dict[str, Any], request: Request) -> Result | None:
    """Try the kernel for queens without compiling the model, which takes most memory on large boards."""
    began = request.clock.elapsed()
    units = units_of(model)
    if units is None:
        return None
    translated = request.clock.elapsed() - began
    limits = limits_of(request, None, units.size)
    result = try_special("sosic-gu-4", units, units.size, name, request.seed, limits, options)
    result.statistics["translate_time"] = translated
    return result
