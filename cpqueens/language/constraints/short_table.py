"""A list of allowed rows in which a star stands for any value."""

from cpqueens.language.constraints.table import Table


class ShortTable(Table):
    """The tuple of terms is one of the given rows, where ``"*"`` matches any value (Jefferson et al. 2013).

    The violation is the smallest number of positions in which the tuple differs from a row (at least 1
    where there is no row). A `Table` takes such rows too.

    >>> from cpqueens import ANY, Model, ShortTable
    >>> m = Model()
    >>> x = m.intvar(0, 9, shape=2, name="x")
    >>> m.add(ShortTable(x, [(1, ANY), ("*", 4)]))
    >>> m.count(solver="python-constraint")
    19

    Parameters
    ----------
    terms
        An array of k terms, or a list of terms and integers.
    rows
        Rows of k integers or ``"*"`` (`cpqueens.ANY`), as lists or as an array of objects.

    Raises
    ------
    ModelError
        For rows of another length, or anything else in them.
    """
