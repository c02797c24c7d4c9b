"""One refuter a kind: whether no assignment of a part lies within domains; slow, obvious, never guessing.

Each looks at the terms of its part as if they were independent of each other, which admits more assignments
than there are: what it refutes is refuted. Where that is not enough and few assignments are left, all of
them are tried (`exhausted`). Sources: Regin (1994) for matchings, Aggoun and Beldiceanu (1993) and Baptiste,
Le Pape and Nuijten (2001) for the time table and energy of tasks, Pesant (2004) for automata, Law and Lee
(2004) for the order of values; all in their plainest form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, pairwise, product

import numpy as np
from numpy.typing import NDArray

from cpqueens.language.constraints.linear import OPPOSITE
from cpqueens.language.constraints.table_rows import STAR
from cpqueens.language.rows import IntArray
from cpqueens.proofs.domains import Domains
from cpqueens.proofs.parts import ModelPart, Row

MOST_ASSIGNMENTS = 20_000
"""Assignments of a part that are tried one by one."""
MOST_VALUES = 5_000
"""Values of a term that are listed."""


def refuted(part: ModelPart, d: Domains, most: int = MOST_ASSIGNMENTS) -> bool:
    """Say whether no assignment of a part lies within domains; False also where that is not seen.

    At most ``most`` assignments are tried.
    """
    own = REFUTERS.get(part.kind)
    return (own is not None and own(part, d)) or exhausted(part, d, most)


# ---- terms ----------------------------------------------------------------------------------------


def ends(row: Row, d: Domains) -> tuple[int, int]:
    """Return the least and the greatest value of a term."""
    low = high = row[2]
    for v, a in zip(row[0], row[1], strict=True):
        low += a * (d.low[v] if a > 0 else d.high[v])
        high += a * (d.high[v] if a > 0 else d.low[v])
    return low, high


def listed(row: Row, d: Domains, most: int = MOST_VALUES) -> set[int] | None:
    """Return the values of a term, None for more than ``most`` of them."""
    sums = {row[2]}
    for v, a in zip(row[0], row[1], strict=True):
        if (d.high[v] - d.low[v] + 1) * len(sums) > 20 * most:
            return None
        sums = {total + a * x for total in sums for x in d.values(v)}
        if len(sums) > most:
            return None
    return sums


def may_be(row: Row, value: int, d: Domains) -> bool:
    """Say whether a term may have a value."""
    if len(row[0]) == 1:
        x, rest = divmod(value - row[2], row[1][0])
        return not rest and d.contains(row[0][0], x)
    low, high = ends(row, d)
    return low <= value <= high and (low == high or value in (listed(row, d, 200) or (value,)))


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] <= b[1] and b[0] <= a[1]


# ---- all assignments ------------------------------------------------------------------------------


def exhausted(part: ModelPart, d: Domains, most: int = MOST_ASSIGNMENTS) -> bool:
    """Say whether there are few assignments within domains and none of them satisfies the part."""
    variables = part.cone if part.kind == "cone" else part.scope
    if part.evaluate is not None and part.kind != "cone":
        variables = part.fields["inputs"]  # the result follows
    rows = assignments(variables, d, most)
    if rows is None:
        return False
    if part.kind == "cone":
        return not inside(part.scope, part.evaluate(rows), d).any()  # type: ignore[misc]
    if part.evaluate is not None:
        values = np.zeros((len(rows), len(part.scope)), dtype=np.int64)
        values[:, [part.scope.index(v) for v in variables]] = rows
        found = part.evaluate(values)
        return not any(d.contains(part.fields["result"], int(v)) for v in np.unique(found))
    return not part.meaning(rows).any()


def assignments(variables: Sequence[int], d: Domains, most: int = MOST_ASSIGNMENTS) -> IntArray | None:
    """Return all assignments of variables within domains, None if there are more than ``most``."""
    if math.prod(d.high[v] - d.low[v] + 1 for v in variables) > 50 * most:
        return None
    lists = [d.values(v) for v in variables]
    many = math.prod(map(len, lists))
    if many > most:
        return None
    return np.array(list(product(*lists)), dtype=np.int64).reshape(many, len(variables))


def inside(scope: Sequence[int], values: IntArray, d: Domains) -> NDArray[np.bool_]:
    """Return which assignments of a scope lie within domains."""
    good = np.ones(len(values), dtype=bool)
    for k, v in enumerate(scope):
        good &= (d.low[v] <= values[:, k]) & (values[:, k] <= d.high[v])
        for value in d.gone[v]:
            if d.low[v] < value < d.high[v]:
                good &= values[:, k] != value
    return good


# ---- relations and connectives --------------------------------------------------------------------


def no_sum(row: Row, relation: str, d: Domains) -> bool:
    """Say whether no value of a term stands in a relation to 0, by its ends or, few, its values."""
    low, high = ends(row, d)
    if relation == "!=":
        return low == high == 0
    if relation == "==":
        if low > 0 or high < 0:
            return True
        sums = listed(row, d)
        return sums is not None and 0 not in sums
    return {"<=": low > 0, "<": low >= 0, ">=": high < 0, ">": high <= 0}[relation]


def certain(part: ModelPart, d: Domains) -> bool:
    """Say whether every assignment within domains satisfies a constraint."""
    if part.kind == "Linear":
        opposite = OPPOSITE[part.fields["relation"]]
        if no_sum(part.fields["expression"][0], opposite, d):
            return True
    if part.kind in ("Or", "And"):
        true = [low > 0 for low, _ in _sides(part, "literals", d)]
        if any(true) if part.kind == "Or" else all(true):
            return True
    rows = assignments(part.scope, d)
    return rows is not None and bool(part.meaning(rows).all())


def _truth(part: ModelPart, d: Domains) -> bool:
    result, inner = part.fields["result"], part.inner
    assert inner is not None
    if d.contains(result, 1) and not refuted(inner, d):
        return False
    return not d.contains(result, 0) or certain(inner, d)


def _sides(part: ModelPart, name: str, d: Domains) -> list[tuple[int, int]]:
    """Return the ends of the terms of a field."""
    return [ends(row, d) for row in part.fields[name]]


# ---- functions ------------------------------------------------------------------------------------


def _by_interval(function: Callable[..., Iterable[int]]) -> Callable[[ModelPart, Domains], bool]:
    """Return the refuter of a function that gives, of its arguments' ends, values between which all are."""

    def refute(part: ModelPart, d: Domains) -> bool:
        sides = [ends(argument[0], d) for argument in part.fields["arguments"]]
        values = list(function(*sides))
        result = part.fields["result"]
        return not _overlap((min(values), max(values)), (d.low[result], d.high[result]))

    return refute


