"""AllDifferents over ranges that are too wide for a counter per value, as disequalities of pairs."""

from __future__ import annotations

import numpy as np

from cpqueens.backends.local_search.problem import Builder, Kind
from cpqueens.lowered.compiled import Compiled, Terms

NARROW = 1_000_000  # values that are always worth a counter each
COUNTERS_PER_PAIR = 100
MAX_PAIRS = 50_000


def too_wide(compiled: Compiled, first: int, last: int) -> bool:
    """Say whether the AllDifferent over terms ``first`` .. ``last - 1`` is better taken apart into pairs.

    It is where counters would be more than `NARROW` and far more than pairs.
    """
    count = last - first
    pairs = count * (count - 1) // 2
    if pairs > MAX_PAIRS:
        return False
    low, high = _range(compiled, first, last)
    return high - low + 1 > max(NARROW, COUNTERS_PER_PAIR * pairs)


def _range(compiled: Compiled, first: int, last: int) -> tuple[int, int]:
    """Return bounds of the terms' values; (0, 0) without terms."""
    found = [(0, 0)] if first == last else []
    for t in range(first, last):
        variables, coefficients, constant = compiled.different.row(t)
        ends = np.stack([coefficients * compiled.lower[variables], coefficients * compiled.upper[variables]])
        found.append((constant + int(ends.min(axis=0).sum()), constant + int(ends.max(axis=0).sum())))
    return min(low for low, _ in found), max(high for _, high in found)


def add_pairwise(builder: Builder, terms: Terms, first: int, last: int) -> None:
    """Add ``term != term`` for every two of the terms ``first`` .. ``last - 1``."""
    for a in range(first, last):
        variables, coefficients, constant = terms.row(a)
        for b in range(a + 1, last):
            others, other_coefficients, other_constant = terms.row(b)
            difference = builder.add_rows(
                [len(variables) + len(others)],
                np.append(variables, others),
                np.append(coefficients, -other_coefficients),
                [constant - other_constant],
            )
            builder.add(Kind.LINEAR, difference, relation="!=")
