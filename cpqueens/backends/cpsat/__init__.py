"""OR-Tools CP-SAT as a backend: constraints natively where it has them, one worker for enumeration."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.answers.outcome import StopReason
from cpqueens.backends import named
from cpqueens.backends.base import REFUSED, Deliver, Ended, Feature, Order, Parameter, Request, Want
from cpqueens.backends.batches import Batches
from cpqueens.backends.cpsat import text as cpsat_text
from cpqueens.backends.cpsat.boolean import BooleanBoard, fits
from cpqueens.errors import ModelInvalid, UnknownParameter
from cpqueens.language.in_range import constraints_in_range
from cpqueens.lowered.lowering import lower
from cpqueens.system.interrupts import Stopped, stopping_if_long, watching
from cpqueens.system.memory import ensure_room
from cpqueens.text.plaintext import shown

if TYPE_CHECKING:
    from cpqueens.language.rows import IntArray
    from cpqueens.language.statement import Statement

ensure_room("ortools")

_FORMULATION = Parameter(
    str, "auto", "how large boards are written for one solution", ("auto", "integer", "boolean")
)
_OWN = {"formulation": _FORMULATION}
HUGE = 2**50  # from here on a refusal without a reason is one of numbers
_TOO_LARGE = ("overflow", "int64")  # in CP-SAT's reasons, of numbers
_SET_HERE = {"random_seed", "num_workers", "log_to_stdout", "catch_sigint_signal"}


@dataclass(frozen=True)
class Translation:
    """A model in CP-SAT's form and the way back."""

    native: Any  # ortools.sat.python.cp_model.CpModel
    columns: IntArray  # CP-SAT's indices of the decision variables
    board: BooleanBoard | None
    how: list[str]
    offset: int
    sign: int
    extremes: bool = False  # it has minima, maxima or absolute values in CP-SAT's own form
    largest: int = 0  # the largest absolute value of any variable
    largest_product: int = 0  # the largest absolute value of any product of variables

    def wrong_with_presolve(self, listing: bool) -> str:
        """Return why OR-Tools 9.15 may answer wrongly with presolve, "" if it does not.

        Cases of both kinds are in tests/backends/test_cpsat.py.
        """
        if self.largest_product >= cpsat_text.SMALL:
            return "products beyond 2^30 are lost with it"
        if listing and self.extremes:
            return "minima and maxima are enumerated wrongly with it"
        return ""

    def values(self, solution: list[int]) -> IntArray:
        """Return the decision variables' values in CP-SAT's solution."""
        array = np.array(solution, dtype=np.int64)
        return self.board.decode(array) if self.board is not None else array[self.columns]