def _abs_ends(side: tuple[int, int]) -> Iterable[int]:
    return (abs(side[0]), abs(side[1]), *((0,) if side[0] <= 0 <= side[1] else ()))


def _element(part: ModelPart, d: Domains) -> bool:
    (position,), table = part.fields["arguments"]
    result = part.fields["result"]
    places = listed(position, d)
    if places is None:
        return False
    return not any(
        _may_meet(table[p], result, d) if 0 <= p < len(table) else d.contains(result, 0) for p in places
    )


def _may_meet(row: Row, variable: int, d: Domains) -> bool:
    """Say whether a term and a variable may have a value in common."""
    if not _overlap(ends(row, d), (d.low[variable], d.high[variable])):
        return False
    values = listed(row, d, 200)
    return values is None or any(d.contains(variable, v) for v in values)


# ---- values of many terms -------------------------------------------------------------------------


def matched(sets: Sequence[Iterable[int]]) -> int:
    """Return how many of some sets can be given values of their own, each another one."""
    owner: dict[int, int] = {}

    def place(k: int, tried: set[int]) -> bool:
        for value in sets[k]:
            if value not in tried:
                tried.add(value)
                if value not in owner or place(owner[value], tried):
                    owner[value] = k
                    return True
        return False

    return sum(place(k, set()) for k in range(len(sets)))


def _crowded(rows: Sequence[Row], d: Domains) -> bool:
    """Say whether terms cannot all differ; a term with as many values as there are terms always can."""
    fixed = [low for low, high in (ends(row, d) for row in rows) if low == high]
    if len(set(fixed)) < len(fixed):
        return True
    sets = [listed(row, d, max(1, len(rows))) for row in rows]
    few = [values for values in sets if values is not None and len(values) < len(rows)]
    return matched(few) < len(few)


def _all_different_except(part: ModelPart, d: Domains) -> bool:
    rows = part.fields["terms"]
    return _crowded([r for r in rows if not any(may_be(r, v, d) for v in part.fields["excepted"])], d)


