"""Solving a lowered problem with a strategy by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cpqueens.backends.local_search.problem import Ints, Problem
from cpqueens.backends.local_search.search import Limits, Result, Search, StrategyError
from cpqueens.backends.local_search.strategies import complete, get_strategy, gives_up_swaps


def solve_problem(
    problem: Problem,
    strategy: str = "auto",
    seed: int = 0,
    limits: Limits | None = None,
    *,
    audit: str = "final",
    trace: int = 0,
    hint: tuple[Ints, Ints] | None = None,
    neighbourhood: str = "derived",
    **options: Any,
) -> Result:
    """Search for an assignment without violation.

    Parameters
    ----------
    hint
        Values (variables,) and which of them count (bool); the first start is as near as possible.
    neighbourhood
        ``derived`` or ``assignment``: every variable moves by assignment.
    options
        The strategy's own, see its ``OPTIONS``.
    """
    limits = limits or Limits()
    module = get_strategy(strategy)
    unknown = sorted(set(options) - set(module.OPTIONS))
    if unknown:
        raise StrategyError(f"{strategy} has no option {unknown[0]!r}; it has {sorted(module.OPTIONS)}")
    plain = hint is None and audit == "final" and trace == 0 and neighbourhood == "derived"
    special = solve_special(problem, strategy, seed, limits, options) if plain else None
    if special is not None and special.reason != "stalled":
        return special
    if special is not None and limits.steps is not None:  # the steps of both count
        limits = replace(limits, steps=max(0, limits.steps - special.steps))
    filled = complete(module, options)
    search = Search(
        problem, seed, limits,
        assignment_only=gives_up_swaps(module, filled) or neighbourhood == "assignment",
        measure=filled.get("measure", "surplus"), audit=audit, trace=trace, hint=hint,
    )  # fmt: skip
    result = search.result(module.run(search, filled))
    result.statistics["strategy"] = strategy
    if special is not None:
        result.steps += special.steps
        result.statistics["steps"] = result.steps
    if search.hint_kept is not None:
        result.statistics["hint_kept"] = search.hint_kept
    result.events = search.events[: int(search.info[11])].copy()
    return result


def solve_special(
    problem: Problem, strategy: str, seed: int, limits: Limits, options: dict[str, Any]
) -> Result | None:
    """Solve ``problem`` by a kernel made for its pattern, if it has one and the strategy allows."""
    if strategy in ("auto", "sosic-gu-4"):
        from cpqueens.backends.local_search import sosic_gu_4
        from cpqueens.backends.local_search.units import find_units

        units = find_units(problem)
        if units is not None:
            filled = complete(sosic_gu_4, options)
            return _named(sosic_gu_4.solve_units(units, seed, limits, filled), "sosic-gu-4")
    if strategy in ("auto", "reversal"):
        from cpqueens.backends.local_search import reversal
        from cpqueens.backends.local_search.path import find_path

        order = find_path(problem)
        if order is not None:
            filled = complete(reversal, options)
            return _named(reversal.solve_path(order, int(problem.lower[0]), seed, limits, filled), "reversal")
    if strategy in ("auto", "exchange"):
        from cpqueens.backends.local_search import exchange
        from cpqueens.backends.local_search.sums import find_sums

        sums = find_sums(problem)
        if sums is not None:
            filled = complete(exchange, options)
            return _named(exchange.solve_sums(sums, seed, limits, filled), "exchange")
    return None


def _named(result: Result, strategy: str) -> Result:
    result.statistics["strategy"] = strategy
    return result
