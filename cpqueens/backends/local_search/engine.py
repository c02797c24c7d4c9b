"""Solving a lowered problem: by a kernel made for its pattern first, then by the general engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cpqueens.backends.base import Deliver
from cpqueens.backends.local_search import exchange, reversal, sosic_gu_4
from cpqueens.backends.local_search.bounds import node_bounds, term_interval
from cpqueens.backends.local_search.meaning import node_values, violation
from cpqueens.backends.local_search.path import find_path
from cpqueens.backends.local_search.problem import Ints, Problem
from cpqueens.backends.local_search.requests import COMMON
from cpqueens.backends.local_search.search import End, Limits, Result, Search, StrategyError
from cpqueens.backends.local_search.strategies import Strategy, complete, get_strategy, gives_up_swaps
from cpqueens.backends.local_search.sums import find_sums
from cpqueens.backends.local_search.units import find_units
from cpqueens.system.interrupts import stopping_if_long

Hint = tuple[Ints, Ints]
Pattern = Any  # what a kernel's ``find`` returns

DEFAULTS = {name: parameter.default for name, parameter in COMMON.items()}


@dataclass(frozen=True)
class Special:
    """A kernel made for one pattern, under the name of its strategy; ``auto`` lets it try first.

    Attributes
    ----------
    solve
        Called with the pattern, seed, limits and the strategy's options.
    share
        Steps for so many variables after which ``auto`` goes on with the general engine: a hundred times
        those that solutions were ever seen to take. `exchange` has a rule of its own, its ``starts``.
    """

    strategy: Strategy
    find: Callable[[Problem], Pattern | None]
    solve: Callable[[Pattern, int, Limits, Mapping[str, Any]], Result]
    share: Callable[[int], int] | None = None


def _find_path(problem: Problem) -> tuple[Ints, int] | None:
    order = find_path(problem)
    return None if order is None else (order, int(problem.lower[0]))


SPECIALS: Mapping[str, Special] = {
    "sosic-gu-4": Special(sosic_gu_4, find_units, sosic_gu_4.solve_units, lambda n: 100_000 + 1000 * n),
    "reversal": Special(
        reversal, _find_path, lambda found, *how: reversal.solve_path(*found, *how),
        lambda n: 1_000_000 + 1000 * n,
    ),
    "exchange": Special(exchange, find_sums, exchange.solve_sums),
}  # fmt: skip


def search_problem(
    problem: Problem,
    name: str,
    seed: int,
    limits: Limits,
    options: Mapping[str, Any],
    deliver: Deliver,
    *,
    common: Mapping[str, Any] = DEFAULTS,
    hint: Hint | None = None,
    tried: Result | None = None,
) -> Result:
    """Search for assignments without violation, ever better ones where there is an objective.

    Parameters
    ----------
    options
        The strategy's own, see its ``PARAMETERS``.
    deliver
        Takes what is found, (1, variables), and says whether to go on where there is an objective.
    common
        The options that all strategies have, see `COMMON`.
    hint
        Values (variables,) and which of them count (bool); the first start is as near as possible.
    tried
        What a special kernel ended with that was run before: it gave up.
    """
    if tried is None and hint is None and common == DEFAULTS:
        tried = try_specials(problem, name, seed, limits, options)
    if tried is not None and tried.reason != "stalled":
        if tried.cost == 0:
            deliver(tried.x[None, :])
        return tried
    if tried is not None and limits.steps is not None:  # the steps of both count
        limits = replace(limits, steps=max(0, limits.steps - tried.steps))
    result = _general(problem, name, seed, limits, options, deliver, common, hint)
    return result if tried is None else _joined(problem, tried, result)


def solve_problem(
    problem: Problem,
    strategy: str = "auto",
    seed: int = 0,
    limits: Limits | None = None,
    *,
    hint: Hint | None = None,
    **options: Any,
) -> Result:
    """Search for one assignment without violation; ``options`` are the strategy's own and the common ones."""
    common = {name: options.pop(name, default) for name, default in DEFAULTS.items()}
    unknown = sorted(set(options) - set(get_strategy(strategy).PARAMETERS))
    if unknown:
        raise StrategyError(
            f"{strategy} has no option {unknown[0]!r}; it has {sorted(get_strategy(strategy).PARAMETERS)}"
        )
    return search_problem(
        problem, strategy, seed, limits or Limits(), options, lambda batch: False, common=common, hint=hint
    )