def _all_equal(part: ModelPart, d: Domains) -> bool:
    sides = _sides(part, "terms", d)
    return bool(sides) and max(low for low, _ in sides) > min(high for _, high in sides)


def _occurrences(rows: Sequence[Row], values: Iterable[int], d: Domains) -> tuple[int, int]:
    """Return the least and the greatest number of terms that have one of some values."""
    wanted, least, most = set(values), 0, 0
    for row in rows:
        if any(may_be(row, v, d) for v in wanted):
            most += 1
            its = listed(row, d)
            least += its is not None and its <= wanted
    return least, most


def _related(number: tuple[int, int], relation: str, limit: tuple[int, int]) -> bool:
    """Say whether some number between two ends may stand in a relation to one between others."""
    low, high = number[0] - limit[1], number[1] - limit[0]
    if relation == "==":
        return low <= 0 <= high
    if relation == "!=":
        return not low == high == 0
    return {"<=": low <= 0, "<": low < 0, ">=": high >= 0, ">": high > 0}[relation]


def _count(part: ModelPart, d: Domains) -> bool:
    rows, relation, limit = part.fields["terms"], part.fields["relation"], ends(part.fields["count"][0], d)
    values = listed(part.fields["value"][0], d)
    return values is not None and not any(
        _related(_occurrences(rows, [v], d), relation, limit) for v in values
    )


def _among(part: ModelPart, d: Domains) -> bool:
    number = _occurrences(part.fields["terms"], part.fields["values"], d)
    return not _related(number, "==", ends(part.fields["count"][0], d))


def _cardinality(part: ModelPart, d: Domains) -> bool:
    rows, values = part.fields["terms"], part.fields["values"]
    limits = [ends(row, d) for row in part.fields["counts"]]
    if len(part.fields["counts shape"]) == 2:
        limits = [(a[0], b[1]) for a, b in zip(limits[::2], limits[1::2], strict=True)]
    for value, limit in zip(values, limits, strict=True):
        if not _related(_occurrences(rows, [value], d), "==", limit):
            return True
    if sum(max(0, low) for low, _ in limits) > len(rows):
        return True
    return part.fields["closed"] and (
        sum(high for _, high in limits) < len(rows)
        or any(not any(may_be(row, v, d) for v in values) for row in rows)
    )


def _n_value(part: ModelPart, d: Domains) -> bool:
    rows = part.fields["terms"]
    sets = [listed(row, d) for row in rows]
    known = sorted((s for s in sets if s is not None), key=len)
    most = matched(known) + len(sets) - len(known)
    apart: set[int] = set()
    least = 0
    for values in known:
        if apart.isdisjoint(values):
            apart |= values
            least += 1
    return not _related((max(least, min(1, len(rows))), most), "==", ends(part.fields["count"][0], d))


def _inverse(part: ModelPart, d: Domains) -> bool:
    first, second = part.fields["first"], part.fields["second"]
    n = range(len(first))
    pairs = [[j for j in n if may_be(first[i], j, d) and may_be(second[j], i, d)] for i in n]
    return matched(pairs) < len(first)


# ---- tables, words and orders ---------------------------------------------------------------------


def _table(part: ModelPart, d: Domains) -> bool:
    rows = part.fields["terms"]
    if "entries" not in part.made:
        part.made["entries"] = part.fields["rows"].tolist()
    sets = [listed(row, d) for row in rows]
    sides = [ends(row, d) for row in rows]

    def fits(entry: list[int]) -> bool:
        return all(
            v == STAR or (low <= v <= high if its is None else v in its)
            for v, its, (low, high) in zip(entry, sets, sides, strict=True)
        )

    return not any(fits(entry) for entry in part.made["entries"])


def _regular(part: ModelPart, d: Domains) -> bool:
    arcs = np.asarray(part.fields["transitions"]).reshape(-1, 3).tolist()
    states = {part.fields["start"]}
    for row in part.fields["terms"]:
        labels = {label for tail, label, _ in arcs if tail in states and may_be(row, label, d)}
        states = {head for tail, label, head in arcs if tail in states and label in labels}
    return states.isdisjoint(part.fields["accepting"])


