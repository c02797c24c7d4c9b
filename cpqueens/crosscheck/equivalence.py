"""Do two models mean the same? Sets of solutions over shared variables, compared by proof and by witness.

"What one accepts and the other does not" is a model like any other, because every constraint can be negated:
the first model, and the negation of some constraint of the second. If it has no solution, which exact solvers
prove, the first is contained in the second; if it has one, that is a witness, which the checker of the second
refuses by name and line. Where the second model has variables of its own, "no values for them" cannot be said
so: candidates of the first are tried one by one, and one counts only once the second with the shared values
fixed is *proved* infeasible.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cpqueens.answers.outcome import Outcome, Solution
from cpqueens.crosscheck.joint import (
    Joint,
    Side,
    any_value,
    in_domain,
    reached_constraints,
    shared_variables,
    side,
)
from cpqueens.crosscheck.two_models import Difference, ModelComparison, ModelRelation
from cpqueens.errors import CpqueensError
from cpqueens.language.functions import any_
from cpqueens.language.rebuild import rebuilt
from cpqueens.model import Model
from cpqueens.solving.request import positive_seconds
from cpqueens.solving.solve import STOP
from cpqueens.system.interrupts import Interrupt, listening
from cpqueens.text.needed import needed

SECONDS = 10.0
SOLVERS = ("cpsat", "backtracking")
"""Exact solvers that are asked, in this order; a second one confirms a proof while there is time."""


def compare(
    a: Model,
    b: Model,
    *,
    mapping: Mapping[str, str] | None = None,
    time_limit: float = SECONDS,
    solvers: Sequence[str] = SOLVERS,
) -> ModelComparison:
    """Say how the solutions of two models compare, over the variables that they share.

    Parameters
    ----------
    a, b
        Two models. Soft constraints are not compared.
    mapping
        Names of variables, or of arrays of the same shape, of ``a`` and what they are called in ``b``; by
        default all names that both have. Further variables are projected away.
    time_limit
        Wall seconds for everything.
    solvers
        Exact solvers to ask, the first one first.

    Raises
    ------
    ModelError
        If no variable is shared, or a name in the mapping is not one.
    CpqueensError
        For everything that a solver refuses.

    Examples
    --------
    >>> from cpqueens import AllDifferent, Model, compare
    >>> a, b = Model("a"), Model("b")
    >>> x, y = a.intvar(1, 3, shape=3, name="x"), b.intvar(1, 3, shape=3, name="x")
    >>> a += AllDifferent(x)
    >>> b += [y[0] != y[1], y[1] != y[2]]
    >>> found = compare(a, b)
    >>> print(found.verdict, found.differences[0].refused)
    A_IN_B a
    """
    needed(a, Model, "a: a model")
    needed(b, Model, "b: a model")
    seconds = positive_seconds(time_limit, "time_limit") or SECONDS
    shared = shared_variables(a, b, mapping)
    with listening() as interrupt:
        work = _Comparison(side("a", a), side("b", b), shared, tuple(solvers), interrupt, seconds)
        return work.run()


def assert_equivalent(a: Model, b: Model, **options: Any) -> None:
    """Fail unless two models are proved to have the same solutions, and the same best value.

    Parameters
    ----------
    a, b, options
        As for `compare`.

    Raises
    ------
    AssertionError
        With what was found: a witness, or that nothing is proved.

    Examples
    --------
    >>> from cpqueens import Model
    >>> from cpqueens.testing import assert_equivalent
    >>> a, b = Model(), Model()
    >>> x, y = a.intvar(0, 3, name="x"), b.intvar(0, 3, name="x")
    >>> a += x >= 2
    >>> b += y > 1
    >>> assert_equivalent(a, b)
    """
    found = compare(a, b, **options)
    if not found.equal:
        raise AssertionError(str(found))


def redundant_constraints(
    model: Model, *, time_limit: float = SECONDS, solvers: Sequence[str] = SOLVERS
) -> tuple[int, ...]:
    """Return the positions of the constraints that the others imply, each taken alone.

    Of two that imply each other both are returned; without both, solutions may be gained. What is not decided
    in the time is not returned.

    Parameters
    ----------
    model
        Any model.
    time_limit
        Wall seconds for all.
    solvers
        Exact solvers to ask.

    Examples
    --------
    >>> from cpqueens import Model
    >>> from cpqueens.crosscheck.equivalence import redundant_constraints
    >>> m = Model()
    >>> x = m.intvar(0, 9, shape=3, name="x")
    >>> m += [x[0] < x[1], x[1] < x[2], x[0] < x[2]]
    >>> redundant_constraints(m)
    (2,)
    """
    deadline = time.monotonic() + (positive_seconds(time_limit, "time_limit") or SECONDS)
    found = []
    own = [k for k, posted in enumerate(model.constraints) if posted.source is not None]
    for at, k in enumerate(own):
        other = rebuilt(model, objective=False, edit=lambda j, c, at=at: ~c if j == at else c)  # type: ignore[misc]
        left = deadline - time.monotonic()
        if left <= 0:
            break
        if _infeasible(other, solvers, left):
            found.append(k)
    return tuple(found)


def _infeasible(model: Model, solvers: Sequence[str], seconds: float) -> bool:
    for solver in solvers:
        outcome = model.solve(solver=solver, time_limit=seconds)
        if outcome.complete or outcome.solution is not None:
            return outcome.status == "INFEASIBLE"
    return False


# ---- the comparison --------------------------------------------------------------------------------------


@dataclass
class _Comparison:
    """The questions, asked one after the other."""

    a: Side
    b: Side
    shared: dict[str, tuple[int, int]]
    solvers: tuple[str, ...]
    interrupt: Interrupt
    seconds: float
    proofs: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.began = time.monotonic()
        self.end = self.began + self.seconds

    def run(self) -> ModelComparison:
        """Ask in both directions, then what both share."""
        half = self.began + 0.45 * self.seconds
        only_a, a_in_b = self._direction(self.a, self.b, half)
        only_b, b_in_a = self._direction(self.b, self.a, self.end)
        differences = tuple(d for d in (only_a, only_b) if d is not None)
        verdict = self._verdict(only_a, a_in_b, only_b, b_in_a)
        optima = self._optima() if verdict is ModelRelation.EQUAL else (None, None)
        spent = time.monotonic() - self.began
        return ModelComparison(verdict, tuple(self.shared), differences, self.proofs, optima, spent)

    def _verdict(
        self, only_a: Difference | None, a_in_b: bool, only_b: Difference | None, b_in_a: bool
    ) -> ModelRelation:
        if a_in_b and b_in_a:
            return ModelRelation.EQUAL
        if a_in_b and only_b is not None:
            return ModelRelation.A_IN_B
        if b_in_a and only_a is not None:
            return ModelRelation.B_IN_A
        if only_a is None and only_b is None:
            return ModelRelation.NO_DIFFERENCE_FOUND
        common = self._common()
        if common is None:
            return ModelRelation.DIFFERENT
        if not common:
            return ModelRelation.DISJOINT
        return ModelRelation.OVERLAP if only_a is not None and only_b is not None else ModelRelation.DIFFERENT

    def _ends(self, first: Side) -> list[tuple[int, int]]:
        """Return the shared variables, those of ``first`` first."""
        return [(v, w) if first is self.a else (w, v) for v, w in self.shared.values()]

    def _direction(self, first: Side, second: Side, end: float) -> tuple[Difference | None, bool]:
        """Return what ``first`` accepts and ``second`` does not, and whether that is proved to be nothing."""
        pairs = self._ends(first)
        question = f"{first.name} accepts nothing that {second.name} refuses"
        own = second.private(w for _, w in pairs)
        needed_own = reached_constraints(second.model, own)
        joint = Joint(first, second, pairs)
        refusals = joint.refusals(needed_own)
        if refusals:
            joint.model.add(any_(refusals))
            outcome = self._ask(joint.model, question if not needed_own else None, end)
            if outcome is not None and outcome.solution is not None:
                return self._difference(first, second, pairs, joint.values(outcome.solution), None), False
            if not needed_own:
                return None, question in self.proofs
        elif not needed_own:
            self.proofs[question] = ("no constraint and no domain of it refuses anything",)
            return None, True
        return self._one_by_one(first, second, pairs, question, end)

    def _ask(self, model: Model, question: str | None, end: float) -> Outcome | None:
        """Solve, by one solver after the other; note who proved that there is nothing."""
        proved: list[str] = []
        for k, solver in enumerate(self.solvers):
            left = end - time.monotonic()
            if left <= 0 or self.interrupt.poll():
                break
            if proved:
                left = min(left, 0.3 * left)
            try:
                outcome = model.solve(solver=solver, time_limit=left)
            except CpqueensError:
                if k + 1 == len(self.solvers) and not proved:
                    raise
                continue
            if outcome.solution is not None:
                return outcome
            if outcome.complete:
                proved.append(solver)
        if proved and question is not None:
            self.proofs[question] = tuple(proved)
        return None

    def _difference(
        self,
        first: Side,
        second: Side,
        pairs: Sequence[tuple[int, int]],
        values: Sequence[int],
        proved_by: str | None,
    ) -> Difference:
        """Return a witness, with why the other model refuses it by its own checker."""
        if proved_by is not None:
            reasons: tuple[str, ...] = (f"no values of its own variables go with it (proved by {proved_by})",)
        else:
            given = dict(zip((w for _, w in pairs), values, strict=True))
            others = {
                v: any_value(second.model, v) for v in second.model.decisions.tolist() if v not in given
            }
            check = second.model.check({second.model.name_of(v): n for v, n in {**others, **given}.items()})
            assert not check.ok, "the witness that a solver gave is none"
            reasons = (*check.problems, *(f"{v.label} {v.where}".rstrip() for v in check.violations))
        named = dict(zip(self.shared, values, strict=True))
        return Difference(named, first.name, second.name, tuple(reasons))

    def _one_by_one(
        self, first: Side, second: Side, pairs: Sequence[tuple[int, int]], question: str, end: float
    ) -> tuple[Difference | None, bool]:
        """Try the candidates of ``first`` one by one: the other has variables of its own."""
        seen: set[tuple[int, ...]] = set()
        found: list[Difference] = []
        undecided = False
        mine = [first.model.name_of(v) for v, _ in pairs]

        def candidate(solution: Solution) -> Any:
            nonlocal undecided
            values = tuple(int(solution[name]) for name in mine)
            if values in seen:
                return None
            seen.add(values)
            left = end - time.monotonic()
            if left <= 0:
                return STOP
            by = self._refused_by(second, [w for _, w in pairs], values, left)
            if by is None:
                undecided = True
            elif by:
                found.append(self._difference(first, second, pairs, values, by))
                return STOP
            return None

        for solver in self.solvers:
            left = end - time.monotonic()
            if left <= 0:
                break
            outcome = first.model.enumerate(candidate, solver=solver, time_limit=left)
            if found:
                return found[0], False
            if outcome.complete and not undecided:
                self.proofs[question] = (f"{solver}, {len(seen)} candidates one by one",)
                return None, True
            break
        return None, False

    def _refused_by(
        self, second: Side, variables: Sequence[int], values: Sequence[int], seconds: float
    ) -> str | None:
        """Return who proved that ``second`` refuses these values; "" if it does not, None if unknown."""
        fixed = second.model.copy()
        for variable, value in zip(variables, values, strict=True):
            if not in_domain(second.model, variable, value):
                return "its domains"
            fixed.add(fixed[fixed.name_of(variable)] == value)
        for solver in reversed(self.solvers):
            outcome = fixed.solve(solver=solver, time_limit=seconds)
            if outcome.solution is not None:
                return ""
            if outcome.complete:
                return solver
        return None

    def _common(self) -> bool | None:
        """Say whether both accept something; None if that was not decided."""
        joint = Joint(self.a, self.b, self._ends(self.a))
        joint.post_second()
        question = "no assignment is accepted by both"
        outcome = self._ask(joint.model, question, max(self.end, time.monotonic() + 0.1 * self.seconds))
        if outcome is not None:
            return True
        return False if question in self.proofs else None

    def _optima(self) -> tuple[int | None, int | None]:
        """Return the proved best values, where both have an objective."""
        models = [side.objective for side in (self.a, self.b)]
        if any(model.objective is None for model in models):
            return None, None
        values: list[int | None] = []
        for model in models:
            left = max(0.05, self.end - time.monotonic())
            outcome = model.solve(solver=self.solvers[0], time_limit=left)
            values.append(outcome.objective if outcome.complete and outcome.solution is not None else None)
        return values[0], values[1]
