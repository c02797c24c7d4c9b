"""Rows in lexicographic order."""

from typing import ClassVar

from cpqueens.language.constraints.lex_chain import LexChain
from cpqueens.language.constraints.lex_less_equal import LexLessEqual
from cpqueens.language.constraints.lexicographic import Lexicographic


class LexChainLessEqual(LexChain):
    """Each row of a matrix is lexicographically at most the next (Catalogue: lex_chain_lesseq).

    The violation is that of `LexLessEqual`, summed over all rows and their next ones.

    >>> from cpqueens import LexChainLessEqual, Model
    >>> m = Model()
    >>> x = m.intvar(0, 1, shape=(3, 2), name="x")
    >>> m.add(LexChainLessEqual(x))
    >>> m.count(solver="python-constraint")
    20

    Parameters
    ----------
    matrix
        An array of terms of shape (rows, columns), or a list of rows of one length.

    Raises
    ------
    ModelError
        For any other shape.
    """

    order: ClassVar[type[Lexicographic]] = LexLessEqual
