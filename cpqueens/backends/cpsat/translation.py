"""Whole models in CP-SAT's form, and the way back.

Large boards have a Boolean form (`BooleanBoard`), with one literal for each variable and value: for one
solution of a model that consists of AllDifferents over ``x + o`` only, exactly-one and at-most-one
constraints over literals are far faster than AllDifferent (200 queens: 0.85 s against 12 s).
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cpqueens.backends import named
from cpqueens.backends.base import Request
from cpqueens.backends.cpsat.constraints import supports
from cpqueens.backends.cpsat.native import Copies, Part, invalid, model_class, new_proto, read
from cpqueens.backends.cpsat.writer import LOWEST
from cpqueens.backends.cpsat.written import written_model
from cpqueens.errors import ONE_BY_ONE, ModelInvalid, UnsupportedRequest
from cpqueens.language.in_range import constraints_in_range
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.lowered.lowering import Lowered, lower
from cpqueens.system.platforms import ensure_room

SMALLEST = 60  # variables; below it three AllDifferents are as fast
LARGEST = 4_000_000  # literals


def fits(lowered: Lowered, decisions: IntArray) -> bool:
    """Say whether the model is AllDifferents over plain variables plus constants, and large."""
    if lowered.definitions or lowered.objective is not None or len(decisions) < SMALLEST:
        return False
    if not lowered.constraints or any(c.kind != "AllDifferent" for c in lowered.constraints):
        return False
    arrays = [c.arguments[0] for c in lowered.constraints]
    if any(a.width != 1 or not (np.abs(a.coefficients) == 1).all() for a in arrays):
        return False
    store = lowered.store
    spans = store.upper[decisions] - store.lower[decisions].astype(np.float64) + 1  # may exceed 64 bits
    return float(spans.sum()) <= LARGEST


class BooleanBoard:
    """The parts of the formulation, and the way back from its literals to values."""

    def __init__(self, lowered: Lowered, decisions: IntArray) -> None:
        store = lowered.store
        self.lower = store.lower[decisions]
        spans = store.upper[decisions] - self.lower + 1
        self.first = np.concatenate([[0], np.cumsum(spans)[:-1]])
        total = int(spans.sum())
        self.owner = np.repeat(np.arange(len(decisions)), spans)
        self.value = np.arange(total) - self.first[self.owner] + self.lower[self.owner]
        position = {int(v): k for k, v in enumerate(decisions)}
        forbidden = np.zeros(total, dtype=bool)
        for variable, values in store.domains.items():
            if variable in position:
                mine = self.owner == position[variable]
                forbidden |= mine & ~np.isin(self.value, values)
        literals = Copies(total, "variables")
        literals.text = (
            f"variables{{{literals.field('domain', np.column_stack([0 * forbidden, ~forbidden]))}}}"
        )
        groups = np.split(np.arange(total), self.first[1:])
        self.parts: list[Part] = [literals, _lines("exactly_one", [group.tolist() for group in groups])]
        self.parts += [self._of(constraint.arguments[0], position) for constraint in lowered.constraints]

    def _of(self, terms: Any, position: dict[int, int]) -> Copies:
        """Return one at-most-one for each value of the terms (exactly one, if values are as few)."""
        lines: dict[int, list[int]] = {}
        starts = [*self.first.tolist(), len(self.value)]
        for (variable,), (a,), c in terms.rows():
            k = position[variable]
            first, end = starts[k], starts[k + 1]
            for literal, value in enumerate(self.value[first:end].tolist(), first):
                lines.setdefault(a * value + c, []).append(literal)
        if len(lines) == terms.size:
            return _lines("exactly_one", list(lines.values()))
        return _lines("at_most_one", [literals for literals in lines.values() if len(literals) > 1])

    def decode(self, literals: IntArray) -> IntArray:
        """Return the values of the decision variables for the literals' values."""
        true = np.flatnonzero(literals[: len(self.value)])
        row = np.zeros(len(self.first), dtype=np.int64)
        row[self.owner[true]] = self.value[true]
        return row


