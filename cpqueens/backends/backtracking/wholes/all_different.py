"""What AllDifferent gets besides taking the values of fixed variables from the others."""

from functools import lru_cache

import numpy as np

from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.propagators import all_different_values as values
from cpqueens.kernels.exact.propagators.all_different_values import matching_data
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled

TIGHT = 2
"""Values for each term up to which a matching pays; beyond that, Hall sets are too rare."""

MOST_TERMS = 1 << 10
"""Terms of which each change of one is worth a look at all."""

MOST_EDGES = 1 << 18
"""Pairs of a term and a value that a matching may have to look at."""


def add_hall_sets(terms: IntArray, low: int, high: int, parts: Parts) -> None:
    """Add propagation of sets of values that are no more than the terms that need them.

    ``terms`` are rows (variable, coefficient, constant) with values ``low`` .. ``high``. Where there are many
    more values than terms, it would not pay.
    """
    many, span = len(terms), high - low + 1
    if 3 <= many <= MOST_TERMS and span <= TIGHT * many and (span < many or span * many <= MOST_EDGES):
        data = _filled(_matching(many, low, high), terms)
        parts.propagator(Propagator("all_different_values", terms[:, 0].tolist(), numbers=data))


@lru_cache(maxsize=16)
def _matching(many: int, low: int, high: int) -> IntArray:
    """Return the data of a matching without terms."""
    return np.array(matching_data([(0, 0, 0)] * many, low, high), dtype=np.int64)


def _filled(data: IntArray, terms: IntArray) -> IntArray:
    """Return a copy of the data with these terms: a model has many AllDifferents of one size."""
    filled, first, width = data.copy(), values.HEADER + values.VARIABLE, values.NODE
    last = first + width * (len(terms) - 1) + 1
    filled[first:last:width] = terms[:, 0] * at.X_WIDTH
    filled[first + 1 : last + 1 : width] = terms[:, 1]
    filled[first + 2 : last + 2 : width] = terms[:, 2]
    return filled


def is_empty_board(compiled: Compiled) -> bool:
    """Say whether all that there is are AllDifferents over all variables, with offsets: queens.

    There few Hall sets are found until little is left to be searched; looking for them takes more time than
    it saves.
    """
    c = compiled
    if len(c.different_start) < 3 or len(c.linear):
        return False
    rules = [len(c.domains), len(c.linear), len(c.tables), len(c.wholes), len(c.definitions)]
    groups = np.diff(c.different_start)
    only = not any(rules) and len(c.clause_start) == 1 and c.objective is None
    whole = len(groups) > 1 and bool((groups == c.decision_count).all())
    return only and whole and len(set(zip(c.lower, c.upper, strict=True))) == 1
