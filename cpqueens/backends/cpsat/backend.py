"""OR-Tools CP-SAT as a backend: constraints natively where it has them, one worker for each enumeration."""

import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import REFUSED, Deliver, Ended, Feature, Order, Parameter, Request, Want
from cpqueens.backends.cpsat import searches
from cpqueens.backends.cpsat.constraints import supports
from cpqueens.backends.cpsat.native import CONCLUSIVE, Solver, new_proto
from cpqueens.backends.cpsat.searches import CpSatSearch, Narrow, Second
from cpqueens.backends.cpsat.translation import Translation, refusal, translate
from cpqueens.errors import UnknownParameter
from cpqueens.language.statement import Statement
from cpqueens.lowered.lowering import lower
from cpqueens.system.stopping import Stopped, stopping, watching
from cpqueens.text.plaintext import shown

_FORMULATIONS = ("auto", "integer", "boolean")
_OWN = {"formulation": Parameter(str, "auto", "how large boards are written for one solution", _FORMULATIONS)}
_SET_HERE = {"random_seed", "num_workers", "log_to_stdout", "catch_sigint_signal"}


class CpSat:
    """OR-Tools' CP-SAT: clause learning over integer bounds, with presolve, cuts and a portfolio.

    Source: Perron and Furnon, "OR-Tools", Google; the library `ortools`.
    """

    name = "cpsat"
    proves = True
    features = frozenset(
        {
            Feature.ENUMERATE,
            Feature.OBJECTIVE,
            Feature.BOUND,
            Feature.HINT,
            Feature.SEED,
            Feature.WORKERS,
            Feature.LOG,
        }
    )
    order = Order.DISTINCT
    strategies: tuple[str, ...] = ()

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """CP-SAT's own parameters by their names, less those that would change what a status means."""
        defaults = Solver().parameters
        found: dict[str, Parameter] = dict(_OWN)
        for name in dir(defaults):
            refused = name in REFUSED or name in _SET_HERE or name.startswith(("_", "clear_", "has_"))
            value = None if refused else getattr(defaults, name)
            if isinstance(value, bool | int | float | str):
                found[name] = Parameter(type(value), value, "a parameter of CP-SAT")
        return found

    def can_express(self, model: Statement) -> bool:
        """Say whether every constraint can be written (raises if not)."""
        lower(model, supports, self.name, joined=True)
        return True

    def run(self, model: Statement, request: Request, deliver: Deliver) -> Ended:
        """Search with CP-SAT."""
        own = request.workers == 1
        request.clock.measure(None if own else _threads_time(request.workers))
        started = time.monotonic()
        choice = request.parameters.get("formulation", "auto")
        known = request.known
        hinted = request.hint is not None and (known is None or known.row is None)  # by the user
        boolean = request.want is Want.ONE and not hinted and choice != "integer"
        try:
            with stopping(request.should_stop):
                translation = translate(model, boolean=boolean, objective=request.want is Want.BEST)
        except Stopped:
            spent = {"translate_time": time.monotonic() - started}
            return Ended(False, request.why_stopped(), statistics=spent)
        if request.objective_limit is not None:
            translation.limit_objective(request.objective_limit)
        if request.hint is not None and translation.board is None:
            translation.add_hint(request)
        statistics: dict[str, Any] = {
            "translate_time": time.monotonic() - started,
            "formulation": "boolean" if translation.board is not None else "integer",
            "constraints": translation.how,
        }
        if request.should_stop(translation.ending):
            return Ended(False, request.why_stopped(), statistics=statistics)
        solver = Solver()
        self._set_parameters(solver, request, translation)
        careful, reason = translation.presolve(_is_listing(request))
        if careful and not careful.keys() & request.parameters.keys():
            statistics["presolve"] = reason
        if _is_listing(request) and request.workers > 1:
            return self._shared(model, translation, request, deliver, statistics)
        if not searches.joins(request, translation.proto):
            first, second = CpSatSearch(solver, model, translation, request, deliver), None
        else:
            put = searches.in_turn(deliver)
            first = CpSatSearch(solver, model, translation, request, put)
            second = Second(first, lambda other: CpSatSearch(other, model, translation, request, put))

        def should_stop() -> bool:
            if second is not None:
                second.look()
            return request.should_stop(translation.ending)

        def search() -> CpSatSearch | None:
            with watching(solver.stop_search, should_stop):
                first.run()
            return None if second is None else second.finish()

        other = request.clock.foreign("CP-SAT's search", search)  # which ends the second's thread, too
        first.finish()
        ended = self._ended(first, request, statistics)
        if other is None:
            return ended
        return searches.both(ended, self._ended(other, request, statistics), first, other, model.maximizing)

    def _shared(
        self,
        model: Statement,
        translation: Translation,
        request: Request,
        deliver: Deliver,
        statistics: dict[str, Any],
    ) -> Ended:
        """List with several searches at a time."""
        totals = {"branches": 0, "conflicts": 0}

        def search(part: Narrow, put: Deliver, register: Callable[[Callable[[], None]], None]) -> bool:
            proto, solver = new_proto(translation.proto), Solver()
            for column, ends in part:
                domain = proto.variables[column].domain
                domain.clear()
                domain.extend(ends)
            self._set_parameters(solver, request, translation)
            register(solver.stop_search)
            own = CpSatSearch(solver, model, translation, request, put)
            own.run(proto)
            own.finish()
            if own.status == "MODEL_INVALID":
                raise refusal(model, translation)
            totals["branches"] += int(solver.response.num_branches)
            totals["conflicts"] += int(solver.response.num_conflicts)
            return not own.stopped and own.status in CONCLUSIVE

        narrows = searches.parts(translation.proto, translation.columns.tolist(), request.workers)
        exhausted, enough = request.clock.foreign(
            "CP-SAT's search",  # its threads end with the searches
            lambda: searches.run_shared(search, narrows, request.workers, deliver, request.should_stop),
        )
        exhausted = exhausted and not (
            request.interrupted() or request.cancel.is_set() or request.clock.expired()
        )
        statistics |= totals | {"workers": request.workers, "parts": len(narrows)}
        reason = StopReason.EXHAUSTED if exhausted else _why(request, enough)
        return Ended(exhausted, reason, statistics=statistics)

    def core(self, model: Statement, assumed: list[int], request: Request) -> list[int] | None:
        """Return which of the decision variables assumed to be 1 cannot all be; None if undecided."""
        request.clock.measure(_threads_time(request.workers))
        try:
            with stopping(request.should_stop):
                translation = translate(model, objective=False)
        except Stopped:
            return None
        decisions = model.decisions.tolist()
        columns = {int(c): v for c, v in zip(translation.columns, decisions, strict=True)}
        chosen = set(assumed)
        literals = [column for column, variable in columns.items() if variable in chosen]
        translation.proto.assumptions.extend(literals)
        solver = Solver()
        self._set_parameters(solver, request, translation)

        def search() -> Any:
            with watching(solver.stop_search, request.should_stop):
                return solver.solve(translation.proto)

        if request.clock.foreign("CP-SAT's search", search) != "INFEASIBLE":
            return None
        return [columns[column] for column in solver.response.sufficient_assumptions_for_infeasibility]

    def _set_parameters(self, solver: Any, request: Request, translation: Translation) -> None:
        parameters, listing = solver.parameters, _is_listing(request)
        parameters.num_workers = 1 if listing else request.workers
        parameters.enumerate_all_solutions = listing
        parameters.random_seed = request.seed
        parameters.catch_sigint_signal = False
        # OR-Tools 9.15 loses solutions by it, of sums beyond 2^33 for one (tests/backends/test_cpsat.py).
        parameters.auto_detect_greater_than_at_least_one_of = False
        parameters.absolute_gap_limit = 0.0  # the default of 1e-4 lets float rounding pass for a proof
        # No max_time_in_seconds: by it OR-Tools ends before a step that might pass it, by up to half of the
        # limit where its presolve makes long ones, and a callback's time counts. The watcher ends the run.
        if request.log is not None:
            parameters.log_search_progress = True
            parameters.log_to_stdout = False
            solver.log_callback = request.log
        for name, value in {**translation.presolve(listing)[0], **request.parameters}.items():
            if name in _OWN:
                continue
            try:
                setattr(parameters, name, value)
            except (TypeError, ValueError) as error:
                raise UnknownParameter(f"{name}: CP-SAT refuses {shown(value)}") from error

    def _ended(self, search: CpSatSearch, request: Request, statistics: dict[str, Any]) -> Ended:
        solver, status, t = search.solver, search.status, search.translation
        if status == "MODEL_INVALID":
            raise refusal(search.model, t)
        stopped = search.stopped or request.interrupted() or request.cancel.is_set()
        # After a stop from outside CP-SAT may still answer OPTIMAL, so a stop is never exhaustion; a proof
        # that ends before the watcher's stop takes effect is merely not claimed.
        exhausted = not stopped and status in CONCLUSIVE
        if _is_listing(request) and request.clock.expired(t.ending):
            exhausted = False
        objective = bound = None
        if request.want is Want.BEST and status in ("OPTIMAL", "FEASIBLE", "UNKNOWN"):
            inner = solver.response.inner_objective_lower_bound
            bound = search.bound_at_end(inner, whole=status == "OPTIMAL")
            # The value is a float, unlike the bound, and of a solution that is not the best it may be worse
            # than its variables say: presolve leaves maxima loose that the objective presses down.
            if status == "OPTIMAL" and t.objective_is_exact():
                objective = t.in_ours(round(solver.response.objective_value))
            elsewhere = None if request.incumbent is None else request.incumbent()
            exhausted = exhausted or (elsewhere is not None and t.is_met(bound, elsewhere))
        statistics = statistics | {
            "branches": int(solver.response.num_branches),
            "conflicts": int(solver.response.num_conflicts),
            "workers": int(solver.parameters.num_workers),
        }
        if request.hint is not None:
            statistics |= search.hint_fate()
        reason = StopReason.EXHAUSTED if exhausted else _why(request, stopped)
        return Ended(exhausted, reason, objective, bound, statistics=statistics)


def _threads_time(threads: int) -> Callable[[], float]:
    """Return what tells the processor seconds of a search in so many threads of the library's own.

    Nobody knows these: they are this process's, less what the others in it do.
    """
    began = time.process_time()
    return lambda: (time.process_time() - began) / threads


def _is_listing(request: Request) -> bool:
    return request.want in (Want.ALL, Want.COUNT)


def _why(request: Request, stopped: bool) -> StopReason:
    if request.interrupted() or request.cancel.is_set():
        return StopReason.INTERRUPTED
    if stopped:
        return StopReason.SOLUTION_LIMIT
    own_limits = any(name.startswith("max_") for name in request.parameters)  # of conflicts, for one
    if request.clock.expired() or (request.clock.time_limit is not None and not own_limits):
        return StopReason.TIME_LIMIT
    return StopReason.STEP_LIMIT