def try_specials(
    problem: Problem, name: str, seed: int, limits: Limits, options: Mapping[str, Any]
) -> Result | None:
    """Run the kernel made for the problem's pattern, if it has one and the strategy allows."""
    for special in SPECIALS:
        if name in ("auto", special):
            pattern = SPECIALS[special].find(problem)
            if pattern is not None:
                return try_special(special, pattern, problem.size, name, seed, limits, options)
    return None


def try_special(
    special: str,
    pattern: Pattern,
    size: int,
    name: str,
    seed: int,
    limits: Limits,
    options: Mapping[str, Any],
) -> Result:
    """Run a kernel on the pattern found, for its share if it is not the strategy asked for.

    The reason is ``stalled`` if the general engine is to go on.
    """
    kernel = SPECIALS[special]
    share = None if kernel.share is None or name == special else kernel.share(size)
    curtailed = share is not None and (limits.steps is None or share < limits.steps)
    given = replace(limits, steps=share) if curtailed else limits
    result = kernel.solve(pattern, seed, given, complete(kernel.strategy, options))
    if curtailed and result.reason == "step_limit":
        result.reason = "stalled"
    result.statistics |= {"strategy": special, "special": special}
    return result


def _joined(problem: Problem, special: Result, general: Result) -> Result:
    """Return the general engine's result with the work of the special kernel before it."""
    both, mine = general.statistics, special.statistics
    for name in ("steps", "evaluations", "moves", "restarts", "resets"):
        both[name] += mine[name]
    both["restarts"] += 1
    both |= {"special": mine["special"], "special_steps": special.steps}
    general.steps += special.steps
    if general.cost > 0 and _amount(problem, special.x) < _amount(problem, general.x):
        general.x = special.x
    return general


def _amount(problem: Problem, x: Ints) -> int:
    """Return by how much an assignment violates the constraints in all."""
    values = node_values(problem, x)
    return sum(violation(constraint, problem, values) for constraint in problem.constraints)


def _general(
    problem: Problem,
    name: str,
    seed: int,
    limits: Limits,
    options: Mapping[str, Any],
    deliver: Deliver,
    common: Mapping[str, Any],
    hint: Hint | None,
) -> Result:
    """Search with the general engine."""
    strategy: Strategy = get_strategy(name)
    filled = complete(strategy, options)
    began = time.monotonic()
    with stopping_if_long(limits.should_stop, len(problem.terms.constants)):
        search = Search(
            problem, seed, limits,
            assignment_only=gives_up_swaps(strategy, filled) or common["neighbourhood"] == "assignment",
            measure=filled.get("measure", "surplus"), audit=common["audit"], trace=common["trace"], hint=hint,
        )  # fmt: skip
    built = time.monotonic() - began
    reason, incumbent = _improve(search, strategy, filled, deliver)
    result = search.result(reason)
    result.statistics = {"strategy": name, "translate_time": built, **result.statistics}
    if problem.objective is not None:
        result.statistics["improvements"] = search.improvements
    if search.hint_kept is not None:
        result.statistics["hint_kept"] = search.hint_kept
    result.events = search.events[: int(search.info[11])].copy()
    if incumbent is not None:
        result.x, result.cost = incumbent, 0
        result.objective = None if problem.objective is None else search.value_of(incumbent)
    return result


def _improve(
    search: Search, strategy: Strategy, options: Mapping[str, Any], deliver: Deliver
) -> tuple[End, Ints | None]:
    """Search until a solution is enough or the strategy ends; return why, and the last solution."""
    problem, incumbent = search.problem, None
    least = None
    if problem.objective is not None:
        least = term_interval(problem, problem.objective, node_bounds(problem))[0]
    while True:
        reason = strategy.run(search, options) if problem.size else _nothing_to_choose(search)
        if reason != "solved":
            return reason, incumbent
        incumbent = search.x.copy()
        if not deliver(incumbent[None, :]) or least is None:
            return reason, incumbent
        objective = search.value_of(incumbent)
        if objective <= least:
            search.extra["gave_up"] = "no better objective is possible within the bounds of its terms"
            return "gave_up", incumbent  # and yet no proof
        if search.limits.should_stop():  # improvements that take no step see no limit
            return "stopped", incumbent
        search.demand(objective - 1)


def _nothing_to_choose(search: Search) -> End:
    """Judge the only assignment of a model without variables; the kernels need one to move."""
    search.start()
    if search.solved():
        return "solved"
    search.extra["gave_up"] = "there is no variable to choose a value for"
    return "gave_up"