def _value_precede(part: ModelPart, d: Domains) -> bool:
    chain, seen = part.fields["values"], {0}  # how many of the chain have been taken
    for row in part.fields["terms"]:
        after = {k + 1 for k in seen if k < len(chain) and may_be(row, chain[k], d)}
        values = listed(row, d)
        for k in seen:
            later = set(chain[k:])
            if values is None or not values <= later:
                after.add(k)
        seen = after
    return not seen


def _in_order(rows: Sequence[Row], strict: bool, d: Domains) -> bool:
    least = None
    for row in rows:
        low, high = ends(row, d)
        least = low if least is None else max(low, least + strict)
        if least > high:
            return False
    return True


def _lexicographic(strict: bool) -> Callable[[ModelPart, Domains], bool]:
    """Return the refuter of rows of terms of which each comes before the next."""

    def refute(part: ModelPart, d: Domains) -> bool:
        if "matrix" in part.fields:
            many, width = part.fields["matrix shape"]
            rows = [part.fields["matrix"][k * width : (k + 1) * width] for k in range(many)]
        else:
            rows = [part.fields["first"], part.fields["second"]]
        return any(cannot(first, second, d) for first, second in pairwise(rows))

    def cannot(first: Sequence[Row], second: Sequence[Row], d: Domains) -> bool:
        for a, b in zip(first, second, strict=True):
            low, high = ends(a, d)[0], ends(b, d)[1]
            if low != high:
                return low > high
        return strict

    return refute


# ---- tours ----------------------------------------------------------------------------------------


def _arcs(part: ModelPart, d: Domains) -> list[list[int]]:
    rows = part.fields["successor"]
    return [[j for j in range(len(rows)) if may_be(row, j, d)] for row in rows]


def _reached(arcs: Sequence[Iterable[int]], starts: Iterable[int]) -> set[int]:
    found = set(starts)
    pending = list(found)
    while pending:
        new = set(arcs[pending.pop()]) - found
        found |= new
        pending += new
    return found


def _backwards(arcs: Sequence[Iterable[int]]) -> list[list[int]]:
    return [[i for i, ahead in enumerate(arcs) if j in ahead] for j in range(len(arcs))]


def _circuit(part: ModelPart, d: Domains) -> bool:
    arcs = _arcs(part, d)
    if not arcs:
        return False
    starts = part.fields["depots"] or (0,)
    if min(len(_reached(a, starts)) for a in (arcs, _backwards(arcs))) < len(arcs):
        return True
    return matched(arcs) < len(arcs)


def _sub_circuit(part: ModelPart, d: Domains) -> bool:
    arcs = _arcs(part, d)
    needed = [k for k, ahead in enumerate(arcs) if k not in ahead]  # on the tour, in any case
    if needed and any(not _reached(a, needed[:1]).issuperset(needed) for a in (arcs, _backwards(arcs))):
        return True
    return matched(arcs) < len(arcs)


# ---- tasks and boxes ------------------------------------------------------------------------------


def _too_much(tasks: Sequence[tuple[int, int, int, int]], capacity: int) -> bool:
    """Say whether tasks (earliest and latest start, least duration and demand) exceed a capacity.

    At the latest start of one of them, or by their energy between the earliest start of one and the latest
    end of another.
    """
    tasks = [task for task in tasks if task[2] > 0 and task[3] > 0]
    for moment in {latest for _, latest, _, _ in tasks}:
        if sum(r for early, late, size, r in tasks if late <= moment < early + size) > capacity:
            return True
    for begin in {early for early, _, _, _ in tasks}:
        mine = sorted((late + size, size * r) for early, late, size, r in tasks if early >= begin)
        energy = 0
        for end, work in mine:
            energy += work
            if energy > capacity * (end - begin):
                return True
    return False


def _cumulative(part: ModelPart, d: Domains) -> bool:
    names = ("start", "duration", "demand", "present")
    tasks = list(zip(*[_sides(part, name, d) for name in names], strict=True))
    here = [(start, size, demand) for start, size, demand, present in tasks if present[0] > 0]
    ((_, capacity),) = _sides(part, "capacity", d)
    if capacity < 0 or any(size[1] < 0 or demand[1] < 0 for _, size, demand in here):
        return True
    return _too_much([(*start, size[0], demand[0]) for start, size, demand in here], capacity)


