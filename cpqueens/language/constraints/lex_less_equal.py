"""Lexicographic order."""

from typing import ClassVar

from cpqueens.language.constraints.lexicographic import Lexicographic


class LexLessEqual(Lexicographic):
    """``first`` is lexicographically at most ``second`` (Catalogue: lex_lesseq).

    The violation is the number of positions from the one that decides to the end.

    >>> from cpqueens import LexLessEqual, Model
    >>> m = Model()
    >>> x, y = m.intvar(0, 1, shape=(2, 2), name="x")
    >>> m.add(LexLessEqual(x, y))
    >>> m.count(solver="python-constraint")
    10

    Parameters
    ----------
    first, second
        Terms or integers, both of shape (n,).

    Raises
    ------
    ModelError
        For lengths that differ, or terms of two models.
    IntegerError
        For what is no integer, where integers are needed.
    """

    strict: ClassVar[bool] = False
