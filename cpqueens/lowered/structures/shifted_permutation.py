"""One permutation under further AllDifferents over ``x + o``: queens of any size."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.lowered.compiled import Compiled, Singles

MAX_SPREAD = 64  # counters per variable and AllDifferent that are still worth having


@dataclass(frozen=True, eq=False)
class ShiftedPermutation:
    """All ``size`` variables have the domain ``low`` .. ``low + size - 1``, and all differ.

    Attributes
    ----------
    offsets
        int32 of shape (further AllDifferents, size): counter number minus (value - low).
    counters
        How many counters there are.
    """

    size: int
    low: int
    offsets: NDArray[np.int32]
    counters: int


def find(compiled: Compiled) -> ShiftedPermutation | None:
    """Return the model as a permutation under AllDifferents over ``x + o``, None if it is anything else."""
    low = least_value(compiled.lower, compiled.upper, compiled.decision_count)
    if low is None or not is_alone(compiled) or compiled.definitions or len(compiled.linear):
        return None
    return _shifted(compiled.decision_count, low, single_terms(compiled))


def find_stated(model: Statement) -> ShiftedPermutation | None:
    """Return the same straight from a model, without compiling it; None also for some that are compiled.

    For millions of variables: no copy of the terms is made.
    """
    n = len(model.decisions)
    low = None if model.variable_count != n else least_value(model.lower, model.upper, n)
    if low is None or model.objective is not None or model.domains:
        return None
    return _shifted(n, low, map(_posted, model._constraints))


def _posted(constraint: Any) -> Singles | None:
    """Return the terms of an AllDifferent if each is of one variable, in the order of these."""
    if constraint.kind != "AllDifferent" or constraint.terms.width != 1:
        return None
    terms = constraint.terms
    variables = terms.variables[:, 0]
    return (variables, terms.coefficients[:, 0], terms.constants) if is_in_order(variables) else None


def _shifted(n: int, low: int, different: Iterable[Singles | None]) -> ShiftedPermutation | None:
    kept, offsets = False, []
    for found in different:
        if not kept and is_over_all(found, n):
            kept = True
            continue
        row = None if found is None else _offsets(n, *found)
        if row is None:
            return None
        offsets.append(row)
    return _with_counters(n, low, offsets) if kept and offsets else None


def _offsets(n: int, variables: IntArray, coefficients: IntArray, constants: IntArray) -> IntArray | None:
    """Return o, by variable, of an AllDifferent over ``x + o`` for all variables, None for others."""
    if len(variables) != n or (coefficients != 1).any():
        return None
    if is_in_order(variables):  # the common case, and no copy
        return constants
    if not distinct(variables):
        return None
    row = np.zeros(n, dtype=np.int64)
    row[variables] = constants
    return row


def _with_counters(n: int, low: int, offsets: list[IntArray]) -> ShiftedPermutation | None:
    """Return the pattern for these offsets; None if the counters would be too many."""
    base = 0
    rows = np.zeros((len(offsets), n), dtype=np.int32)
    for c, row in enumerate(offsets):
        least, most = int(row.min()), int(row.max())
        span = n + most - least
        if span > MAX_SPREAD * n or base + span >= 2**31:
            return None
        np.subtract(row, least - base, out=rows[c], casting="unsafe")
        base += span
    return ShiftedPermutation(n, low, rows, base)


# ---- what other permutations ask, too ----------------------------------------------------------------------


def least_value(lower: IntArray, upper: IntArray, n: int) -> int | None:
    """Return the least value if all variables share an interval of as many values as they are."""
    lower, upper = lower[:n], upper[:n]
    same = n > 0 and (lower == lower[0]).all() and (upper == lower[0] + n - 1).all()
    return int(lower[0]) if same else None


def is_alone(compiled: Compiled) -> bool:
    """Say whether there are only AllDifferents, linear rows and definitions, and no domain has gaps."""
    others = compiled.tables or compiled.counts or compiled.wholes or len(compiled.clause_start) > 1
    gaps = any(v < compiled.decision_count for v in compiled.domains)
    return not others and not gaps and compiled.objective is None


def single_terms(compiled: Compiled) -> Iterable[Singles | None]:
    """Yield the AllDifferents whose terms have one variable each, None for others."""
    for first, last in pairwise(compiled.different_start.tolist()):
        yield compiled.different.singles(first, last)


def is_in_order(variables: IntArray) -> bool:
    """Say whether each variable is the one before it, plus 1."""
    return bool((np.diff(variables) == 1).all())


def distinct(variables: IntArray) -> bool:
    """Say whether no number (from 0, not far above their count) is there twice.

    In milliseconds for a million, for which ``np.unique``, by hashing, takes seconds.
    """
    return len(variables) == 0 or int(np.bincount(variables).max()) <= 1


def plain_variables(found: Singles | None, n: int) -> IntArray | None:
    """Return the variables of terms a*x + c, a and c common to all, if they are distinct and below n."""
    if found is None or not len(found[0]):
        return None
    variables, coefficients, constants = found
    same = (coefficients == coefficients[0]).all() and (constants == constants[0]).all()
    return (
        variables if same and coefficients[0] != 0 and (variables < n).all() and distinct(variables) else None
    )


def is_over_all(found: Singles | None, n: int) -> bool:
    """Say whether an AllDifferent is over all n variables themselves."""
    return found is not None and len(found[0]) == n and plain_variables(found, n) is not None
