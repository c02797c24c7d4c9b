"""Strict lexicographic order."""

from typing import ClassVar

from cpqueens.language.constraints.lexicographic import Lexicographic


class LexLess(Lexicographic):
    """``first`` is lexicographically less than ``second`` (Catalogue: lex_less).

    The violation is the number of positions from the one that decides to the end.

    >>> from cpqueens import LexLess, Model
    >>> m = Model()
    >>> x, y = m.intvar(0, 1, shape=(2, 2), name="x")
    >>> m.add(LexLess(x, y))
    >>> m.count(solver="python-constraint")
    6

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

    strict: ClassVar[bool] = True
