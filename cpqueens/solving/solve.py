"""The pipeline: from a request to an outcome that claims no more than was proved."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.answers.outcome import Fault, Outcome, Status, StopReason
from cpqueens.answers.profile import profile_of
from cpqueens.answers.solution import Solution, SolutionSet
from cpqueens.backends import named
from cpqueens.backends.base import Backend, Ended, Want, within_limits
from cpqueens.backends.clock import run_clock
from cpqueens.backends.known import Known, LearnedClauses
from cpqueens.errors import BackendFault, CpqueensError, ModelError, UnsupportedConstraint
from cpqueens.kernels.jit import tiers
from cpqueens.language.statement import Statement
from cpqueens.solving.collect import Carried, Collect, Collector, Consumer, carrying
from cpqueens.solving.grown import account, recalled, remember, settled, told
from cpqueens.solving.nearness import OF_CHANGES, solve_near
from cpqueens.solving.request import build_request, choose, positive_integer, respelled
from cpqueens.system.interrupts import Interrupt, Interrupted, listening
from cpqueens.text.plaintext import counted, shown

SEVERAL = frozenset({"assumptions", "optimal", "gap", "best"})
"""Options for which a model is run several times, see `staged.py`."""

STOP = object()
"""Returned by a callback to end the enumeration."""


class IncompleteCount(CpqueensError):  # noqa: N818
    """A count was stopped before it was complete; ``outcome`` has the solutions counted so far.

    >>> from cpqueens.models.queens import queens
    >>> try:
    ...     queens(30).count(solver="backtracking:check", step_limit=100)
    ... except IncompleteCount as error:
    ...     print(error)
    the count is incomplete: 0 solutions so far, stopped by step_limit
    """

    exit_code = 3

    def __init__(self, outcome: Outcome) -> None:
        found = counted(outcome.count, "solution")
        super().__init__(f"the count is incomplete: {found} so far, stopped by {outcome.stop_reason}")
        self.outcome = outcome


_SWITCHES = frozenset({"optimal", "prove_complete", "log"})


def given(**options: Any) -> dict[str, Any]:
    """Return the options that were given: None stands for absence, and so does False of a switch."""
    return {k: v for k, v in options.items() if v is not None and (v is not False or k not in _SWITCHES)}


def solve(model: Statement, /, solver: str | Backend = "auto", **options: Any) -> Outcome:
    """Find one solution, or the best one if the model has an objective.

    Parameters
    ----------
    solver
        ``backend`` or ``backend:strategy``; ``auto`` chooses by the model, and where no rule says which exact
        solver is faster two race (see `cpqueens.solving.race`); the statistics have its ``reason``.
        ``heuristic+exact``, as in ``local-search+cpsat``, lets the one propose and the other prove
        (see `cpqueens.solving.handover`). ``strategy="forward"`` beside ``solver="backtracking"`` is
        ``solver="backtracking:forward"``.
    **options
        ``time_limit`` (seconds), ``step_limit``, ``random_seed`` (or ``seed``), ``num_workers``,
        ``hint={q: values}``, ``on_improvement`` (called with each better solution; it may return `STOP`),
        ``on_progress`` (called with ``{"bound": b}`` for each better bound that an exact solver proves),
        ``log`` (a function of one line, or True), ``profile=True`` (what each constraint takes and does, as
        `Outcome.profile`, by this package's engines), and the backend's own parameters; with ``near``,
        ``weight``, ``over`` and ``distance`` as little changes as possible (see `nearness`).

    Raises
    ------
    BackendFault
        If the backend delivered something that is not a solution.
    CpqueensError
        For everything that is refused before the search.
    """
    if not options.keys().isdisjoint(OF_CHANGES):
        return solve_near(model, solver, options, solve)
    want = Want.BEST if model.objective is not None else Want.ONE
    improved = options.pop("on_improvement", None)
    consumer = None if improved is None else _caller(improved, "on_improvement")
    if want is Want.ONE:
        if "solution_limit" in options:  # whatever it is, one is enough
            positive_integer(options["solution_limit"], "solution_limit")
        options["solution_limit"] = 1
    outcome = run(model, solver, want, consumer, options, keep=True, look_ahead=False, remembering=True)
    return trusted(outcome)


def enumerate_solutions(
    model: Statement,
    /,
    on_solution: Callable[[Solution], object] | Any = None,
    solver: str = "auto",
    **options: Any,
) -> Outcome:
    """Find all solutions: pass each once to ``on_solution``, or without it keep them in the outcome.

    ``on_solution`` is a function of a solution (which may return `STOP`), or an object with a method
    ``on_solution_callback(solution)`` and an attribute or method ``stop`` that ends the enumeration when
    true. Options are those of `solve`, with ``solution_limit``, ``prove_complete`` (look as long as it
    takes whether there are more) and ``after`` (resume behind a solution, in lexicographic order).
    """
    consumer = None if on_solution is None else _caller(on_solution, "on_solution")
    return trusted(run(model, solver, Want.ALL, consumer, options, keep=consumer is None))


def count_solutions(model: Statement, /, solver: str = "auto", **options: Any) -> Outcome:
    """Count all solutions without storing them; the outcome says whether the count is complete."""
    return trusted(run(model, solver, Want.COUNT, None, options))


def count(model: Statement, /, solver: str = "auto", **options: Any) -> int:
    """Return the number of solutions.

    Raises
    ------
    IncompleteCount
        If a limit or Ctrl-C ended it before the count was proved.
    """
    outcome = count_solutions(model, solver, **options)
    if not outcome.complete:
        raise IncompleteCount(outcome)
    return outcome.count


def run(
    model: Statement,
    solver: str | Backend,
    want: Want,
    consumer: Consumer | None,
    options: Mapping[str, Any],
    *,
    keep: bool = False,
    abandoned: Callable[[], bool] | None = None,
    collect: Collect = Collector,
    look_ahead: bool = True,
    remembering: bool = False,
) -> Outcome:
    """Run one backend, or several times on narrower models, and conclude; faults are in the outcome.

    ``solver`` may also be a backend object itself. ``consumer`` gets checked, distinct solutions, which the
    outcome has if it is to ``keep`` them; ``options`` are the user's; ``abandoned`` is asked
    now and then whether the run should end because nobody listens; ``collect`` makes the receiving end (a
    cross-check goes on after a fault, to see all of them). With ``remembering`` the run takes over what the
    solver said before the model grew, and what it says now is kept with the model.
    """

    solver, options = respelled(solver, options)
    name, known = solver, recalled(model, solver, options) if remembering else None
    if isinstance(solver, str) and solver == "auto" and options.get("profile") is True:
        solver = "backtracking"  # which can tell, of every model

    once = partial(_run_once, keep=keep, abandoned=abandoned, collect=collect, look_ahead=look_ahead)
    if options.get("proof") is not None:
        from cpqueens.solving.proving import with_proof  # which few runs need

        return with_proof(model, solver, want, consumer, options, once)
    if options.get("assumptions", ...) is None:
        options = {name: value for name, value in options.items() if name != "assumptions"}

    def ask(narrower: Statement, *parts: Any, **how: Any) -> Outcome:
        return run(narrower, solver, *parts, abandoned=abandoned, collect=collect, **how)

    if not SEVERAL.isdisjoint(options) or (want is Want.BEST and len(model.goals) > 1):
        from cpqueens.solving.staged import staged  # which few runs need, too

        whole = staged(model, solver, want, consumer, options, ask, keep, look_ahead)
        if whole is not None:
            return whole
    learned: list[LearnedClauses] | None = [] if remembering else None
    outcome = once(model, solver, want, consumer, options, known=known, learned=learned)
    if learned is not None and not outcome.faults:
        remember(model, outcome, name, known, learned)
    return outcome


def _run_once(
    model: Statement,
    solver: str | Backend,
    want: Want,
    consumer: Consumer | None,
    options: Mapping[str, Any],
    *,
    keep: bool,
    abandoned: Callable[[], bool] | None,
    collect: Collect,
    look_ahead: bool,
    known: Known | None = None,
    learned: list[LearnedClauses] | None = None,
) -> Outcome:
    """Run one backend once and conclude."""
    started = time.monotonic()
    name, backend, strategy = choose(model, solver, want)
    with run_clock() as clock, model.under_way(), listening(abandoned) as interrupt:
        checker = Checker.of(model)
        request = build_request(
            checker, backend, strategy, want, clock, interrupt, options,
            look_ahead=look_ahead, learned=learned,
        )  # fmt: skip
        request = request if known is None else told(known, request, checker, backend)
        take = None if consumer is None else carrying(partial(consumer, interrupt))
        collector = collect(checker, backend, request, take, keep)
        if want is Want.ALL:
            request = replace(request, reordered=collector.reorder)
        built = time.monotonic() - started
        raised: Exception | None = None
        try:
            with tiers.running(request.should_stop) as book:
                going_on = collector.begin()
                at_once = None if request.known is None else settled(request.known, collector)
                if at_once is not None:
                    ended = at_once
                elif going_on:
                    ended = within_limits(backend, model, request, collector.deliver)
                else:
                    ended = Ended(False, StopReason.SOLUTION_LIMIT)
        except Carried as carried:
            raised = carried.error
        except UnsupportedConstraint as error:
            able = named.able_backends(model, exclude=backend.name)
            raise UnsupportedConstraint(f"{error}; {able}") from error
        if raised is not None:  # here, so that its cause and its context stay what they were
            raise raised
    label = name if strategy is None else f"{name}:{strategy}"
    label = label if at_once is None or known is None else known.solver
    times = {"build_time": built, "total_time": time.monotonic() - started, **book.times}
    outcome = conclude(label, collector, ended, times)
    credit = getattr(backend, "credit", None)  # of a hand-over: who found it and who proved it
    return outcome if credit is None or at_once is not None else credit(outcome)


def conclude(label: str, collector: Collector, ended: Ended, times: Mapping[str, float]) -> Outcome:
    """Draw the conclusions: the one place where statuses are decided."""
    backend, request = collector.backend, collector.request
    model, known = collector.checker.model, collector.checker.known
    faults = list(collector.faults)
    if collector.is_met and collector.stopped is None:
        best, reason = collector.best_value, StopReason.EXHAUSTED
        ended = replace(ended, exhausted=True, stop_reason=reason, objective=best, bound=best)
    if model.assumed:  # the rest of the space was not looked at
        reason = StopReason.GAVE_UP if ended.exhausted else ended.stop_reason
        ended = replace(ended, exhausted=False, bound=None, stop_reason=reason)
    nothing = ended.exhausted and collector.best is None  # then there is nothing to bound
    if request.bounds is not None and not nothing and not model.assumed:
        ended = replace(ended, bound=request.bounds.with_last(ended.bound))
    counted = ended.count if request.want is Want.COUNT and ended.count is not None else collector.distinct
    proved = (
        ended.exhausted and backend.proves and not faults and not collector.more and collector.stopped is None
    )
    if collector.forgetting and backend.order.value == "any":
        proved = False
    found = counted > 0 or collector.best is not None
    objective = collector.best_value
    if request.want is Want.BEST and found:
        faults += _objective_faults(ended, collector)
        proved = proved and not faults and ended.bound == objective
    kept = collector.kept if collector.best is None else [collector.best[None, :]]
    matrix = kept[0] if len(kept) == 1 else np.concatenate([np.zeros((0, len(known)), dtype=np.int64), *kept])
    return Outcome(
        model=model,
        solver=label,
        status=_status(proved, found, request.want),
        complete=proved,
        stop_reason=_stop_reason(ended, collector, proved),
        solutions=SolutionSet(model, known, matrix, in_order=collector.in_order),
        count=counted if request.want is not Want.BEST else len(matrix),
        objective=objective,
        bound=ended.bound,
        closest=None if found or ended.closest is None else _closest(collector, ended),
        statistics=_statistics(collector, ended, times, label),
        faults=tuple(faults),
        messages=_messages(collector),
        trace=None if ended.trace is None else replace(ended.trace, model=model, solver=label),
        profile=None if ended.tallies is None else profile_of(model, ended.tallies),
    )


def _status(proved: bool, found: bool, want: Want) -> Status:
    if not found:
        return Status.INFEASIBLE if proved else Status.UNKNOWN
    return Status.OPTIMAL if proved and want is Want.BEST else Status.FEASIBLE


def _stop_reason(ended: Ended, collector: Collector, proved: bool) -> StopReason:
    if collector.stopped is not None:
        return collector.stopped
    if collector.looking_ahead and not proved:
        return StopReason.SOLUTION_LIMIT
    return ended.stop_reason


def _objective_faults(ended: Ended, collector: Collector) -> list[Fault]:
    claimed, found = ended.objective, collector.best_value
    stopped = collector.stopped is not None  # then the last solution may have come too late to count
    told_of = collector.is_met or (collector.request.incumbent is not None and ended.bound == found)
    if ended.exhausted and not collector.delivered and not stopped and not told_of:
        return [Fault("FALSE_UNSAT", f"nothing was found, yet the hint is a solution of value {found}")]
    if claimed is not None and _is_hinted(collector, claimed):
        claimed = None  # the hint was better than all that the backend found
    if claimed is not None and found is not None and claimed != found and not stopped:
        return [
            Fault("OBJ_MISMATCH", f"objective {claimed} claimed, the best solution delivered has {found}")
        ]
    if ended.bound is not None and found is not None:
        crossed = found > ended.bound if collector.checker.model.maximizing else found < ended.bound
        if crossed:
            return [Fault("OPT_CROSSED", f"bound {ended.bound} claimed, yet a solution has {found}")]
    return []


def _is_hinted(collector: Collector, claimed: int) -> bool:
    """Say whether the best solution is the hint, and better than what a backend claims."""
    first, best = collector.request.first, collector.best
    if first is None or best is None or collector.best_value is None or not np.array_equal(first, best):
        return False
    key = collector.checker.model.goals[0].key
    return key(claimed) > key(collector.best_value)


def _closest(collector: Collector, ended: Ended) -> Solution:
    row = np.asarray(ended.closest, dtype=np.int64).reshape(1, -1)
    return SolutionSet(collector.checker.model, collector.checker.known, row)[0]


def _statistics(collector: Collector, ended: Ended, times: Mapping[str, float], label: str) -> dict[str, Any]:
    own: dict[str, Any] = {  # some are kept with the model
        name: value.copy() if type(value) in (list, dict) else value
        for name, value in ended.statistics.items()
    }
    request = collector.request
    if request.known is not None:
        account(request.known, label, own)
    if request.first is not None:
        own["hint"] = "taken as first incumbent"
    elif request.hint is not None:
        own.setdefault("hint", "started from")
    elif request.messages and request.messages[-1].startswith("hint: not used"):
        own["hint"] = "not used"
    consumer = collector.request.clock.paused.get("consumer", 0.0)
    translating = float(own.pop("translate_time", 0.0))
    searching = times["total_time"] - times["build_time"] - translating - times["compile_time"] - consumer
    return {
        **times,
        "translate_time": translating,
        "check_time": collector.check_seconds,
        "consumer_time": consumer,
        "solve_time": max(0.0, searching - collector.check_seconds),
        "overrun_time": max(0.0, -(collector.request.clock.remaining() or 0.0)),
        **({} if request.clock.late is None else {"overrun_call": request.clock.late}),
        "first_solution_time": collector.first_seconds,
        "delivered": collector.delivered,
        "duplicates": collector.duplicates,
        "seed": collector.request.seed,
        **own,
        "exhausted": ended.exhausted,  # what the backend itself said of its end, for cross-checks
        "ended_by": ended.stop_reason,
    }


def _messages(collector: Collector) -> tuple[str, ...]:
    request = collector.request
    messages = list(request.messages)
    if collector.checker.model.assumed:
        messages.append(collector.checker.model.assumed)
    if request.want in (Want.ALL, Want.COUNT) and collector.checker.model.objective is not None:
        messages.append("the objective is ignored: all feasible solutions were asked for")
    if not collector.in_order:
        messages.append(
            "not in lexicographic order: another order of search found some of the solutions, and others may "
            'come before them; variable_order="lexicographic" asks for it'
        )
    if collector.forgetting:
        messages.append("too many solutions to remember: duplicates were not looked for to the end")
    return tuple(messages)


def trusted(outcome: Outcome) -> Outcome:
    """Return the outcome, or raise `BackendFault` if the backend broke its contract."""
    if outcome.faults:
        first = outcome.faults[0]
        text = f"{outcome.solver} broke its contract, {first.code}: {first.message}"
        raise BackendFault(text, first.code)
    return outcome


def _caller(target: Any, option: str) -> Consumer:
    """Return a consumer that calls the user's function or object for each solution.

    Ctrl-C ends the call under way, and no further one is made.
    """
    if not hasattr(target, "on_solution_callback") and not callable(target):
        advice = f"; write solver={shown(target)}" if isinstance(target, str) else ""
        raise ModelError(f"{option}: a function, or an object with on_solution_callback, is needed{advice}")
    take_one = _calling_method(target) if hasattr(target, "on_solution_callback") else target

    def call(interrupt: Interrupt, found: SolutionSet) -> int | None:
        taken = 0
        try:
            interrupt.raising = True
            for taken, solution in enumerate(found, 1):
                if take_one(solution) is STOP or interrupt.seen:
                    return taken
        except Interrupted:
            return taken
        finally:
            interrupt.raising = False
        return None

    return call


def _calling_method(target: Any) -> Callable[[Solution], object]:
    """Return a function of a solution for an object of CP-SAT's kind, with or without ``stop``."""

    def call(solution: Solution) -> object:
        target.on_solution_callback(solution)
        stop = getattr(target, "stop", False)
        return STOP if (stop() if callable(stop) else stop) else None

    return call
