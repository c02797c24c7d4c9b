"""What functions and kinds of constraints mean, written a second time, for the oracle (`crosscheck.oracle`).

It imports nothing of the package, so that it cannot share its errors. Each kind has its few lines, from the
Global Constraint Catalogue; ``c`` is a constraint, of which only the fields are read.
"""

import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

# ---- definitions: values, and where they are defined ----------------------------------------------------


def _total(function: Callable[..., np.ndarray]) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    return lambda *parts: (function(*parts), np.ones(len(parts[0]), dtype=bool))


def _by_rows(function: Callable[[int, int], int]) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    def divide(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = [function(a, b) if b else 0 for a, b in zip(x.tolist(), y.tolist(), strict=True)]
        return np.array(values, dtype=object), np.asarray(y != 0, dtype=bool)

    return divide


def _c_quotient(a: int, b: int) -> int:
    size = abs(a) // abs(b)
    return size if (a < 0) == (b < 0) else -size


def _fold(choose: Callable[..., int]) -> Callable[..., np.ndarray]:
    def fold(*parts: np.ndarray) -> np.ndarray:
        rows = zip(*(p.tolist() for p in parts), strict=True)
        return np.array([choose(row) for row in rows], dtype=object)

    return fold


# Their arguments are at most `oracle.LARGE`, or Python's integers: a product fits.
DEFINITIONS: dict[str, Callable[..., tuple[np.ndarray, np.ndarray]]] = {
    "abs": _total(lambda x: np.where(x < 0, -x, x)),
    "product": _total(lambda x, y: x * y),
    "quotient": _by_rows(lambda a, b: a // b),
    "remainder": _by_rows(lambda a, b: a - b * (a // b)),
    "quotient_truncated": _by_rows(_c_quotient),
    "remainder_truncated": _by_rows(lambda a, b: a - b * _c_quotient(a, b)),
    "minimum": _total(_fold(min)),
    "maximum": _total(_fold(max)),
    "zero": _total(lambda x: x * 0),
}


# ---- constraint kinds -----------------------------------------------------------------------------------


def _each(function: Callable[..., Any]) -> Callable[..., np.ndarray]:
    """Return what says of each assignment whether its rows, one of each array, are as they must be."""

    def holds(*arrays: np.ndarray) -> np.ndarray:
        rows = zip(*(array.tolist() for array in arrays), strict=True)
        return np.array([function(*row) for row in rows], dtype=bool)

    return holds


def _linear(c: Any, expression: np.ndarray, relation: str) -> np.ndarray:
    return {
        "==": expression == 0,
        "!=": expression != 0,
        "<=": expression <= 0,
        "<": expression < 0,
        ">=": expression >= 0,
        ">": expression > 0,
    }[relation]


def _literals(c: Any, literals: np.ndarray) -> np.ndarray:
    """Return literals as (assignments, elements, k)."""
    shape = c.literals.shape
    return (literals != 0).reshape(len(literals), int(np.prod(shape[:-1])), shape[-1])


def _implication(c: Any, literals: np.ndarray) -> np.ndarray:
    b = _literals(c, literals)
    return ~b[:, :, 0] | b[:, :, 1]


def _all_different_except(c: Any, terms: np.ndarray, excepted: tuple[int, ...]) -> np.ndarray:
    def distinct(row: list[int]) -> bool:
        kept = [v for v in row if v not in excepted]
        return len(kept) == len(set(kept))

    return _each(distinct)(terms)


def _table(c: Any, terms: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Say which tuples are listed; -2^63, which no term reaches, stands for any value."""
    listed = [[(k, v) for k, v in enumerate(row) if v != -(2**63)] for row in np.asarray(rows).tolist()]
    return _each(lambda row: any(all(row[k] == v for k, v in wanted) for wanted in listed))(terms)


def _count(c: Any, terms: np.ndarray, value: np.ndarray, relation: str, count: np.ndarray) -> np.ndarray:
    number = np.array([row.count(v) for row, (v,) in zip(terms.tolist(), value.tolist(), strict=True)])
    return _linear(c, number.reshape(-1) - count[:, 0], relation)


def _among(c: Any, terms: np.ndarray, values: tuple[int, ...], count: np.ndarray) -> np.ndarray:
    number = np.array([sum(v in values for v in row) for row in terms.tolist()]).reshape(-1)
    return number == count[:, 0]


def _cardinality(
    c: Any, terms: np.ndarray, values: tuple[int, ...], counts: np.ndarray, closed: bool
) -> np.ndarray:
    def kept(row: list[int], wanted: list[int]) -> bool:
        pairs = c.counts.ndim == 2  # of the least and the greatest number
        least, most = (wanted[::2], wanted[1::2]) if pairs else (wanted, wanted)
        if closed and any(v not in values for v in row):
            return False
        return all(a <= row.count(v) <= b for v, a, b in zip(values, least, most, strict=True))

    return _each(kept)(terms, counts)


def _are_inverse(first: list[int], second: list[int]) -> bool:
    n = len(first)
    inside = all(0 <= v < n for v in first + second)
    return inside and all((first[i] == j) == (second[j] == i) for i in range(n) for j in range(n))


def _tours(row: list[int]) -> list[list[int]] | None:
    """Return the nodes of each cycle of a permutation of 0..n-1, None for anything else."""
    if sorted(row) != list(range(len(row))):
        return None
    left, tours = set(row), []
    while left:
        tour = [min(left)]
        while row[tour[-1]] != tour[0]:
            tour.append(row[tour[-1]])
        left -= set(tour)
        tours.append(tour)
    return tours


def _circuit(c: Any, successor: np.ndarray, depots: tuple[int, ...]) -> np.ndarray:
    def good(row: list[int]) -> bool:
        tours = _tours(row)
        if tours is None or not depots:
            return tours is not None and (not row or len(tours) == 1)
        return all(len(set(tour) & set(depots)) == 1 for tour in tours)

    return _each(good)(successor)


def _is_subcircuit(row: list[int]) -> bool:
    tours = _tours(row)
    return tours is not None and sum(len(tour) > 1 for tour in tours) <= 1


def _in_line(tasks: list[tuple[int, int, int]], setup: list[list[int]]) -> bool:
    """Say whether those of (start, duration, present) that are there can be put in a row.

    Each is over, with the setup between the two, before any later one starts.
    """
    here = [k for k, task in enumerate(tasks) if task[2]]
    ends = {k: tasks[k][0] + tasks[k][1] for k in here}
    apart = all(
        ends[i] + setup[i][j] <= tasks[j][0] or ends[j] + setup[j][i] <= tasks[i][0]
        for i, j in itertools.combinations(here, 2)
    )
    return apart and all(tasks[k][1] >= 0 for k in here)


def _no_overlap(
    c: Any, start: np.ndarray, duration: np.ndarray, present: np.ndarray, setup: np.ndarray
) -> np.ndarray:
    many = start.shape[1]
    between = np.broadcast_to(setup.reshape(len(setup), *(c.setup.shape or (1, 1))), (len(start), many, many))
    in_line = _each(lambda *row: _in_line(list(zip(*row[:3], strict=True)), row[3]))
    return in_line(start, duration, present, between)


def _packed(boxes: list[tuple[int, int, int, int, int]]) -> bool:
    """Say whether no two of (x, dx, y, dy, present) overlap, also where a size is 0."""
    here = [box[:4] for box in boxes if box[4]]
    apart = all(
        x + dx <= u or u + du <= x or y + dy <= v or v + dv <= y
        for (x, dx, y, dy), (u, du, v, dv) in itertools.combinations(here, 2)
    )
    return apart and all(dx >= 0 and dy >= 0 for _, dx, _, dy in here)


def _no_overlap_2d(c: Any, **sides: np.ndarray) -> np.ndarray:
    packed = _each(lambda *row: _packed(list(zip(*row, strict=True))))
    return packed(*(sides[name] for name in ("x", "dx", "y", "dy", "present")))


def _within(tasks: list[tuple[int, int, int, int]], capacity: int) -> bool:
    """Say whether the running total of (start, duration, demand, present) stays within the capacity."""
    here = [task[:3] for task in tasks if task[3]]
    if capacity < 0 or any(d < 0 or r < 0 for _, d, r in here):
        return False
    changes = sorted(change for s, d, r in here for change in ((s, r), (s + d, -r)))
    totals = itertools.accumulate(r for _, r in changes)  # what ends comes before what starts
    return all(total <= capacity for total in totals)


def _cumulative(c: Any, capacity: np.ndarray, **tasks: np.ndarray) -> np.ndarray:
    within = _each(lambda limit, *row: _within(list(zip(*row, strict=True)), limit))
    return within(capacity[:, 0], *(tasks[name] for name in ("start", "duration", "demand", "present")))


def _neighbours(good: Callable[[int, int, bool], bool]) -> Callable[..., np.ndarray]:
    def ordered(c: Any, terms: np.ndarray, strict: bool) -> np.ndarray:
        return _each(lambda row: all(good(a, b, strict) for a, b in itertools.pairwise(row)))(terms)

    return ordered


def _predicate(c: Any, terms: np.ndarray, rows: Any) -> np.ndarray:
    return _each(lambda row: bool(c.function(*row)))(terms)


def _regular(
    c: Any, terms: np.ndarray, transitions: np.ndarray, start: int, accepting: tuple[int, ...]
) -> np.ndarray:
    arcs = np.asarray(transitions).tolist()

    def accepted(row: list[int]) -> bool:
        states = {start}
        for value in row:
            states = {head for tail, label, head in arcs if tail in states and label == value}
        return not states.isdisjoint(accepting)

    return _each(accepted)(terms)


def _chain(before: Callable[[list[int], list[int]], bool]) -> Callable[..., np.ndarray]:
    ascending = _each(lambda rows: all(itertools.starmap(before, itertools.pairwise(rows))))
    return lambda c, matrix: ascending(matrix.reshape(len(matrix), *c.matrix.shape))


def _value_precede(c: Any, terms: np.ndarray, values: tuple[int, ...]) -> np.ndarray:
    def ordered(row: list[int]) -> bool:
        firsts = [row.index(v) if v in row else len(row) for v in values]
        return all(b == len(row) or a < b for a, b in itertools.pairwise(firsts))

    return _each(ordered)(terms)


def _bin_packing(c: Any, bins: np.ndarray, sizes: np.ndarray, loads: np.ndarray, relation: str) -> np.ndarray:
    def packed(where: list[int], size: list[int], load: list[int]) -> bool:
        if not all(0 <= k < len(load) for k in where):
            return False
        left = np.array([-most for most in load], dtype=object)
        for k, weight in zip(where, size, strict=True):
            left[k] += weight
        return all(_linear(c, left, relation))

    return _each(packed)(bins, sizes, loads)


KINDS: dict[str, Callable[..., np.ndarray]] = {
    "AllDifferent": lambda c, terms: _each(lambda row: len(set(row)) == len(row))(terms),
    "AllDifferentExcept": _all_different_except,
    "AllEqual": lambda c, terms: _each(lambda row: len(set(row)) <= 1)(terms),
    "Among": _among,
    "And": lambda c, literals: np.asarray(_literals(c, literals).all(axis=2)),
    "BinPacking": _bin_packing,
    "Circuit": _circuit,
    "Count": _count,
    "Cumulative": _cumulative,
    "Decreasing": _neighbours(lambda a, b, strict: a > b if strict else a >= b),
    "GlobalCardinality": _cardinality,
    "Implication": _implication,
    "Increasing": _neighbours(lambda a, b, strict: a < b if strict else a <= b),
    "Inverse": lambda c, first, second: _each(_are_inverse)(first, second),
    "LexChainLess": _chain(operator.lt),
    "LexChainLessEqual": _chain(operator.le),
    "LexLess": lambda c, first, second: _each(operator.lt)(first, second),
    "LexLessEqual": lambda c, first, second: _each(operator.le)(first, second),
    "Linear": _linear,
    "Negation": lambda c, literals: ~_literals(c, literals)[:, :, 0],
    "NegativeTable": lambda c, terms, rows: ~_table(c, terms, rows),
    "NoOverlap": _no_overlap,
    "NoOverlap2D": _no_overlap_2d,
    "NValue": lambda c, terms, count: _each(lambda row, n: len(set(row)) == n)(terms, count[:, 0]),
    "Or": lambda c, literals: np.asarray(_literals(c, literals).any(axis=2)),
    "Predicate": _predicate,
    "Regular": _regular,
    "ShortTable": _table,
    "SubCircuit": lambda c, successor: _each(_is_subcircuit)(successor),
    "Table": _table,
    "ValuePrecede": _value_precede,
    "Xor": lambda c, literals: np.logical_xor.reduce(_literals(c, literals), axis=2),
}