class CpSat:
    """The backend ``cpsat``."""

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
        from ortools.sat.python import cp_model

        defaults = cp_model.CpSolver().parameters
        found: dict[str, Parameter] = dict(_OWN)
        for name in dir(defaults):
            refused = name in REFUSED or name in _SET_HERE or name.startswith(("_", "clear_", "has_"))
            value = None if refused else getattr(defaults, name)
            if isinstance(value, bool | int | float | str):
                found[name] = Parameter(type(value), value, "a parameter of CP-SAT")
        return found

    def can_express(self, model: Statement) -> bool:
        """Say whether every constraint can be written (raises if not)."""
        lower(model, cpsat_text.supports, self.name)
        return True

    def run(self, model: Statement, request: Request, deliver: Deliver) -> Ended:
        """Search with CP-SAT."""
        from ortools.sat.python import cp_model

        started = time.monotonic()
        choice = request.parameters.get("formulation", "auto")
        boolean = request.want is Want.ONE and request.hint is None and choice != "integer"
        try:
            with stopping_if_long(request.should_stop, model.variable_count):
                translation = translate(model, boolean=boolean, objective=request.want is Want.BEST)
        except Stopped:
            spent = {"translate_time": time.monotonic() - started}
            return Ended(False, request.why_stopped(), statistics=spent)
        if request.objective_limit is not None:
            _limit_objective(translation, request.objective_limit)
        if request.hint is not None and translation.board is None:
            _add_hint(translation, request)
        statistics: dict[str, Any] = {
            "translate_time": time.monotonic() - started,
            "formulation": "boolean" if translation.board is not None else "integer",
            "constraints": translation.how,
        }
        remaining = request.clock.remaining()
        if request.should_stop():
            return Ended(False, request.why_stopped(), statistics=statistics)
        solver = cp_model.CpSolver()
        self._set_parameters(solver, request, remaining)
        listing = request.want in (Want.ALL, Want.COUNT)
        reason = translation.wrong_with_presolve(listing)
        if reason and "cp_model_presolve" not in request.parameters:
            solver.parameters.cp_model_presolve = False
            statistics["presolve"] = f"off: {reason}"
        flow = _Flow(model, translation, request, deliver, solver.stop_search)
        callback = _make_callback(cp_model, flow)
        with watching(solver.stop_search, lambda: request.interrupted() or request.should_stop()):
            status = solver.solve(translation.native, callback)
        flow.finish()
        return self._ended(solver, status, flow, request, statistics)

    def _set_parameters(self, solver: Any, request: Request, remaining: float | None) -> None:
        parameters = solver.parameters
        listing = request.want in (Want.ALL, Want.COUNT)
        parameters.num_workers = 1 if listing else request.workers
        parameters.enumerate_all_solutions = listing
        parameters.random_seed = request.seed
        parameters.catch_sigint_signal = False
        parameters.absolute_gap_limit = 0.0  # the default of 1e-4 lets float rounding pass for a proof
        if remaining is not None and not listing:
            parameters.max_time_in_seconds = remaining
        if request.log is not None:
            parameters.log_search_progress = True
            parameters.log_to_stdout = False
            solver.log_callback = request.log
        for name, value in request.parameters.items():
            if name in _OWN:
                continue
            try:
                setattr(parameters, name, value)
            except (TypeError, ValueError) as error:
                raise UnknownParameter(f"{name}: CP-SAT refuses {shown(value)}") from error

    def _ended(
        self, solver: Any, status: Any, flow: _Flow, request: Request, statistics: dict[str, Any]
    ) -> Ended:
        from ortools.sat.python import cp_model

        if status == cp_model.MODEL_INVALID:
            raise _refusal(flow.model, flow.translation)
        stopped = flow.stopped or request.interrupted() or request.cancel.is_set()
        # After a stop from outside CP-SAT may still answer OPTIMAL, so a stop is never exhaustion; a proof
        # that ends before the watcher's stop takes effect is merely not claimed.
        listing = request.want in (Want.ALL, Want.COUNT)
        exhausted = not stopped and status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
        if listing and request.clock.expired():
            exhausted = False
        response = solver.response_proto
        objective = bound = None
        if request.want is Want.BEST and status in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.UNKNOWN):
            t = flow.translation
            bound = t.sign * response.inner_objective_lower_bound + t.offset
            value = solver.objective_value  # a float, whereas the bound is an integer
            # presolve may put any variables into the objective
            exact = t.largest < 2**40 and _reach(t.native.proto) + abs(t.offset) < 2**52
            if status != cp_model.UNKNOWN and exact:
                objective = t.sign * round(value) + t.offset
        statistics |= {
            "branches": int(solver.num_branches),
            "conflicts": int(solver.num_conflicts),
            "workers": 1 if listing else request.workers or "all",
        }
        if request.hint is not None:
            statistics |= flow.hint_fate()
        reason = StopReason.EXHAUSTED if exhausted else _why(request, stopped)
        return Ended(exhausted, reason, objective, bound, statistics=statistics)


def _reach(proto: Any) -> float:
    """Return how large the terms of the objective may be in sum: CP-SAT adds them up as floats."""
    goal = proto.objective
    ends = [proto.variables[v if v >= 0 else -v - 1].domain for v in goal.vars]
    sizes = [max(abs(end[0]), abs(end[-1])) for end in ends]
    return float(sum(abs(a) * size for a, size in zip(goal.coeffs, sizes, strict=True)) + abs(goal.offset))


def _why(request: Request, stopped: bool) -> StopReason:
    if request.interrupted() or request.cancel.is_set():
        return StopReason.INTERRUPTED
    if stopped:
        return StopReason.SOLUTION_LIMIT
    own_limits = any(name.startswith("max_") for name in request.parameters)  # of conflicts, for one
    if request.clock.expired() or (request.clock.time_limit is not None and not own_limits):
        return StopReason.TIME_LIMIT
    return StopReason.STEP_LIMIT


class _Flow:
    """Solutions on their way from CP-SAT's callback to the pipeline, in growing batches."""

    def __init__(
        self,
        model: Statement,
        translation: Translation,
        request: Request,
        deliver: Deliver,
        stop: Callable[[], None],
    ) -> None:
        self.model, self.translation = model, translation
        self.first: tuple[list[int], str] | None = None  # the first solution, and how it was found
        self._request = request
        self.error: BaseException | None = None
        self._deliver = deliver
        self._stop = stop
        self._batches = Batches(self._hand_over, self._decode, singly=request.want is Want.BEST)

    @property
    def stopped(self) -> bool:
        """Whether the receiver wants no more."""
        return self._batches.stopped

    def put(self, response: Any) -> None:
        """Take one solution."""
        solution = list(response.solution)
        if self.first is None:
            self.first = solution, str(response.solution_info)
        self._batches.put(solution)

    def hint_fate(self) -> dict[str, Any]:
        """Return what became of the hint, judged by the first solution.

        *accepted*: it has every hinted value. *repaired*: CP-SAT says that it comes from the hint, with
        other values in places. *ignored*: there is no solution, or it does not come from the hint.
        """
        request = self._request
        given = np.flatnonzero(request.hinted)
        if self.first is None:
            return {"hint": "ignored", "hint_given": len(given), "hint_kept": 0}
        solution, found_by = self.first
        assert request.hint is not None
        kept = int((self.translation.values(solution)[given] == request.hint[given]).sum())
        fate = "repaired" if "hint" in found_by or "repaired" in found_by else "ignored"
        if len(given) and kept == len(given):
            fate = "accepted"
        return {"hint": fate, "hint_given": len(given), "hint_kept": kept}

    def _decode(self, rows: list[list[int]]) -> IntArray:
        t = self.translation
        if t.board is None:
            return np.array(rows, dtype=np.int64)[:, t.columns]
        return np.stack([t.values(row) for row in rows])

    def _hand_over(self, batch: IntArray) -> bool:
        """Deliver; exceptions of the consumer cannot cross CP-SAT, so they are kept and end the search."""
        try:
            going_on = self._deliver(batch)
        except BaseException as error:
            self.error = error
            going_on = False
        if not going_on:
            self._stop()
        return going_on

    def finish(self) -> None:
        """Hand over the rest and raise what the consumer raised."""
        self._batches.flush()
        if self.error is not None:
            raise self.error