def _lines(kind: str, literals: list[list[int]]) -> Copies:
    new = Copies(len(literals))
    new.text, new.fields[f"{kind}.literals"] = f"constraints{{{kind}{{}}}}", literals
    return new


ensure_room("ortools")

LARGE = 2**30  # from here on inclusions may lose solutions: of products from 2^31, of sums from 2^36 seen
SURE = 2**20  # up to it no product of two, and no sum of those, leaves CP-SAT's range
HUGE = 2**50  # from here on a refusal without a reason is one of numbers
_TOO_LARGE = ("overflow", "int64")  # in CP-SAT's reasons, of numbers


@dataclass(frozen=True)
class Translation:
    """A model in CP-SAT's form and the way back."""

    proto: Any  # CP-SAT's CpModelProto
    columns: IntArray  # CP-SAT's indices of the decision variables
    board: BooleanBoard | None
    how: list[str]
    offset: int
    sign: int
    extremes: bool = False  # it has minima, maxima or absolute values in CP-SAT's own form
    largest: int = 0  # the largest absolute value of any variable
    reach: int = 0  # the largest absolute value of any variable and any sum
    least: int = 0  # of CP-SAT's objective, less its constant, within the domains
    terms_reach: float = 0.0  # what the absolute values of its terms may add up to
    ending: float = 0.0  # how many seconds before the limit CP-SAT is to be told to stop

    def presolve(self, listing: bool) -> tuple[dict[str, Any], str]:
        """Return the parameters of CP-SAT's presolve by which OR-Tools 9.15 answers rightly, and why these.

        Cases of each kind are in tests/backends/test_cpsat.py.
        """
        if listing and self.extremes:
            return {"cp_model_presolve": False}, "off: minima and maxima are enumerated wrongly with it"
        if self.reach >= LARGE:
            return {"presolve_inclusion_work_limit": 0}, "without inclusions: large numbers lose solutions"
        return {}, ""

    def values(self, solution: list[int]) -> IntArray:
        """Return the decision variables' values in CP-SAT's solution."""
        array = np.array(solution, dtype=np.int64)
        return self.board.decode(array) if self.board is not None else array[self.columns]

    def limit_objective(self, limit: int) -> None:
        """Let CP-SAT look for objective values up to ``limit``.

        A bound that was proved before is not written: presolve takes longer by it, and one that is met ends
        the search anyway.
        """
        self.proto.objective.domain.extend([LOWEST, self.sign * (limit - self.offset)])

    def add_hint(self, request: Request) -> None:
        """Give CP-SAT the hinted values."""
        chosen = np.flatnonzero(request.hinted)
        hint = self.proto.solution_hint
        hint.vars.extend(self.columns[chosen].tolist())
        assert request.hint is not None
        hint.values.extend(request.hint[chosen].tolist())

    def in_ours(self, value: int) -> int:
        """Return a value of CP-SAT's objective, less its constant, as one of the model's."""
        return self.sign * value + self.offset

    def is_met(self, bound: int, value: int) -> bool:
        """Say whether nothing is better than ``value``, by a bound."""
        return self.sign * bound >= self.sign * value

    def objective_is_exact(self) -> bool:
        """Say whether the sum of the objective, which CP-SAT adds up as floats, cannot be rounded."""
        # presolve may put any variables into the objective
        return self.largest < 2**40 and self.terms_reach + abs(self.offset) < 2**52


