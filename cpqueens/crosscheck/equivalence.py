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

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cpqueens.answers.symmetry import Group, as_group
from cpqueens.backends.clock import limited, now
from cpqueens.crosscheck.directions import Direction
from cpqueens.crosscheck.joint import Joint, OutOfTimeError, reaching
from cpqueens.crosscheck.matching import Matched, Side, matched
from cpqueens.crosscheck.roles import SOLVERS, Questions
from cpqueens.crosscheck.two_models import Best, ModelComparison, ModelRelation, compare_orbits
from cpqueens.errors import CpqueensError
from cpqueens.language.functions import any_
from cpqueens.model import Model
from cpqueens.solving.request import positive_seconds
from cpqueens.system.interrupts import listening
from cpqueens.text.foreign import explaining_keywords
from cpqueens.text.parameters import needed

SECONDS = 10.0


@explaining_keywords
def compare(
    a: Model,
    b: Model,
    *,
    mapping: Mapping[str, Any] | Sequence[tuple[Any, Any]] | None = None,
    time_limit: float | None = None,
    solvers: Sequence[str] = SOLVERS,
    symmetries: Group = (),
    random_seed: int = 0,
) -> ModelComparison:
    """Compare the solutions of two models, over the variables that they share.

    >>> from cpqueens import AllDifferent, Model, compare
    >>> a, b = Model("a"), Model("b")
    >>> x, y = a.intvar(1, 3, shape=3, name="x"), b.intvar(1, 3, shape=3, name="x")
    >>> a += AllDifferent(x)
    >>> b += [y[0] != y[1], y[1] != y[2]]
    >>> found = compare(a, b)
    >>> print(found.verdict, found.differences[0].refused)
    A_IN_B a

    A square of a permutation matrix is 1 where a permutation has its row in its column.

    >>> c = Model("c")
    >>> z = c.boolvar(shape=(3, 3), name="z")
    >>> c += [z.sum(axis=0) == 1, z.sum(axis=1) == 1]
    >>> print(compare(a, c, mapping={"x": z @ [1, 2, 3]}).verdict)
    EQUAL

    Parameters
    ----------
    a, b
        Two models. Soft constraints are not compared.
    mapping
        Names of variables, or of arrays of the same shape, in ``a``, with their names in ``b``; by default
        all names that both have. Other variables are projected away. Instead of a name you can give a term, a
        Boolean, or an array of them; for those of ``a``, write a list of pairs.
    time_limit
        Seconds by the clock for everything; by default 10 seconds of processor time.
    solvers
        Exact solvers to ask, the first one first.
    symmetries
        A symmetry group of the solutions over the shared variables, in their order (see
        `cpqueens.answers.symmetry`). Then the result also says which orbits each model loses; both sets are
        listed for this, within the same time again.
    random_seed
        Seed of the solvers' random choices.

    Raises
    ------
    ModelError
        If no variable is shared, a name in the mapping is unknown, or a symmetry does not fit a solution.
    CpqueensError
        For everything that the solvers refuse.

    Examples
    --------
    """
    needed(a, Model, "a: a model")
    needed(b, Model, "b: a model")
    needed(solvers, (list, tuple), "solvers: a list")
    began = time.monotonic()
    with limited(positive_seconds(time_limit, "time_limit"), SECONDS) as seconds:
        found = _comparison(a, b, mapping, seconds, tuple(solvers), symmetries, random_seed)
    return replace(found, seconds=time.monotonic() - began)


def _comparison(
    a: Model,
    b: Model,
    mapping: Any,
    seconds: float,
    solvers: tuple[str, ...],
    symmetries: Group,
    random_seed: int,
) -> ModelComparison:
    """Compare two models in so many seconds, see `clock.now`."""
    pair = matched(a, b, mapping)
    optimised = bool(pair.a.whole.goals), bool(pair.b.whole.goals)
    with listening() as interrupt:
        questions = Questions(solvers, seconds, interrupt, random_seed=random_seed)
        found = _compared(pair, questions, _FOR_SETS if all(optimised) else 1.0)
        found = replace(found, objectives=optimised)
        if all(optimised):
            found = compare_optima(pair, questions, found, _compared)
    if as_group(symmetries):
        plain = pair.a.model, pair.b.model
        orbits = compare_orbits(*plain, pair.shared, symmetries, time_limit=seconds, solvers=solvers)
        found = replace(found, orbits=orbits)
    return found


