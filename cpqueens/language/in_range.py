"""Checking that all terms of a model stay within the range that `cpqueens.language.ranges` states."""

from collections.abc import Iterable, Sequence

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.definitions import Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.ranges import LIMIT, OutOfRange
from cpqueens.language.rows import IntArray, greatest, least
from cpqueens.language.statement import Statement
from cpqueens.language.term import Term
from cpqueens.language.wording import describe

_TOGETHER = 1000  # numbers of an array of middle size
_LONGEST = 120  # characters of a constraint in a message


def require_terms(model: Statement, arrays: Iterable[tuple[LinearArray, int]]) -> None:
    """Check all terms of arrays over the variables of ``model``, each with the largest reach of its terms.

    Raises
    ------
    OutOfRange
        If the reach of one is too large.
    """
    arrays = list(arrays)
    if not _surely_in_range([array for array, _ in arrays], model.span):
        for array, most in arrays:
            if not _surely_in_range([array], model.span):
                array.bind(model).bounds(most)


def _surely_in_range(arrays: Sequence[LinearArray], largest: int, added: bool = False) -> bool:
    """Say whether even the largest numbers of arrays, put together in one term, stay within the range.

    Several are looked at together, unless they are too large to be copied into one. With ``added``, even the
    sum of as many such terms as the arrays have does.
    """
    together = {id(array): array for array in arrays}.values()  # many constraints may share one
    coefficients, constants, shapes, most = [], [], {(1, 0)}, 0
    for array in together:
        if isinstance(array, Term):  # in its own numbers: arrays for each take ten times as long
            most = max(most, sum(map(abs, array.coefficient_list)) * largest + abs(array.constant))
            continue
        constants.append(array.constants)
        coefficients.append(array.coefficients.reshape(-1))
        shapes.add(array.coefficients.shape)
    size, width = map(max, zip(*shapes, strict=True))
    if len(together) > 1 and sum(map(len, coefficients)) > _TOGETHER * len(together):
        return False
    most = max(most, width * _largest(coefficients) * largest + _largest(constants))
    return most * (len(arrays) * size if added else 1) <= LIMIT


def _largest(parts: list[IntArray]) -> int:
    if not parts:
        return 0
    numbers = np.concatenate(parts)
    return max(int(greatest(numbers, initial=0)), -int(least(numbers, initial=0)))


def constraints_in_range(model: Statement) -> list[Constraint]:
    """Return all constraints, linear relations joined into arrays, after checking them and the objective.

    The arguments of functions and of truths were checked when these were defined.

    Raises
    ------
    OutOfRange
        Naming the constraint and the term.
    """
    try:
        joined, goals = model._constraints.joined(), [goal.term for goal in model.goals]
        parts = [a for c in joined for a in (c.arguments if c.adds_up else c.ranged)]
        if not _surely_in_range([*parts, *goals], model.span, added=True):
            arrays = [(a, c.most) for c in joined for a in c.ranged]
            require_terms(model, [*arrays, *((term, LIMIT) for term in goals)])
    except ModelError as error:
        raise _located(model) or error from None
    return joined


def _located(model: Statement) -> OutOfRange | None:
    """Return the error of the first constraint, or of the objective, that is out of range."""
    for posted in model.constraints:
        try:
            require_terms(model, [(a, posted.constraint.most) for a in posted.constraint.ranged])
        except ModelError as error:
            place = posted.name or posted.where or describe(model, posted.constraint)
            return OutOfRange(f"{place[-_LONGEST:]}: {error}")
    try:
        require_terms(model, [(goal.term, LIMIT) for goal in model.goals])
    except ModelError as error:
        return OutOfRange(f"objective: {error}")
    return None


def require_computable(model: Statement, known: IntArray, row: IntArray) -> None:
    """Check that the model can be evaluated at an assignment that leaves the domains.

    Parameters
    ----------
    known, row
        The decision variables and their values, both (decision variables,).

    Raises
    ------
    OutOfRange
        If a term may leave the range there.
    """
    wider = model.copy()
    lower, upper = wider.lower, wider.upper
    lower[known], upper[known] = np.minimum(lower[known], row), np.maximum(upper[known], row)
    wider.domains.clear()
    wider.span = 1 << 63  # as long as it is not known: all terms are looked at closely
    for definition in model.definitions:
        bound, at = definition.bind(wider), definition.results
        if isinstance(bound, Truth):
            bound.constraint.require_range()
        lower[at], upper[at] = bound.bounds()
    wider.span = max(1, -int(lower.min(initial=0)), int(upper.max(initial=0)))
    constraints_in_range(wider)
