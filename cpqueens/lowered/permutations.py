"""Models that are one permutation: n variables over the same n neighbouring values, all different.

Three kinds, each for a kernel of local search: further AllDifferents over ``x + o``, as queens has; one
AllDifferent over absolute differences along a path, as all-interval series have; sums of lines, as magic
squares have.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import EQ, Compiled, Singles, Terms

if TYPE_CHECKING:
    from cpqueens.language.statement import Statement

MAX_SPREAD = 64  # counters per variable and AllDifferent that are still worth having
MIN_CELLS = 36  # smaller permutations leave too few exchanges to choose from
MAX_CONSTRAINTS = 2000  # a table of lines times lines is kept


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


@dataclass(frozen=True, eq=False)
class PathPermutation:
    """The variables in the ``order`` of a path, all different, as are the differences along it."""

    order: IntArray
    low: int


@dataclass(frozen=True, eq=False)
class LinesPermutation:
    """Cells with the values ``low`` .. ``low + size - 1``, all different, and the sums of lines of cells.

    Attributes
    ----------
    lines
        The cells of each line, ascending.
    totals
        What each line must sum to in values that begin with 0.
    """

    size: int
    low: int
    lines: tuple[IntArray, ...]
    totals: IntArray


def find_shifted_permutation(compiled: Compiled) -> ShiftedPermutation | None:
    """Return the model as a permutation under AllDifferents over ``x + o``, None if it is anything else."""
    low = _lowest(compiled.lower, compiled.upper, compiled.decision_count)
    if low is None or not _alone(compiled) or compiled.definitions or len(compiled.linear):
        return None
    return _shifted(compiled.decision_count, low, _different(compiled))


def shifted_permutation_of(model: Statement) -> ShiftedPermutation | None:
    """Return the same straight from a model, without compiling it; None also for some that are compiled.

    For millions of variables: no copy of the terms is made.
    """
    n = len(model.decisions)
    if model.objective is not None or model.domains or model.variable_count != n:
        return None
    low = _lowest(model.lower, model.upper, n)
    if low is None:
        return None
    return _shifted(n, low, (_posted(posted.constraint) for posted in model.constraints))


def takes_permutations(model: Statement) -> bool:
    """Say whether there is no objective, and all variables have the same values, as many as they are."""
    n = len(model.decisions)
    lower, upper = model.lower[model.decisions], model.upper[model.decisions]
    return model.objective is None and not model.domains and _lowest(lower, upper, n) is not None


def _posted(constraint: Any) -> Singles | None:
    """Return the terms of an AllDifferent if each is of one variable, in the order of these."""
    if constraint.kind != "AllDifferent" or constraint.terms.width != 1:
        return None
    terms = constraint.terms
    variables = terms.variables[:, 0]
    return (variables, terms.coefficients[:, 0], terms.constants) if _in_order(variables) else None


def _lowest(lower: IntArray, upper: IntArray, n: int) -> int | None:
    """Return the least value if all variables share an interval of as many values as they are."""
    lower, upper = lower[:n], upper[:n]
    same = n > 0 and (lower == lower[0]).all() and (upper == lower[0] + n - 1).all()
    return int(lower[0]) if same else None


def _alone(compiled: Compiled) -> bool:
    """Say whether there are only AllDifferents, linear rows and definitions, and no domain has gaps."""
    others = compiled.tables or compiled.counts or compiled.wholes or len(compiled.clause_start) > 1
    gaps = any(v < compiled.decision_count for v in compiled.domains)
    return not others and not gaps and compiled.objective is None


def _different(compiled: Compiled) -> Iterable[Singles | None]:
    """Yield the AllDifferents whose terms have one variable each, None for others."""
    for first, last in pairwise(compiled.different_start.tolist()):
        yield compiled.different.singles(first, last)


def _in_order(variables: IntArray) -> bool:
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


def _is_plain(found: Singles | None, n: int) -> bool:
    """Say whether an AllDifferent is over all n variables themselves."""
    return found is not None and len(found[0]) == n and plain_variables(found, n) is not None


def _shifted(n: int, low: int, different: Iterable[Singles | None]) -> ShiftedPermutation | None:
    kept, offsets = False, []
    for found in different:
        if not kept and _is_plain(found, n):
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
    if _in_order(variables):  # the common case, and no copy
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


def find_lines(compiled: Compiled) -> LinesPermutation | None:
    """Return the model as a permutation under equations of plain sums, None if it is anything else."""
    n, lines = compiled.decision_count, len(compiled.linear)
    low = _lowest(compiled.lower, compiled.upper, n)
    if n < MIN_CELLS or low is None or not _alone(compiled) or compiled.definitions or not lines:
        return None
    different = len(compiled.different_start) - 1
    if not 0 < different <= MAX_CONSTRAINTS - lines or (compiled.relation != EQ).any():
        return None
    if not all(_is_plain(found, n) for found in _different(compiled)):
        return None
    found = [_line(compiled.linear, t) for t in range(lines)]
    cells = [line for line in found if line is not None]
    totals = [total - low * len(line) for line, total in cells]
    # a total beyond n * n is out of every line's reach, and sums of such distances could wrap around
    if len(cells) < lines or any(abs(total) > n * n for total in totals):
        return None
    return LinesPermutation(n, low, tuple(line for line, _ in cells), np.array(totals, dtype=np.int64))


def _line(terms: Terms, t: int) -> tuple[IntArray, int] | None:
    """Return the cells of a sum that equals a constant, and the constant; None for anything else."""
    variables, coefficients, constant = terms.row(t)
    if len(variables) == 0 or abs(coefficients[0]) != 1 or (coefficients != coefficients[0]).any():
        return None
    return (np.sort(variables), int(-constant * coefficients[0])) if distinct(variables) else None


def find_path(compiled: Compiled) -> PathPermutation | None:
    """Return the model as a permutation along a path of differences, None if it is anything else.

    The differences, all different, are terms |u - v| (plus a constant common to all) whose pairs form a path
    through all variables.
    """
    n = compiled.decision_count
    low = _lowest(compiled.lower, compiled.upper, n)
    if n < 3 or low is None or not _alone(compiled) or len(compiled.linear):
        return None
    different = list(_different(compiled))
    plain = [_is_plain(found, n) for found in different]
    if sorted(plain) != [False, True]:
        return None
    order = _path(compiled, different[plain.index(False)])
    return None if order is None else PathPermutation(order, low)


def _path(compiled: Compiled, differences: Singles | None) -> IntArray | None:
    n = compiled.decision_count
    if differences is None or len(differences[0]) != n - 1:
        return None
    variables, coefficients, constants = differences
    if (coefficients != coefficients[0]).any() or (constants != constants[0]).any():
        return None
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for variable in variables.tolist() if abs(coefficients[0]) == 1 else ():
        pair = _pair(compiled, variable)
        if pair is None:
            return None
        u, v = pair
        neighbours[u].append(v)
        neighbours[v].append(u)
    ends = [v for v in range(n) if len(neighbours[v]) == 1]
    if len(ends) != 2:
        return None
    order, previous = [ends[0]], -1
    while len(order) < n:
        further = [w for w in neighbours[order[-1]] if w != previous]
        if len(further) != 1:
            return None
        previous = order[-1]
        order.append(further[0])
    return np.array(order, dtype=np.int64)


def _pair(compiled: Compiled, variable: int) -> tuple[int, int] | None:
    """Return u and v of a defined variable |u - v|, else None."""
    n = compiled.decision_count
    if variable < n or compiled.definitions[variable - n].kind != "abs":
        return None
    variables, coefficients, constant = compiled.definitions[variable - n].terms.row(0)
    if constant != 0 or sorted(coefficients.tolist()) != [-1, 1]:
        return None
    u, v = variables.tolist()
    return (u, v) if u != v and max(u, v) < n else None
