"""Rows in strict lexicographic order."""

from typing import ClassVar

from cpqueens.language.constraints.lex_chain import LexChain
from cpqueens.language.constraints.lex_less import LexLess
from cpqueens.language.constraints.lexicographic import Lexicographic


class LexChainLess(LexChain):
    """Each row of a matrix is lexicographically less than the next (Catalogue: lex_chain_less).

    The violation is that of `LexLess`, summed over all rows and their next ones.

    >>> from cpqueens import LexChainLess, Model
    >>> m = Model()
    >>> x = m.intvar(0, 1, shape=(3, 2), name="x")
    >>> m.add(LexChainLess(x))
    >>> m.count(solver="python-constraint")
    4

    Parameters
    ----------
    matrix
        An array of terms of shape (rows, columns), or a list of rows of one length.

    Raises
    ------
    ModelError
        For any other shape.
    """

    order: ClassVar[type[Lexicographic]] = LexLess