def assert_equivalent(a: Model, b: Model, **options: Any) -> None:
    """Fail unless two models are proved to have the same solutions, and the same best value.

    >>> from cpqueens import Model
    >>> from cpqueens.testing import assert_equivalent
    >>> a, b = Model(), Model()
    >>> x, y = a.intvar(0, 3, name="x"), b.intvar(0, 3, name="x")
    >>> a += x >= 2
    >>> b += y > 1
    >>> assert_equivalent(a, b)

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
    """
    found = compare(a, b, **options)
    if not found.equal:
        raise AssertionError(str(found))


# ---- the comparison --------------------------------------------------------------------------------------

_ROUNDS = (0.03, 0.12, 0.3, 1.0, 1.0)
"""What each direction has in a round, of all the time; at most an equal share of what is left."""
_FOR_COMMON = 0.1
"""Of the time, for what both accept where each accepts what the other does not."""
_FOR_SETS = 0.6
"""Of the time, for all solutions where optimal ones are to be compared, too."""


def _compared(matched: Matched, questions: Questions, share: float = 1.0) -> ModelComparison:
    """Ask in both directions, in rounds, then what both share."""
    started, began = time.monotonic(), now()
    names, pairs = tuple(matched.shared), list(matched.shared.values())
    a, b = matched.a, matched.b
    only_a = Direction(a, b, pairs, names, questions)
    only_b = Direction(b, a, [(w, v) for v, w in pairs], names, questions)
    end = began + (share - _FOR_COMMON) * questions.seconds
    for part in _ROUNDS:
        waiting = [direction for direction in (only_a, only_b) if not direction.decided]
        for k, direction in enumerate(waiting):
            left = min(end - now(), questions.left)
            if left > 0:
                direction.advance(min(part * questions.seconds, left / (len(waiting) - k)))
    verdict, common = _verdict(only_a, only_b, None), None
    if verdict is ModelRelation.DIFFERENT:
        both, values = _common(matched, pairs, questions)
        verdict = _verdict(only_a, only_b, both)
        common = dict(zip(names, values, strict=True)) if both else None
    differences = tuple(d.difference for d in (only_a, only_b) if d.difference is not None)
    seconds = time.monotonic() - started
    return ModelComparison(verdict, names, differences, questions.proofs, seconds=seconds, common=common)


def _verdict(only_a: Direction, only_b: Direction, both: bool | None) -> ModelRelation:
    """Return the relation; ``both`` says whether some assignment is accepted by both, None if unknown."""
    if only_a.proved and only_b.proved:
        return ModelRelation.EQUAL
    if only_a.proved and only_b.difference is not None:
        return ModelRelation.A_IN_B
    if only_b.proved and only_a.difference is not None:
        return ModelRelation.B_IN_A
    if only_a.difference is None and only_b.difference is None:
        return ModelRelation.NO_DIFFERENCE_FOUND
    if both is False:
        return ModelRelation.DISJOINT
    decided = both is not None and only_a.difference is not None and only_b.difference is not None
    return ModelRelation.OVERLAP if decided else ModelRelation.DIFFERENT


def _common(
    matched: Matched, pairs: list[tuple[int, int]], questions: Questions
) -> tuple[bool | None, list[int]]:
    """Say whether both accept something, and what; None if that was not decided."""
    try:
        joint = Joint(matched.a, matched.b, pairs, questions.end)
        joint.post_second()
    except OutOfTimeError:
        return None, []
    question = "no assignment is accepted by both"
    outcome = questions.ask(joint.model, question, questions.left)
    if outcome is not None and outcome.solution is not None:
        return True, joint.values(outcome.solution)
    return False if question in questions.proofs else None, []


