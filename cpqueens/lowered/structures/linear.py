"""Objectives under linear rows, clauses of intervals among them: knapsacks, coverings, packings."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cpqueens.language.rows import IntArray
from cpqueens.lowered.columns import KINDS_AND_SIGNS, merged
from cpqueens.lowered.compiled import LE, NE, Compiled, Terms, joined

LARGEST = 1 << 40
"""Activities, beyond which scores are not worth the trouble of testing for overflow."""


@dataclass(frozen=True)
class LinearForm:
    """An objective, which is row 0, under linear rows of integer columns, and what the columns stand for.

    Attributes
    ----------
    row, variable, coefficient
        Of each entry, by row and column (``variable``), ascending.
    constant, kind
        Of each row, ``EQUAL`` or ``AT_MOST`` 0.
    lower, upper
        Of each column.
    into, back
        Turn an assignment of the model into one of the columns, and back; the latter takes any columns.
    """

    row: IntArray
    variable: IntArray
    coefficient: IntArray
    constant: IntArray
    kind: IntArray
    lower: IntArray
    upper: IntArray
    into: Callable[[IntArray], IntArray] = np.copy
    back: Callable[[IntArray], IntArray] = np.copy


def is_small(form: LinearForm) -> bool:
    """Say whether scores of moves stay far within 64 bits."""
    reach = int(np.abs([form.lower, form.upper]).max(initial=1))
    return int(np.abs(form.coefficient).sum()) * reach < LARGEST


def find(compiled: Compiled) -> LinearForm | None:
    """Return a model that is an objective under equalities, inequalities and clauses of intervals.

    None if it is anything else.
    """
    c, n = compiled, compiled.decision_count
    if (
        c.objective is None
        or len(c.objective) > 1
        or c.tables
        or c.counts
        or len(c.different)
        or (c.relation == NE).any()
        or min(c.domains, default=n) < n
    ):
        return None
    parts = (c.linear, c.literals, c.objective)
    if not all((part.variable < n).all() for part in parts):
        return None
    form = _written(c)
    return form if is_small(form) else None


def _written(compiled: Compiled) -> LinearForm:
    """Return the form of a model that is linear."""
    assert compiled.objective is not None, "a model without objective has no form"
    n = compiled.decision_count
    parts = [compiled.objective, compiled.linear]
    if len(compiled.clause_start) > 1:
        parts.append(_clauses(compiled))
    rows, clauses = joined(parts), np.full(len(compiled.clause_start) - 1, LE)
    kinds, signs = KINDS_AND_SIGNS[np.concatenate([[LE], compiled.relation, clauses])].T
    row, variable, coefficient = merged(rows)
    return LinearForm(
        row, variable, coefficient * signs[row], rows.constant * signs, kinds,
        compiled.lower[:n], compiled.upper[:n],
    )  # fmt: skip


def _clauses(compiled: Compiled) -> Terms:
    """Return ``1 - sum`` of each clause's literals, at most 0 where it holds."""
    literals, start = compiled.literals, compiled.clause_start
    ends = literals.start[start]
    sums = [int(literals.constant[a:b].sum()) for a, b in pairwise(start.tolist())]
    return Terms(
        ends - ends[0],
        literals.variable,
        -literals.coefficient,
        np.array([1 - c for c in sums], dtype=np.int64),
    )
