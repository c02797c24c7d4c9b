"""One refuter a kind: whether no assignment of a part lies within domains; slow, obvious, never guessing.

Each looks at the terms of its part as if they were independent of each other, which admits more assignments
than there are: what it refutes is refuted. Where that is not enough and few assignments are left, all of
them are tried. Sources: Regin (1994) for matchings, Aggoun and Beldiceanu (1993) and Baptiste, Le Pape and
Nuijten (2001) for the time table and energy of tasks, Pesant (2004) for automata, Law and Lee (2004) for the
order of values; all in their plainest form.
"""

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import accumulate, combinations, pairwise, product, starmap

import numpy as np

from cpqueens.language.constraints.linear import OPPOSITE
from cpqueens.language.constraints.table_rows import STAR
from cpqueens.language.rows import IntArray, Mask
from cpqueens.proofs.parts import Domains, ModelPart, Row

MOST_ASSIGNMENTS = 20_000
"""Assignments of a part that are tried one by one."""
MOST_VALUES = 5_000
"""Values of a term that are listed."""

Ends = tuple[int, int]
"""The least and the greatest value."""


def refuted(part: ModelPart, d: Domains, most: int = MOST_ASSIGNMENTS) -> bool:
    """Say whether no assignment of a part lies within domains; False also where that is not seen.

    At most ``most`` assignments are tried.
    """
    if part.kind in REFUTERS and REFUTERS[part.kind](part, d):
        return True
    rows = assignments(part.inputs, d, most)
    return rows is not None and not inside(part.scope, part.satisfying(rows), d).any()


# ---- terms ----------------------------------------------------------------------------------------


def ends(row: Row, d: Domains) -> Ends:
    """Return the least and the greatest value of a term."""
    low = high = row[2]
    for v, a in zip(row[0], row[1], strict=True):
        low += a * (d.low[v] if a > 0 else d.high[v])
        high += a * (d.high[v] if a > 0 else d.low[v])
    if d.sums and row in d.sums:
        return max(low, d.low[d.sums[row]]), min(high, d.high[d.sums[row]])
    return low, high


def values(row: Row, d: Domains, most: int = MOST_VALUES) -> Collection[int]:
    """Return the values of a term; if there are more than ``most``, all between its ends."""
    low, high = ends(row, d)
    sums = {row[2]}
    for v, a in zip(row[0], row[1], strict=True):
        if (d.high[v] - d.low[v] + 1) * len(sums) > 20 * most:
            return range(low, high + 1)
        sums = {total + a * x for total in sums for x in d.values(v)}
    if d.sums and row in d.sums:
        sums = {x for x in sums if d.contains(d.sums[row], x)}
    return sums if len(sums) <= most else range(low, high + 1)


def may_be(row: Row, value: int, d: Domains) -> bool:
    """Say whether a term may have a value."""
    if len(row[0]) == 1:
        x, rest = divmod(value - row[2], row[1][0])
        return not rest and d.contains(row[0][0], x)
    return value in values(row, d, 200)


def _sides(part: ModelPart, name: str, d: Domains) -> list[Ends]:
    """Return the ends of the terms of a field."""
    return [ends(row, d) for row in part.fields[name]]


def possible(number: Ends, relation: str, limit: Ends = (0, 0)) -> bool:
    """Say whether a number between two ends may stand in a relation to one between others."""
    low, high = number[0] - limit[1], number[1] - limit[0]
    holds = {"==": low <= 0 <= high, "!=": not low == high == 0, "<=": low <= 0, ">=": high >= 0}
    return {**holds, "<": low < 0, ">": high > 0}[relation]


# ---- all assignments ------------------------------------------------------------------------------


def assignments(variables: Sequence[int], d: Domains, most: int = MOST_ASSIGNMENTS) -> IntArray | None:
    """Return all assignments of variables within domains, None if there are more than ``most``."""
    if math.prod(d.high[v] - d.low[v] + 1 for v in variables) > 50 * most:
        return None
    lists = [d.values(v) for v in variables]
    many = math.prod(map(len, lists))
    if many > most:
        return None
    return np.array(list(product(*lists)), dtype=np.int64).reshape(many, len(variables))