def _make_callback(cp_model: Any, flow: _Flow) -> Any:
    """Return CP-SAT's callback object (its base class can only be named once OR-Tools is imported)."""

    class Callback(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            flow.put(self.response_proto)

    return Callback()


def translate(model: Statement, boolean: bool = False, objective: bool = True) -> Translation:
    """Return the model in CP-SAT's form.

    ``boolean`` allows the formulation for large boards. Without ``objective`` the objective is left out:
    CP-SAT would enumerate only the optimal solutions.
    """
    from ortools.sat.python import cp_model

    lowered = lower(model, cpsat_text.supports, "cpsat", objective=objective, joined=True)
    decisions = model.decisions
    board = None
    if boolean and fits(lowered, decisions):
        board = BooleanBoard(lowered, decisions)
        text, columns, offset = board.text, np.zeros(0, dtype=np.int64), 0
        extremes, largest_product = False, 0
    else:
        writer = cpsat_text.write(lowered, decisions)
        text, columns = writer.text(), np.array(writer.index, dtype=np.int64)[decisions]
        offset, extremes, largest_product = writer.offset, writer.extremes, writer.largest_product
    native = cp_model.CpModel()
    if not native.proto.parse_text_format(text):
        raise ModelInvalid("cpsat could not read the translated model")
    bounds = np.concatenate([lowered.store.lower, lowered.store.upper])
    largest = int(np.abs(bounds).max(initial=0))
    sign = -1 if lowered.maximizing else 1
    return Translation(native, columns, board, lowered.how, offset, sign, extremes, largest, largest_product)


def _refusal(model: Statement, translation: Translation) -> ModelInvalid:
    """Return why CP-SAT refuses the model, in words of ours where its numbers are the reason.

    Without a reason of CP-SAT's, a model of huge numbers was valid until presolve put them together.
    """
    reason = (translation.native.validate().strip().splitlines() or [""])[0]
    if any(word in reason for word in _TOO_LARGE) or (not reason and translation.largest >= HUGE):
        others = ", ".join(named.able_backends(model, exclude="cpsat")) or "none"
        return ModelInvalid(
            "cpsat refuses the model: its numbers are too large, sums of one constraint go up to 2^62 - 1 "
            "and the ranges of all variables together to 2^63 - 2; narrow the domains; "
            f"backends that can: {others}"
        )
    return ModelInvalid(f"cpsat refuses the model: {reason or 'invalid parameters'}")


def _limit_objective(translation: Translation, limit: int) -> None:
    """Let CP-SAT look only for objective values at least as good as ``limit``."""
    inner = translation.sign * (limit - translation.offset)
    translation.native.proto.objective.domain.extend([cpsat_text.LOWEST, inner])


def _add_hint(translation: Translation, request: Request) -> None:
    chosen = np.flatnonzero(request.hinted)
    hint = translation.native.proto.solution_hint
    hint.vars.extend(translation.columns[chosen].tolist())
    assert request.hint is not None
    hint.values.extend(request.hint[chosen].tolist())


@dataclass(frozen=True)
class Export:
    """A native CP-SAT model and its variables by the names in ours."""

    model: Any
    variables: Mapping[str, Any]

    def assignment(self, solver: Any) -> dict[str, int]:
        """Return ``{name: value}`` of a native solver's solution, for ``Model.check``."""
        return {name: int(solver.value(variable)) for name, variable in self.variables.items()}


def export(model: Statement) -> Export:
    """Return the native OR-Tools model, and each decision variable of ours in it by name."""
    constraints_in_range(model)
    translation = translate(model)
    if translation.native.validate():
        raise _refusal(model, translation)
    native = translation.native
    native.proto.name = model.name
    names = [model.name_of(int(v)) for v in model.decisions]
    columns = translation.columns.tolist()
    variables = {n: native.get_int_var_from_proto_index(c) for n, c in zip(names, columns, strict=True)}
    for name, column in zip(names, columns, strict=True):
        native.proto.variables[column].name = name
    return Export(native, variables)