def _disjoint(part: ModelPart, d: Domains) -> bool:
    """Refute two boxes that cannot be apart along any dimension, and too many tasks for one machine."""
    f = part.fields
    along = [("x", "dx"), ("y", "dy")] if part.kind == "NoOverlap2D" else [("start", "duration")]
    here = [k for k, (low, _) in enumerate(_sides(part, "present", d)) if low > 0]
    origins, sizes = ([_sides(part, pair[side], d) for pair in along] for side in (0, 1))
    if any(size[k][1] < 0 for size in sizes for k in here):
        return True
    gaps = _sides(part, "setup", d) if "setup" in f else [(0, 0)]
    many = len(f["present"]) if len(gaps) > 1 else 0

    def first(i: int, j: int) -> bool:
        """Say whether box ``i`` may end before ``j`` begins, along some dimension."""
        gap = gaps[many * i + j if many else 0][0]
        return any(o[i][0] + s[i][0] + gap <= o[j][1] for o, s in zip(origins, sizes, strict=True))

    if any(not first(i, j) and not first(j, i) for i, j in combinations(here, 2)):
        return True
    tasks = [(*origins[0][k], sizes[0][k][0], 1) for k in here]
    return len(along) == 1 and min(gaps)[0] >= 0 and _too_much(tasks, 1)


def _bin_packing(part: ModelPart, d: Domains) -> bool:
    f = part.fields
    many, sizes = len(f["loads"]), [ends(row, d) for row in f["sizes"]]
    places = [[k for k in range(many) if may_be(row, k, d)] for row in f["bins"]]
    if not all(places):
        return True
    for k, load in enumerate(f["loads"]):
        low = high = 0
        for size, possible in zip(sizes, places, strict=True):
            if k in possible:
                low += size[0] if possible == [k] else min(0, size[0])
                high += size[1] if possible == [k] else max(0, size[1])
        if not _related((low, high), f["relation"], ends(load, d)):
            return True
    return False


# ---- objectives -----------------------------------------------------------------------------------


def none_better(goals: Sequence[tuple[Row, int]], best: Sequence[int], d: Domains) -> bool:
    """Say whether objectives cannot be better than ``best``, the first one first.

    Of each goal its term and 1, or -1 where it is maximised; ``best`` are the values times these.
    """
    for (row, sign), value in zip(goals, best, strict=True):
        low, high = ends(row, d)
        least = low if sign > 0 else -high
        if least != value:
            return least > value
    return True


REFUTERS: dict[str, Callable[[ModelPart, Domains], bool]] = {
    "AllDifferent": lambda part, d: _crowded(part.fields["terms"], d),
    "AllDifferentExcept": _all_different_except,
    "AllEqual": _all_equal,
    "Among": _among,
    "And": lambda part, d: any(high <= 0 for _, high in _sides(part, "literals", d)),
    "BinPacking": _bin_packing,
    "Circuit": _circuit,
    "Count": _count,
    "Cumulative": _cumulative,
    "Decreasing": lambda part, d: not _in_order(part.fields["terms"][::-1], part.fields["strict"], d),
    "GlobalCardinality": _cardinality,
    "Increasing": lambda part, d: not _in_order(part.fields["terms"], part.fields["strict"], d),
    "Inverse": _inverse,
    "LexChainLess": _lexicographic(True),
    "LexChainLessEqual": _lexicographic(False),
    "LexLess": _lexicographic(True),
    "LexLessEqual": _lexicographic(False),
    "Linear": lambda part, d: no_sum(part.fields["expression"][0], part.fields["relation"], d),
    "NValue": _n_value,
    "NoOverlap": _disjoint,
    "NoOverlap2D": _disjoint,
    "Or": lambda part, d: all(high <= 0 for _, high in _sides(part, "literals", d)),
    "Predicate": _table,
    "Regular": _regular,
    "ShortTable": _table,
    "SubCircuit": _sub_circuit,
    "Table": _table,
    "ValuePrecede": _value_precede,
    "abs": _by_interval(_abs_ends),
    "element": _element,
    "maximum": _by_interval(lambda *sides: (max(a for a, _ in sides), max(b for _, b in sides))),
    "minimum": _by_interval(lambda *sides: (min(a for a, _ in sides), min(b for _, b in sides))),
    "product": _by_interval(lambda x, y: [a * b for a in x for b in y]),
    "truth": _truth,
}
"""By kind; of others all assignments are tried."""