def inside(scope: Sequence[int], rows: IntArray, d: Domains) -> Mask:
    """Return which assignments of a scope lie within domains."""
    good = np.ones(len(rows), dtype=bool)
    for v, column in zip(scope, rows.T, strict=True):
        good &= (d.low[v] <= column) & (column <= d.high[v])
        good &= ~np.isin(column, list(d.gone[v]))
    return good


# ---- relations, connectives and functions ---------------------------------------------------------


def no_sum(row: Row, relation: str, d: Domains) -> bool:
    """Say whether no value of a term stands in a relation to 0, by its ends or, few, its values."""
    return not possible(ends(row, d), relation) or (relation == "==" and 0 not in values(row, d))


def certain(part: ModelPart, d: Domains) -> bool:
    """Say whether every assignment within domains satisfies a constraint."""
    if part.kind == "Linear" and no_sum(part.fields["expression"][0], OPPOSITE[part.fields["relation"]], d):
        return True
    if part.kind in ("Or", "And"):
        true = [low > 0 for low, _ in _sides(part, "literals", d)]
        if any(true) if part.kind == "Or" else all(true):
            return True
    rows = assignments(part.inputs, d)
    return rows is not None and len(part.satisfying(rows)) == len(rows)


def _truth(part: ModelPart, d: Domains) -> bool:
    result, inner = part.fields["result"], part.fields["inner"]
    if d.contains(result, 1) and not refuted(inner, d):
        return False
    return not d.contains(result, 0) or certain(inner, d)


def _by_interval(function: Callable[..., Iterable[int]]) -> Callable[[ModelPart, Domains], bool]:
    """Return the refuter of a function that gives, of its arguments' ends, values between which all are."""

    def refute(part: ModelPart, d: Domains) -> bool:
        found = list(function(*[ends(argument[0], d) for argument in part.fields["arguments"]]))
        result = part.fields["result"]
        return not possible((min(found), max(found)), "==", (d.low[result], d.high[result]))

    return refute


def _element(part: ModelPart, d: Domains) -> bool:
    ((position,), table), result = part.fields["arguments"], part.fields["result"]

    def differs(place: int) -> bool:
        variables, factors, constant = table[place] if 0 <= place < len(table) else ((), (), 0)
        return no_sum(((*variables, result), (*factors, -1), constant), "==", d)

    places = values(position, d)
    return isinstance(places, set) and all(map(differs, places))


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


def _all_different(part: ModelPart, d: Domains) -> bool:
    """Refute terms that cannot all differ; one with as many values as there are terms always can."""
    free = part.fields.get("excepted", ())
    rows = [row for row in part.fields["terms"] if not any(may_be(row, v, d) for v in free)]
    fixed = [low for low, high in (ends(row, d) for row in rows) if low == high]
    sets = [values(row, d, len(rows)) for row in rows]
    few = [its for its in sets if len(its) < len(rows)]
    return len(set(fixed)) < len(fixed) or matched(few) < len(few)


def _in_all(rows: Sequence[Row], wanted: Collection[int], d: Domains, sizes: Sequence[Ends] = ()) -> Ends:
    """Return between what the sizes of the terms that have one of some values add up; 1 if none are given."""
    low = high = 0
    for row, (least, most) in zip(rows, sizes or [(1, 1)] * len(rows), strict=True):
        if any(may_be(row, v, d) for v in wanted):
            sure = all(v in wanted for v in values(row, d))
            low += least if sure else min(0, least)
            high += most if sure else max(0, most)
    return low, high


def _count(part: ModelPart, d: Domains) -> bool:
    """Refute the number of terms with one of some values (Among), or with a value that is a term."""
    f, relation = part.fields, part.fields.get("relation", "==")
    wanted = values(f["value"][0], d) if "value" in f else {0}
    groups = ([v] for v in wanted) if "value" in f else iter([f["values"]])
    counts = (_in_all(f["terms"], group, d) for group in groups)
    limit = ends(f["count"][0], d)
    return isinstance(wanted, set) and not any(possible(one, relation, limit) for one in counts)


