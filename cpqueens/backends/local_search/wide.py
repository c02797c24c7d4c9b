"""AllDifferents over ranges that are too wide for a counter per value, as disequalities of pairs."""

import numpy as np

from cpqueens.backends.local_search.columns import bounds, differences
from cpqueens.lowered.compiled import Compiled, Terms

NARROW = 1_000_000  # values that are always worth a counter each
COUNTERS_PER_PAIR = 100
MAX_PAIRS = 50_000


def too_wide(terms: Terms, compiled: Compiled) -> bool:
    """Say whether the AllDifferent over ``terms`` is better taken apart into pairs.

    It is where counters would be more than `NARROW` and far more than pairs.
    """
    pairs = len(terms) * (len(terms) - 1) // 2
    if not len(terms) or pairs > MAX_PAIRS:
        return False
    lower, upper = bounds(terms, compiled)
    return int(upper.max()) - int(lower.min()) + 1 > max(NARROW, COUNTERS_PER_PAIR * pairs)


def pairwise_differences(terms: Terms) -> Terms:
    """Return the difference of every two terms."""
    first, second = np.triu_indices(len(terms), 1)
    return differences(terms.picked(first), terms.picked(second))
