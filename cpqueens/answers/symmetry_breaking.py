"""Constraints that keep one solution of each orbit, for symmetries that turn terms as they turn numbers."""

from __future__ import annotations

from cpqueens.answers.symmetry import IDENTITY, Group
from cpqueens.errors import ModelError
from cpqueens.language.constraints.lexicographic import LexLessEqual
from cpqueens.language.expressions import LinearArray


def lex_leader(terms: LinearArray, group: Group) -> list[LexLessEqual]:
    """Return constraints that hold for the lexicographically least solution of each orbit alone.

    >>> from cpqueens import AllDifferent, Model
    >>> from cpqueens.answers.symmetry import PERMUTATIONS
    >>> m = Model()
    >>> x = m.intvar(0, 3, shape=4, name="x")
    >>> m += [AllDifferent(x), *lex_leader(x, PERMUTATIONS)]
    >>> m.count(solver="cpsat")
    8

    Parameters
    ----------
    terms
        All variables of a solution, in the order of the model.
    group
        Their symmetries, as a problem's ``symmetries`` gives them.

    Raises
    ------
    ModelError
        For a symmetry that puts values in the place of variables, as turning a board does that is told by the
        column of each row: state it square by square, or break the others alone.
    """
    row = terms.reshape(1, -1)
    found = []
    for symmetry in group:
        if symmetry is IDENTITY:
            continue
        try:
            image = symmetry.map(row)  # type: ignore[arg-type]
        except (TypeError, ValueError, IndexError, ModelError):
            raise ModelError(
                f"symmetries: {symmetry.name} is not a map of terms; state the model square by square"
            ) from None
        found.append(LexLessEqual(row[0], image[0]))
    return found