def _cardinality(part: ModelPart, d: Domains) -> bool:
    """Refute one value's count, or values whose least counts need more terms than there are."""
    rows, wanted, limits = part.fields["terms"], part.fields["values"], _sides(part, "counts", d)
    if len(part.fields["counts shape"]) == 2:
        limits = [(a[0], b[1]) for a, b in zip(limits[::2], limits[1::2], strict=True)]
    counts = [_in_all(rows, [v], d) for v in wanted]
    if not all(possible(number, "==", limit) for number, limit in zip(counts, limits, strict=True)):
        return True
    least, most = sum(max(0, low) for low, _ in limits), sum(high for _, high in limits)
    others = any(not any(may_be(row, v, d) for v in wanted) for row in rows)
    return least > len(rows) or (part.fields["closed"] and (others or most < len(rows)))


def _n_value(part: ModelPart, d: Domains) -> bool:
    """Refute by the values that are taken in any case, and by how many terms can differ."""
    sets = [values(row, d) for row in part.fields["terms"]]
    least = max(len(set().union(*[its for its in sets if len(its) == 1])), min(1, len(sets)))
    return not possible((least, matched(sets)), "==", ends(part.fields["count"][0], d))


def _inverse(part: ModelPart, d: Domains) -> bool:
    first, second = part.fields["first"], part.fields["second"]
    n = range(len(first))
    return matched([[j for j in n if may_be(first[i], j, d) and may_be(second[j], i, d)] for i in n]) < len(n)


# ---- tables, words and orders ---------------------------------------------------------------------


def _table(part: ModelPart, d: Domains) -> bool:
    sets = [values(row, d) for row in part.fields["terms"]]
    return not any(
        all(v == STAR or v in its for v, its in zip(entry, sets, strict=True))
        for entry in part.fields["rows"]
    )


def _regular(part: ModelPart, d: Domains) -> bool:
    states = {part.fields["start"]}
    for row in part.fields["terms"]:
        arcs = [(label, head) for tail, label, head in part.fields["transitions"] if tail in states]
        states = {head for label, head in arcs if may_be(row, label, d)}
    return states.isdisjoint(part.fields["accepting"])


def _value_precede(part: ModelPart, d: Domains) -> bool:
    chain, states = part.fields["values"], {0}  # how many of the chain have been taken
    for row in part.fields["terms"]:
        its = values(row, d)
        stay = {k for k in states if any(v not in chain[k:] for v in its)}
        states = stay | {k + 1 for k in states if k < len(chain) and may_be(row, chain[k], d)}
    return not states


def _ordered(part: ModelPart, d: Domains) -> bool:
    """Refute terms, or rows of them, of which one cannot come before the next."""
    f = part.fields
    rows = [[row] for row in f["terms"]] if "terms" in f else [f.get("first"), f.get("second")]
    if "matrix" in f:
        many, width = f["matrix shape"]
        rows = [f["matrix"][k * width : (k + 1) * width] for k in range(many)]
    strict = f.get("strict", not part.kind.endswith("Equal"))

    def cannot(first: Sequence[Row], second: Sequence[Row]) -> bool:
        for a, b in zip(first, second, strict=True):
            low, high = ends(a, d)[0], ends(b, d)[1]
            if low != high:
                return low > high
        return strict

    return any(starmap(cannot, pairwise(reversed(rows) if part.kind == "Decreasing" else rows)))


# ---- tours ----------------------------------------------------------------------------------------


def _tour(part: ModelPart, d: Domains) -> bool:
    """Refute by a matching, and by places that must be on a tour and are not reached from its beginning."""
    rows = part.fields["successor"]
    n = range(len(rows))
    arcs = [[j for j in n if may_be(rows[i], j, d)] for i in n]
    if part.kind == "Circuit":
        needed, starts = set(n), part.fields["depots"] or n[:1]
    else:
        needed = {i for i in n if i not in arcs[i]}
        starts = sorted(needed)[:1]
    back = [[i for i in n if j in arcs[i]] for j in n]
    return matched(arcs) < len(arcs) or any(not needed <= _reached(way, starts) for way in (arcs, back))


def _reached(arcs: Sequence[Iterable[int]], starts: Iterable[int]) -> set[int]:
    found, pending = set(starts), list(starts)
    while pending:
        new = set(arcs[pending.pop()]) - found
        found |= new
        pending += new
    return found


# ---- tasks, boxes and bins ------------------------------------------------------------------------


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
        energy = accumulate(work for _, work in mine)
        if any(work > capacity * (end - begin) for work, (end, _) in zip(energy, mine, strict=True)):
            return True
    return False