# ---- objectives ------------------------------------------------------------------------------------------


SAME = "where both accept, the objectives have the same values"
_AT_ONCE = 0.1  # of the time, for the best values where they are known to be equal


@dataclass(frozen=True)
class _Found:
    """The proved best values of one model; that it has no solution is known of a model with none."""

    values: tuple[int, ...] | None = None
    infeasible: bool = False

    @property
    def best(self) -> Best | None:
        if self.values is None:
            return None
        return self.values[0] if len(self.values) == 1 else self.values


def compare_optima(
    matched: Matched,
    questions: Questions,
    found: ModelComparison,
    compare_sets: Callable[[Matched, Questions], ModelComparison],
) -> ModelComparison:
    """Return a comparison with the best values, and the comparison of the optimal solutions.

    Parameters
    ----------
    matched
        Two models, both with objectives.
    questions
        The time, and the solvers, that are left.
    found
        The comparison of all solutions.
    compare_sets
        Compares sets of solutions.
    """
    same = found.verdict is ModelRelation.EQUAL and _same_objectives(matched, questions)
    if same:
        first = _optimum(matched.a, questions, _AT_ONCE * questions.seconds)
        optimal = ModelComparison(ModelRelation.EQUAL, found.shared, (), {SAME: questions.proofs[SAME]})
        return replace(found, optima=(first.best, first.best), optimal=optimal)
    first = _optimum(matched.a, questions, 0.4 * questions.left)
    second = _optimum(matched.b, questions, 0.6 * questions.left)
    found = replace(found, optima=(first.best, second.best))
    if (first.values is None and not first.infeasible) or (second.values is None and not second.infeasible):
        return found
    narrowed = replace(matched, a=_optimal(matched.a, first), b=_optimal(matched.b, second))
    left = replace(questions, seconds=max(0.001, questions.left), proofs={})
    return replace(found, optimal=compare_sets(narrowed, left))


def _same_objectives(matched: Matched, questions: Questions) -> bool:
    """Say whether the objectives are proved to be the same function of what both accept."""
    goals = matched.a.whole.goals, matched.b.whole.goals
    if [goal.maximizing for goal in goals[0]] != [goal.maximizing for goal in goals[1]]:
        return False
    try:
        joint = Joint(matched.a, matched.b, list(matched.shared.values()), questions.end)
    except OutOfTimeError:
        return False
    if any(map(reaching(matched.b.whole, joint.free()), (goal.term for goal in goals[1]))):
        return False
    mine, theirs = joint.objectives()
    differences = [a - b for a, b in zip(mine, theirs, strict=True)]
    if all(not (variables or constant) for d in differences for variables, _, constant in d.rows()):
        questions.proofs[SAME] = ("they are stated in the same words",)
        return True
    joint.model.add(any_([difference != 0 for difference in differences]))
    questions.ask(joint.model, SAME, 0.3 * questions.left)
    return SAME in questions.proofs


def _optimum(side: Side, questions: Questions, seconds: float) -> _Found:
    """Return what the first solver that proves it says of the best values."""
    for k, solver in enumerate(questions.solvers):
        left = min(seconds, questions.left) * (0.7 if k + 1 < len(questions.solvers) else 1)
        if left <= 0:
            break
        try:
            outcome = side.whole.solve(solver=solver, time_limit=left, random_seed=questions.random_seed)
        except CpqueensError:
            continue
        if outcome.complete and outcome.solution is not None:
            return _Found(tuple(outcome.objectives))
        if outcome.complete:
            return _Found(infeasible=True)
    return _Found()


def _optimal(side: Side, found: _Found) -> Side:
    """Return the model of its optimal solutions alone."""
    model = side.model.copy()
    for goal, value in zip(side.whole.goals, found.values or (), strict=False):
        model.add(goal.term == value, name="best value")
    return Side(side.name, model, model)
