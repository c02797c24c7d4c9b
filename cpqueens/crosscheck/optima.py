"""The objectives of two models: best values, and the sets of optimal solutions, compared as any others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cpqueens.crosscheck.joint import Joint, OutOfTimeError, reaching
from cpqueens.crosscheck.matching import Matched, Side
from cpqueens.crosscheck.questions import Questions
from cpqueens.crosscheck.two_models import Best, ModelComparison, ModelRelation
from cpqueens.errors import CpqueensError
from cpqueens.language.functions import any_

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