def _cumulative(part: ModelPart, d: Domains) -> bool:
    """Refute tasks that need too much; those of a NoOverlap need 1 of 1."""
    names = ("start", "duration", "demand", "present")
    ones = [(1, 1)] * len(part.fields["start"])
    columns = [_sides(part, name, d) if name in part.fields else ones for name in names]
    here = [task for task in zip(*columns, strict=True) if task[3][0] > 0]
    capacity = _sides(part, "capacity", d)[0][1] if "capacity" in part.fields else 1
    return _too_much([(*start, size[0], demand[0]) for start, size, demand, _ in here], capacity)


def _disjoint(part: ModelPart, d: Domains) -> bool:
    """Refute two boxes that cannot be apart along any dimension, and too many tasks for one machine."""
    flat = part.kind == "NoOverlap"
    names = [("start", "duration")] if flat else [("x", "dx"), ("y", "dy")]
    along = [(_sides(part, place, d), _sides(part, size, d)) for place, size in names]
    here = [k for k, (low, _) in enumerate(_sides(part, "present", d)) if low > 0]
    gaps = [low for low, _ in _sides(part, "setup", d)] if flat else [0]
    many = len(part.fields["present"]) if len(gaps) > 1 else 0

    def first(i: int, j: int) -> bool:
        """Say whether box ``i`` may end before ``j`` begins, along some dimension."""
        gap = gaps[many * i + j if many else 0]
        return any(place[i][0] + size[i][0] + gap <= place[j][1] for place, size in along)

    apart = all(first(i, j) or first(j, i) for i, j in combinations(here, 2))
    return not apart or (flat and min(gaps, default=0) >= 0 and _cumulative(part, d))


def _bin_packing(part: ModelPart, d: Domains) -> bool:
    bins, sizes, relation = part.fields["bins"], _sides(part, "sizes", d), part.fields["relation"]
    loads = enumerate(_sides(part, "loads", d))
    return any(not possible(_in_all(bins, [k], d, sizes), relation, load) for k, load in loads)


# ---- objectives -----------------------------------------------------------------------------------


def none_better(goals: Sequence[Row], best: Sequence[int], d: Domains) -> bool:
    """Say whether goals cannot be less than ``best``, the first one that differs."""
    for row, value in zip(goals, best, strict=True):
        least = ends(row, d)[0]
        if least != value:
            return least > value
    return True


REFUTERS: dict[str, Callable[[ModelPart, Domains], bool]] = {
    **dict.fromkeys(("AllDifferent", "AllDifferentExcept"), _all_different),
    **dict.fromkeys(("Among", "Count"), _count),
    **dict.fromkeys(("Circuit", "SubCircuit"), _tour),
    **dict.fromkeys(("Increasing", "Decreasing", "LexChainLess", "LexChainLessEqual"), _ordered),
    **dict.fromkeys(("LexLess", "LexLessEqual"), _ordered),
    **dict.fromkeys(("NoOverlap", "NoOverlap2D"), _disjoint),
    **dict.fromkeys(("Predicate", "ShortTable", "Table"), _table),
    "And": lambda part, d: any(high <= 0 for _, high in _sides(part, "literals", d)),
    "BinPacking": _bin_packing,
    "Cumulative": _cumulative,
    "GlobalCardinality": _cardinality,
    "Inverse": _inverse,
    "Linear": lambda part, d: no_sum(part.fields["expression"][0], part.fields["relation"], d),
    "NValue": _n_value,
    "Or": lambda part, d: all(high <= 0 for _, high in _sides(part, "literals", d)),
    "Regular": _regular,
    "ValuePrecede": _value_precede,
    "abs": _by_interval(lambda x: (max(x[0], -x[1], 0), max(-x[0], x[1]))),
    "better": lambda part, d: none_better(part.fields["goals"], part.fields["best"], d),
    "element": _element,
    "maximum": _by_interval(lambda *sides: map(max, zip(*sides, strict=True))),
    "minimum": _by_interval(lambda *sides: map(min, zip(*sides, strict=True))),
    "product": _by_interval(lambda x, y: [a * b for a in x for b in y]),
    "truth": _truth,
}
"""By kind; of others all assignments are tried."""
