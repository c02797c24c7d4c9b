"""Do two models mean the same? Sets of solutions over shared variables, compared by proof and by witness.

"What one accepts and the other does not" is a model like any other, because every constraint can be negated:
the first model, and the negation of some constraint of the second. If it has no solution, which exact solvers
prove, the first is contained in the second; if it has one, that is a witness, which the checker of the second
refuses by name and line. Of the second model's own variables those that are functions of the shared ones are
replaced by these. For others "no values for them" cannot be said so: a candidate of the first counts only
once the second with the shared values fixed is *proved* infeasible; else the values found for them stand for
all candidates that they suit, and the next one is sought among the others (as Janota and Marques-Silva 2011
do for quantified formulas). What is left of the time goes to trying candidates one by one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cpqueens.answers.outcome import Outcome, Solution
from cpqueens.answers.symmetry import Group, as_group
from cpqueens.crosscheck.joint import (
    Joint,
    Side,
    any_value,
    in_domain,
    reached_constraints,
    shared_variables,
    side,
)
from cpqueens.crosscheck.orbit_comparison import compare_orbits
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
_SAMPLES = 3  # solutions of local search that are looked at where proof takes long
SOLVERS = ("cpsat", "backtracking")
"""Exact solvers that are asked, in this order; a second one confirms a proof while there is time."""


def compare(
    a: Model,
    b: Model,
    *,
    mapping: Mapping[str, str] | None = None,
    time_limit: float = SECONDS,
    solvers: Sequence[str] = SOLVERS,
    symmetries: Group = (),
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
    symmetries
        Of the solutions over the shared variables, in their order (see `cpqueens.answers.symmetry`): says
        also which orbits each loses. Both sets are listed for it, within as many seconds again.

    Raises
    ------
    ModelError
        If no variable is shared, a name in the mapping is not one, or a symmetry does not suit a solution.
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
        found = work.run()
    if as_group(symmetries):
        plain = [side("", model).model for model in (a, b)]
        orbits = compare_orbits(plain[0], plain[1], shared, symmetries, time_limit=seconds, solvers=solvers)
        found = replace(found, orbits=orbits)
    return found


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
        left = self.end - time.monotonic()
        if left > 0 and only_a is None and not a_in_b:  # the other one has not taken all of its time
            only_a, a_in_b = self._direction(self.a, self.b, self.end)
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
        joint = Joint(first, second, pairs)
        own = reached_constraints(second.model, joint.free())
        refusals = joint.refusals(own)
        asked = question if not own else f"{question} by constraints over shared variables alone"
        if refusals:
            joint.model.add(any_(refusals))
            outcome = self._ask(joint.model, asked, time.monotonic() + 0.3 * (end - time.monotonic()))
            if outcome is None and asked not in self.proofs:
                sampled = self._sampled(first, second, pairs, question, end)
                if sampled is not None or question in self.proofs:
                    return sampled, question in self.proofs
                outcome = self._ask(joint.model, asked, end)
            if outcome is not None and outcome.solution is not None:
                values = joint.values(outcome.solution)
                own_values = joint.functional_values(outcome.solution)
                return self._difference(first, second, pairs, values, None, own_values), False
        else:
            self.proofs[asked] = ("what it says the other says too",)
        if not own or asked not in self.proofs:  # what follows asks for the constraints in ``own`` alone
            return None, question in self.proofs
        soon = time.monotonic() + 0.6 * (end - time.monotonic())
        found, decided = self._refined(first, second, pairs, own, question, soon)
        if found is not None or decided:
            return found, decided
        return self._one_by_one(first, second, pairs, question, end)

    def _sampled(
        self, first: Side, second: Side, pairs: Sequence[tuple[int, int]], question: str, end: float
    ) -> Difference | None:
        """Return a witness among some solutions of ``first``, where checking is all that it takes.

        That it has none at all may be proved on the way: of the model alone exact engines know the patterns.
        """
        private = second.private(w for _, w in pairs)
        for outcome in self._samples(first, question, end):
            if private or outcome.solution is None:
                break
            values = [int(outcome.solution[first.model.name_of(v)]) for v, _ in pairs]
            names = (second.model.name_of(w) for _, w in pairs)
            if not second.model.check(dict(zip(names, values, strict=True))).ok:
                return self._difference(first, second, pairs, values, None)
        return None

    def _samples(self, first: Side, question: str, end: float) -> Iterator[Outcome]:
        """Yield solutions: of an exact engine, and of local search if it has a form for all constraints."""
        found = self._ask(first.model, question, time.monotonic() + 0.2 * (end - time.monotonic()))
        if question in self.proofs:
            return
        if found is not None:
            yield found
        for seed in range(_SAMPLES):
            limit = max(0.01, 0.2 * (end - time.monotonic()))
            try:
                yield first.model.solve(solver="local-search", random_seed=seed, time_limit=limit)
            except CpqueensError:
                return

    def _refined(
        self,
        first: Side,
        second: Side,
        pairs: Sequence[tuple[int, int]],
        own: set[int],
        question: str,
        end: float,
    ) -> tuple[Difference | None, bool]:
        """Seek candidates that no values found so far for the second's free variables suit.

        Returns a witness, and whether it is proved that constraints in ``own`` refuse none.
        """
        joint = Joint(first, second, pairs)
        free = joint.free()
        while time.monotonic() < end:
            outcome = self._ask(joint.model, question, end)
            if outcome is None or outcome.solution is None:
                return None, question in self.proofs
            values = joint.values(outcome.solution)
            by, suited = self._refused_by(second, [w for _, w in pairs], values, end - time.monotonic())
            if by is None:
                break
            if suited is None:
                return self._difference(first, second, pairs, values, by), False
            given = {w: int(suited[second.model.name_of(w)]) for w in free}
            joint.model.add(any_(joint.refusals_beside(own, given)))
        return None, False

    def _ask(self, model: Model, question: str | None, end: float) -> Outcome | None:
        """Solve, by one solver after the other in equal shares; note who proved that there is nothing."""
        proved: list[str] = []
        for k, solver in enumerate(self.solvers):
            left = end - time.monotonic()
            if left <= 0 or self.interrupt.poll():
                break
            left *= 0.3 if proved else 1 / (len(self.solvers) - k)  # where one is lost another may not be
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
        own_values: Mapping[int, int] | None = None,
    ) -> Difference:
        """Return a witness, with why the other model refuses it by its own checker."""
        if proved_by is not None:
            reasons: tuple[str, ...] = (f"no values of its own variables go with it (proved by {proved_by})",)
        else:
            given = dict(zip((w for _, w in pairs), values, strict=True))
            others = {
                v: any_value(second.model, v) for v in second.model.decisions.tolist() if v not in given
            }
            whole = {**others, **(own_values or {}), **given}
            check = second.model.check({second.model.name_of(v): n for v, n in whole.items()})
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
            by, suited = self._refused_by(second, [w for _, w in pairs], values, left)
            if by is None:
                undecided = True
            elif suited is None:
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
    ) -> tuple[str | None, Solution | None]:
        """Return who decided whether ``second`` refuses these values, None if nobody; a solution if not."""
        fixed = second.model.copy()
        for variable, value in zip(variables, values, strict=True):
            if not in_domain(second.model, variable, value):
                return "its domains", None
            fixed.add(fixed[fixed.name_of(variable)] == value)
        for solver in reversed(self.solvers):
            outcome = fixed.solve(solver=solver, time_limit=max(0.01, seconds))
            if outcome.complete or outcome.solution is not None:
                return solver, outcome.solution
        return None, None

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