def translate(
    model: Statement, boolean: bool = False, objective: bool = True, named: bool = False
) -> Translation:
    """Return the model in CP-SAT's form, with the names of its variables if it is to be ``named``.

    ``boolean`` allows the formulation for large boards. Without ``objective`` the objective is left out:
    CP-SAT would enumerate only the optimal solutions. Nobody else has the native model.
    """
    lowered = lower(model, supports, "cpsat", objective=objective, joined=True)
    decisions = model.decisions
    board = BooleanBoard(lowered, decisions) if boolean and fits(lowered, decisions) else None
    if board is not None:
        proto = new_proto()
        read(proto, board.parts)
        return Translation(proto, np.zeros(0, dtype=np.int64), board, lowered.how, 0, _sign(lowered))
    written = written_model(model, lowered, named)
    proto, writer = written.proto, written.writer
    began = time.thread_time()
    if model.is_large and not named:
        proto = new_proto(written.proto)
    # A stop in OR-Tools' presolve is followed by copies, counts and hashes that take 6 to 18 times as long as
    # a copy of the model (9.15); a second of that may come after the limit.
    ending = max(0.0, 12 * (time.thread_time() - began) - 1.0)
    numbers = (writer.offset, _sign(lowered), writer.extremes, lowered.store.span, writer.reach)
    more = (writer.least, writer.terms_reach, ending)
    return Translation(proto, writer.positions[decisions], None, lowered.how, *numbers, *more)


def _sign(lowered: Lowered) -> int:
    return -1 if lowered.maximizing else 1


def refusal(model: Statement, translation: Translation) -> ModelInvalid:
    """Return why CP-SAT refuses the model, in words of ours where its numbers are the reason.

    Without a reason of CP-SAT's, a model of huge numbers was valid until presolve put them together.
    """
    reason = (invalid(translation.proto).strip().splitlines() or [""])[0]
    if any(word in reason for word in _TOO_LARGE) or (not reason and translation.largest >= HUGE):
        return ModelInvalid(
            "cpsat refuses the model: its numbers are too large, sums of one constraint go up to 2^62 - 1 "
            "and the ranges of all variables together to 2^63 - 2; narrow the domains; "
            f"{named.able_backends(model, exclude='cpsat')}"
        )
    return ModelInvalid(f"cpsat refuses the model: {reason or 'invalid parameters'}")


@dataclass(frozen=True)
class Export:
    """A native CP-SAT model and its variables by name.

    >>> from ortools.sat.python import cp_model
    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(1, 3, name="x")
    >>> m.maximize(x)
    >>> there, solver = m.to_cpsat(), cp_model.CpSolver()
    >>> _ = solver.solve(there.model)
    >>> there.assignment(solver)
    {'x': 3}

    Attributes
    ----------
    model
        A ``CpModel`` of OR-Tools.
    columns
        Indices of the native variables by the names here.
    """

    model: Any
    columns: Mapping[str, int]  # the indices of these variables

    @cached_property
    def variables(self) -> Mapping[str, Any]:
        """The native variables by name."""
        return {n: self.model.get_int_var_from_proto_index(c) for n, c in self.columns.items()}

    def assignment(self, solver: Any) -> dict[str, int]:
        """Return ``{name: value}`` of a native solver's solution, for ``Model.check``."""
        return {name: int(solver.value(variable)) for name, variable in self.variables.items()}


def export(model: Statement) -> Export:
    """Return the native OR-Tools model, and each decision variable of ours in it by name.

    The backend ``cpsat`` solves it with ``auto_detect_greater_than_at_least_one_of`` off, and in some cases
    (`Translation.presolve`) without presolve or a part of it, where OR-Tools 9.15 answers wrongly. Its
    objective has the sense and the value of ours.
    """
    constraints_in_range(model)
    if len(model.goals) > 1:
        raise UnsupportedRequest(
            f"a native model has one objective, this one {len(model.goals)}; {ONE_BY_ONE}"
        )
    translation = translate(model, named=True)
    if translation.reach >= SURE and invalid(translation.proto):
        raise refusal(model, translation)
    there = model_class()(translation.proto)
    proto = there.proto
    proto.name = model.name
    if proto.has_objective():
        constant = translation.sign * translation.offset
        proto.objective.scaling_factor = translation.sign
        proto.objective.offset = constant
        if rest := constant - int(proto.objective.offset):  # an offset is a double there
            proto.objective.vars.append(there.new_constant(1).index)
            proto.objective.coeffs.append(rest)
    columns = dict(zip(model.blocks.names(), translation.columns.tolist(), strict=True))
    return Export(there, columns)
