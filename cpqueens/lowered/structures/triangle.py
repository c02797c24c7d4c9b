"""One permutation under short rows of differences, as Costas arrays are: for a search by words of bits."""

from dataclasses import dataclass

import numpy as np

from cpqueens.lowered.columns import blocks, bounds, merged
from cpqueens.lowered.compiled import Compiled, Terms
from cpqueens.lowered.neighbourhood import derive

MOST_SLOTS = 2_000_000
WIDEST = 62
"""Values of a row, which are bits of a word."""


@dataclass(frozen=True)
class Triangle:
    """How many rows there are, and how many terms of two variables."""

    rows: int
    terms: int


def find(compiled: Compiled) -> Triangle | None:
    """Return a model in which all but one whole permutation is AllDifferents over pairs of its variables."""
    c, n = compiled, compiled.decision_count
    others = c.objective is not None or len(c.linear) or len(c.clause_start) > 1 or c.tables or c.counts
    if others or not len(c.different):
        return None
    neighbourhood = c.once(derive)
    if len(neighbourhood.groups) != 1:
        return None
    (group,) = neighbourhood.groups
    if len(group.variables) < n or not group.uniform or group.spare:
        return None
    all_rows = enumerate(blocks(c.different, c.different_start))
    rows = [terms for k, terms in all_rows if k not in neighbourhood.kept]
    if not rows or len(rows) * n > MOST_SLOTS or not all(_is_row(terms, c) for terms in rows):
        return None
    return Triangle(len(rows), sum(len(terms) for terms in rows))


def _is_row(terms: Terms, compiled: Compiled) -> bool:
    """Say whether terms are of two decisions each, no two of the same two, and of few values."""
    n = compiled.decision_count
    rows, variables, coefficients = merged(terms)
    if (
        len(rows) != 2 * len(terms)
        or not len(terms)
        or (variables >= n).any()
        or (rows[::2] != rows[1::2]).any()
    ):
        return False
    inner = Terms(np.arange(0, len(rows) + 1, 2), variables, coefficients, terms.constant)
    lower, upper = bounds(inner, compiled)
    few = int(upper.max()) - int(lower.min()) < WIDEST and np.bincount(variables).max() <= 2
    return bool(few) and len(np.unique(variables.reshape(-1, 2), axis=0)) == len(terms)
