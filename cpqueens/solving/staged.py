"""What takes several runs: it is seen in the options or the model, refused where a solver cannot, and run."""

from collections.abc import Mapping
from typing import Any

from cpqueens.answers.check import Checker
from cpqueens.answers.outcome import Outcome
from cpqueens.backends import named
from cpqueens.backends.base import Backend, Clock, Feature, Want
from cpqueens.errors import ModelError, UnsupportedRequest
from cpqueens.language.statement import Statement
from cpqueens.solving.assumptions import under_assumptions
from cpqueens.solving.collect import Consumer
from cpqueens.solving.request import as_gap, build_request, choose, positive_integer, positive_seconds
from cpqueens.solving.stages import Ask, Stages, all_within, in_order, k_best
from cpqueens.system.interrupts import Interrupt
from cpqueens.text.parameters import as_switch

OF_OPTIMA = frozenset({"optimal", "gap", "best"})
"""Options that ask for the best solutions alone."""


def staged(
    model: Statement,
    solver: str | Backend,
    want: Want,
    consumer: Consumer | None,
    options: Mapping[str, Any],
    ask: Ask,
    keep: bool,
    look_ahead: bool,
) -> Outcome | None:
    """Run what takes several runs, each by ``ask``; None if one is enough.

    Raises
    ------
    UnsupportedRequest
        If the solver lacks a feature that one of them needs, before any is begun.
    """
    if options.get("assumptions") is not None:
        plain = {name: value for name, value in options.items() if name != "assumptions"}
        stages = Stages(model, ask, plain, positive_seconds(plain.get("time_limit"), "time_limit"))
        native = getattr(choose(model, solver, want)[1], "core", None)
        with model.under_way():
            return under_assumptions(stages, want, consumer, keep, options["assumptions"], native, look_ahead)
    optima = None if OF_OPTIMA.isdisjoint(options) else _optima(model, want, options)
    if optima is None and (want is not Want.BEST or len(model.goals) < 2):
        return None
    single = {name: value for name, value in options.items() if name not in OF_OPTIMA | {"assumptions"}}
    time_limit = positive_seconds(single.get("time_limit"), "time_limit")
    stages = Stages(model, ask, single, time_limit)
    with model.under_way():
        if optima is None:
            backend = _able(model, solver, want, single)
            return in_order(stages, consumer, Feature.HINT in backend.features)
        _able(model, solver, Want.BEST, single | {"solution_limit": None, "after": None})
        _able(model, solver, want, single | {"hint": None})
        gap, best = optima
        if best is not None:
            return k_best(stages, consumer, keep, best)
        return all_within(stages, want, consumer, keep, gap, look_ahead)


def _optima(model: Statement, want: Want, options: Mapping[str, Any]) -> tuple[int, int | None] | None:
    """Return which of the best solutions are asked for, all within a gap or so many; None for nothing."""
    wanted = as_switch(options.get("optimal", False), "optimal")
    gap, best = options.get("gap"), positive_integer(options.get("best"), "best")
    if not wanted and gap is None and best is None:
        return None
    asked = "optimal" if wanted else "gap" if gap is not None else "best"
    if want not in (Want.ALL, Want.COUNT):
        raise ModelError(
            f"{asked}: of all solutions; write enumerate(optimal=True), solve() finds one of the best"
        )
    if not model.goals:
        raise ModelError(f"{asked}: the model has no objective; write minimize(...) or maximize(...) first")
    if len(model.goals) > 1 and (gap is not None or best is not None):
        raise ModelError(f"{asked}: a model with one objective is needed, this one has {len(model.goals)}")
    if best is not None and (want is Want.COUNT or gap is not None or options.get("after") is not None):
        raise ModelError(
            "best: the best solutions are listed by their objective, with no gap=, after= or count"
        )
    if best is not None and options.get("solution_limit") is not None:
        raise ModelError("best: it already says how many; leave out solution_limit=")
    return as_gap(gap), best


def _able(model: Statement, solver: str | Backend, want: Want, options: Mapping[str, Any]) -> Backend:
    """Return the backend of a run to come, which must prove; what it would refuse is refused now."""
    name, backend, strategy = choose(model, solver, want)
    what = (
        "several objectives, the second among the best for the first,"
        if len(model.goals) > 1
        else "the best solutions"
    )
    if not backend.proves:
        raise UnsupportedRequest(
            f"{name} proves nothing: {what} need a proved optimum first; solvers that can: "
            f"{named.able_to(lambda b: b.proves and Feature.OBJECTIVE in b.features)}"
        )
    build_request(Checker.of(model), backend, strategy, want, Clock(None), Interrupt(), options)
    return backend
