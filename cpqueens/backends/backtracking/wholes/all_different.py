"""What AllDifferent gets besides taking the values of fixed variables from the others."""

from collections.abc import Sequence

import numpy as np

from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator
from cpqueens.kernels import domains as at
from cpqueens.kernels.propagate_all_different_ends import hall_data
from cpqueens.kernels.propagate_all_different_values import matching_data
from cpqueens.lowered.compiled import Compiled

TIGHT = 2
"""Values for each term up to which a matching pays."""

LOOSE = 8
"""Values for each term beyond which Hall intervals are too rare to be looked for."""


def add_hall_sets(terms: Sequence[tuple[int, int, int]], parts: Parts) -> None:
    """Add propagation of sets of values that are no more than the terms that need them.

    ``terms`` are (variable, coefficient, constant). Where there are many more values than terms, it would not
    pay.
    """
    bounds = [(parts.bounds(v), a, c) for v, a, c in terms]
    ends = [a * end + c for both, a, c in bounds for end in both]
    low, high = min(ends), max(ends)
    values = high - low + 1
    variables = [v for v, _, _ in terms]
    placed = [(v * at.X_WIDTH, a, c) for v, a, c in terms]
    if len(terms) < 3 or values > LOOSE * len(terms):
        return
    if values <= TIGHT * len(terms):
        data = matching_data(placed, low, high)
        parts.propagator(Propagator("all_different_values", variables, numbers=data))
    else:
        data = hall_data(placed)
        parts.propagator(Propagator("all_different_ends", variables, numbers=data, events=at.BOUND))


def is_empty_board(compiled: Compiled) -> bool:
    """Say whether all that there is are AllDifferents over all variables, with offsets: queens.

    There few Hall sets are found until little is left to be searched; looking for them takes more time than
    it saves.
    """
    c = compiled
    rules = [len(c.domains), len(c.linear), len(c.tables), len(c.wholes), len(c.definitions)]
    groups = np.diff(c.different_start)
    only = not any(rules) and len(c.clause_start) == 1 and c.objective is None
    whole = len(groups) > 1 and bool((groups == c.decision_count).all())
    return only and whole and len(set(zip(c.lower, c.upper, strict=True))) == 1
