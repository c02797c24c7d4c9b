"""The kinds of constraints that the exact engine takes as they are, and what they turn into.

`Table`, `ShortTable` and `NegativeTable` for the exact engine: rows as bits.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from cpqueens.backends.backtracking.rows import TermBuilder
from cpqueens.backends.backtracking.wholes.parts import Propagator
from cpqueens.kernels.exact import domains as at, task_sets
from cpqueens.kernels.exact.propagators import circuit, regular as graph, table as layout
from cpqueens.kernels.exact.propagators.cardinality import ANY, NEVER, cardinality_data
from cpqueens.kernels.exact.propagators.different_values import different_data
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.circuit import Circuit, Inverse, SubCircuit
from cpqueens.language.constraints.count import Among, Count, GlobalCardinality, NValue
from cpqueens.language.constraints.cumulative import Cumulative, NoOverlap
from cpqueens.language.constraints.ordered import LexChain, Lexicographic, ValuePrecede
from cpqueens.language.constraints.regular import Regular
from cpqueens.language.constraints.table import NegativeTable, ShortTable
from cpqueens.language.constraints.table_rows import STAR, by_stars
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray, distinct
from cpqueens.lowered.compiled import EQ, GE, LE, RELATIONS, Compiled, offsets, stable_order
from cpqueens.lowered.presolve.cliques import LOOKS, Edges, cover

MOST_SHARED = 1 << 12
"""Entries of a table up to which what is made of it is remembered for the next one with the same rows."""

MOST_TOGETHER = 1 << 13
"""Entries of columns whose masks are made together: of more, what lies in between is no longer at hand."""


def table_propagator(name: str, variables: Sequence[int], rows: IntArray) -> Propagator:
    """Return a propagator over distinct rows, (rows, variables), with `STAR` for any value."""
    if rows.size > MOST_SHARED:
        numbers, words = _laid_out(rows)
    else:
        numbers, words = _laid_out_once(rows.tobytes(), len(variables))
    return Propagator(name, variables, numbers=numbers, words=words)


@lru_cache(maxsize=16)
def _laid_out_once(rows: bytes, width: int) -> tuple[IntArray, list[int]]:
    """Return the same for rows as bytes: models have one table over many tuples of variables."""
    return _laid_out(np.frombuffer(rows, dtype=np.int64).reshape(-1, width))


def _laid_out(rows: IntArray) -> tuple[IntArray, list[int]]:
    """Return the numbers and the first reversible words of a propagator over distinct rows."""
    words, width = -(-len(rows) // layout.BITS), rows.shape[1]
    listed = layout.HEAD + layout.COLUMN * width
    behind = listed + 2 * words
    parts = [np.arange(words), np.zeros(words, dtype=np.int64)]
    heads, counts = [words, listed, listed + words], [words, 0]
    step = max(1, MOST_TOGETHER // max(1, len(rows)))
    for k in range(0, width, step):
        masks, head, count = _masks(rows[:, k : k + step].T, words, behind)
        parts.append(masks)
        heads += head.reshape(-1).tolist()
        counts += count.reshape(-1).tolist()
        behind += len(masks)
    left = np.full(words, (1 << layout.BITS) - 1, dtype=np.int64)
    left[words - 1 :] = (1 << ((len(rows) - 1) % layout.BITS + 1)) - 1
    numbers = np.concatenate([np.array(heads, dtype=np.int64), *parts])
    return numbers, [*counts, *left.tolist()]


def _masks(columns: IntArray, words: int, behind: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return the masks of some columns, and (columns, 2) the head and the first reversible words of each.

    A column has the mask of the rows with a star there, then that of each value, ascending, stars included,
    then where these begin if all lie from ``behind`` on.
    """
    is_star = columns == STAR
    has_stars, each = is_star.any(axis=1), np.arange(len(columns))
    named = [np.flatnonzero(~stars) for stars in is_star]
    orders = [which[stable_order(column[which])] for which, column in zip(named, columns, strict=True)]
    column, order = each.repeat([len(own) for own in orders]), np.concatenate(orders)
    value = columns[column, order]
    new_value = (np.diff(value, prepend=STAR) != 0) | (np.diff(column, prepend=-1) != 0)
    number, bit = order // layout.BITS, np.int64(1) << order % layout.BITS
    first = np.flatnonzero(new_value | (np.diff(number, prepend=-1) != 0))  # of each value in each word
    bits = np.bitwise_or.reduceat(bit, first) if len(first) else bit
    number = number[first]
    starts = np.flatnonzero(new_value[first])
    value, column = value[first[starts]], column[first[starts]]
    named_in = np.diff(starts, append=len(number))  # how many words
    full = (2 * named_in >= words) | has_stars[column]
    counts = np.bincount(column, minlength=len(columns))
    last = counts.cumsum() + each  # the number of each column's last mask
    of_stars, of_value = last - counts, np.arange(len(value)) + column + 1
    pairs = np.empty(len(value) + len(columns), dtype=np.int64)
    pairs[of_stars], pairs[of_value] = words * has_stars, np.where(full, words, named_in)
    sizes = layout.PAIR + 2 * pairs
    sizes[last] += counts
    begin = offsets(sizes)
    lists = begin[last + 1] - counts
    masks = np.zeros(begin[-1], dtype=np.int64)
    masks[begin[of_value] + layout.VALUE] = value
    masks[begin[:-1] + layout.PAIRS] = pairs
    rank = np.arange(pairs.sum()) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    place = np.repeat(begin[:-1], pairs) + layout.PAIR + 2 * rank
    masks[place] = rank  # of what has pairs for all words
    if has_stars.any():
        starred = np.zeros((len(columns), words), dtype=np.int64)
        of, star = np.nonzero(is_star)
        np.bitwise_or.at(starred, (of, star // layout.BITS), np.int64(1) << star % layout.BITS)
        masks[place + 1] = starred[each.repeat(counts + 1).repeat(pairs), rank]
    rank = np.where(np.repeat(full, named_in), number, np.arange(len(number)) - np.repeat(starts, named_in))
    place = np.repeat(begin[of_value], named_in) + layout.PAIR + 2 * rank
    masks[place] = number
    masks[place + 1] |= bits
    masks[np.repeat(lists + counts - counts.cumsum(), counts) + np.arange(len(value))] = (
        behind + begin[of_value]
    )
    heads = behind + np.stack([lists, begin[of_stars]], axis=1)
    return masks, heads, np.stack([counts, 0 * counts], axis=1)


def _lay_out_short(constraint: ShortTable, parts: TermBuilder) -> None:
    parts.propagator(table_propagator("table", parts.variables(constraint.terms), constraint.rows))


def _lay_out_negative(constraint: NegativeTable, parts: TermBuilder) -> None:
    """Add a propagator for the rows with the same stars, over the other columns."""
    variables = parts.variables(constraint.terms)
    for columns, rows in by_stars(constraint.rows):
        mine = [variables[c] for c in columns.tolist()]
        if mine:
            parts.propagator(table_propagator("negative_table", mine, rows))
        elif len(rows):
            parts.linear(((), (), 1), LE)  # false: a row of stars


@dataclass(frozen=True)
class WholeKind:
    """How a kind of constraint is taken.

    Attributes
    ----------
    lay_out
        Adds the parts of a constraint to the network.
    when
        Says which constraints of the kind are taken; others are decomposed, as all in reified contexts are.
    """

    lay_out: Callable[[Any, TermBuilder], None]
    when: Callable[[Any], bool] = lambda constraint: isinstance(constraint, Constraint)


SHORT = WholeKind(_lay_out_short)
NEGATIVE = WholeKind(_lay_out_negative)


MOST_VALUES = 1 << 12
"""Between the least and the greatest value of all terms; with more, each is compared with the others."""


def add_number(parts: TermBuilder, terms: LinearArray, values: Iterable[int], number: int) -> None:
    """Add that so many terms as a variable says have one of these values."""
    variables = [*parts.variables(terms), number]
    parts.propagator(Propagator("among", variables, numbers=sorted(values)))


def _among(constraint: Among, parts: TermBuilder) -> None:
    (number,) = parts.variables(constraint.count)
    add_number(parts, constraint.terms, constraint.values, number)


def _count(constraint: Count, parts: TermBuilder) -> None:
    """Add the number itself where it is equal to a term; else a variable that is compared with the term."""
    (number,) = parts.variables(constraint.count)
    if constraint.relation != "==":
        limit, (relation, shift) = number, RELATIONS[constraint.relation]
        number = parts.new_variable(0, constraint.terms.size)
        parts.linear(((number, limit), (1, -1), shift), relation)
    add_number(parts, constraint.terms, [int(constraint.value.constants[0])], number)


def _counts_a_number(constraint: Count) -> bool:
    return not (constraint.value.width and constraint.value.coefficients.any())


def _n_value(constraint: NValue, parts: TermBuilder) -> None:
    terms = parts.variables(constraint.terms)
    bounds = [parts.bounds(v) for v in terms]
    data = different_data(min(low for low, _ in bounds), max(high for _, high in bounds))
    variables = [*terms, *parts.variables(constraint.count)]
    parts.propagator(Propagator("different_values", variables, numbers=data))


def _has_few_values(constraint: NValue | GlobalCardinality) -> bool:
    low, high = constraint.terms.bounds()
    return constraint.terms.size > 0 and int(high.max()) - int(low.min()) < MOST_VALUES


def numbers_of(constraint: GlobalCardinality, parts: TermBuilder) -> list[int]:
    """Return for each value a variable that is to say how often it occurs."""
    if constraint.counts.ndim == 1:
        return parts.variables(constraint.counts)
    many = constraint.terms.size
    if not constraint.counts.width:
        limits = [
            (max(0, low), min(high, many))
            for low, high in constraint.counts.constants.reshape(-1, 2).tolist()
        ]
        if any(low > high for low, high in limits):
            parts.linear(((), (), 1), LE)
        return [parts.new_variable(min(limit), max(limit)) for limit in limits]
    lower, upper = parts.variables(constraint.counts[:, 0]), parts.variables(constraint.counts[:, 1])
    numbers = [parts.new_variable(0, many) for _ in lower]
    for ends, relation in ((lower, GE), (upper, LE)):
        for number, end in zip(numbers, ends, strict=True):
            parts.linear(((number, end), (1, -1), 0), relation)
    return numbers


def _global_cardinality(constraint: GlobalCardinality, parts: TermBuilder) -> None:
    """Add one propagator over the terms and the numbers; what no term can be occurs never."""
    terms = parts.variables(constraint.terms)
    bounds = [parts.bounds(v) for v in terms]
    low, high = min(low for low, _ in bounds), max(high for _, high in bounds)
    places = dict.fromkeys(range(low, high + 1), NEVER if constraint.closed else ANY)
    numbers = numbers_of(constraint, parts)
    for value, number in zip(constraint.values, numbers, strict=True):
        if value in places:
            places[value] = number * at.X_WIDTH
        else:
            parts.linear(((number,), (1,), 0), EQ)
    data = cardinality_data([v * at.X_WIDTH for v in terms], low, high, places)
    parts.propagator(Propagator("cardinality", [*terms, *numbers], numbers=data))


def _circuit(constraint: Circuit | SubCircuit, parts: TermBuilder) -> None:
    """Add that the successors are different nodes, and what arcs must do."""
    nodes = parts.variables(constraint.successor)
    last = len(nodes) - 1
    for v in nodes:
        low, high = parts.bounds(v)
        if low < 0:
            parts.linear(((v,), (1,), 0), GE)
        if high > last:
            parts.linear(((v,), (1,), -last), LE)
    if nodes:
        parts.all_different([((v,), (1,), 0) for v in nodes])
        if isinstance(constraint, Circuit) and constraint.depots:
            marks = [number for k in range(len(nodes)) for number in (int(k in constraint.depots), 0, -1)]
            parts.propagator(Propagator("depots", nodes, numbers=marks))
            return
        sub = isinstance(constraint, SubCircuit)
        room = [-1, *[0] * (circuit.ROOM * (len(nodes) + 1))]
        parts.propagator(Propagator("circuit", nodes, numbers=room, constant=int(sub)))


def _inverse(constraint: Inverse, parts: TermBuilder) -> None:
    """Add that each points back to the other, and that both are permutations."""
    first, second = parts.variables(constraint.first), parts.variables(constraint.second)
    parts.propagator(Propagator("inverse", [*first, *second]))
    parts.all_different([((v,), (1,), 0) for v in first])


def _add_order(first: list[int], second: list[int], strict: bool, parts: TermBuilder) -> None:
    pairs = [v for pair in zip(first, second, strict=True) for v in pair]
    order = Propagator("lexicographic", pairs, constant=int(strict), words=(0,))
    parts.propagator(order)


def _lexicographic(constraint: Lexicographic, parts: TermBuilder) -> None:
    first, second = parts.variables(constraint.first), parts.variables(constraint.second)
    _add_order(first, second, constraint.strict, parts)


def _lexicographic_chain(constraint: LexChain, parts: TermBuilder) -> None:
    rows = [parts.variables(row) for row in constraint.matrix]
    for first, second in pairwise(rows):
        _add_order(first, second, constraint.order.strict, parts)


def _value_precede(constraint: ValuePrecede, parts: TermBuilder) -> None:
    precede(parts.variables(constraint.terms), constraint.values, parts)


def precede(variables: list[int], values: Iterable[int], parts: TermBuilder) -> None:
    """Add one propagator for each value and the next."""
    for value, later in pairwise(values):
        parts.propagator(Propagator("value_precede", variables, numbers=(value, later), words=(0,)))


def _regular(constraint: Regular, parts: TermBuilder) -> None:
    """Add the graph of the transitions that lead from the start to an accepting state."""
    layers, possible = constraint.layers()
    if not possible:
        parts.linear(((), (), 1), LE)  # false
        return
    if layers:
        lengths = [len(arcs) for arcs in layers]
        arcs, layer = np.concatenate(layers), np.repeat(np.arange(len(layers)), lengths)
        ends = arcs[:, ::2].T  # tails and heads
        known = distinct(ends)
        places = np.stack([layer, layer + 1]) * len(known) + np.searchsorted(known, ends)
        states = distinct(places)  # of all layers, in order
        marks = graph.LAYERS + len(layers)
        starts = marks + len(states) + graph.ARC * (np.cumsum(lengths) - lengths)
        head = np.array([0, marks, *starts.tolist(), *[0] * len(states)], dtype=np.int64)
        arcs[:, ::2] = np.searchsorted(states, places).T
        parts.propagator(
            Propagator(
                "regular",
                parts.variables(constraint.terms),
                numbers=np.concatenate([head, arcs.reshape(-1)]),
                words=[0, *lengths],
            )
        )


def _task_variables(constraint: NoOverlap | Cumulative, parts: TermBuilder) -> list[int]:
    sides = [constraint.start, constraint.duration, constraint.present]
    if isinstance(constraint, Cumulative):
        sides += [constraint.demand, constraint.capacity.reshape(-1)]
    return [v for side in sides for v in parts.variables(side)]


def _add_tasks(name: str, variables: list[int], count: int, parts: TermBuilder) -> None:
    """Add a propagator of so many tasks, with room for what it knows of them and for a time table."""
    room = np.zeros((task_sets.ROOM + 4) * (count + 1), dtype=np.int64)
    parts.propagator(Propagator(name, variables, numbers=room, constant=count))


def _no_overlap(constraint: NoOverlap, parts: TermBuilder) -> None:
    variables, count = _task_variables(constraint, parts), constraint.start.size
    _add_tasks("no_overlap", variables + _orders_of_tasks(variables, count, parts), count, parts)


def _orders_of_tasks(variables: list[int], count: int, parts: TermBuilder) -> list[int]:
    """Return truths that say of two tasks which comes first, for a search that may decide them.

    Once all are decided, tasks begin as early as those before them allow. Only tasks that are there and take
    time must come one after the other.
    """
    least = [parts.bounds(v)[0] for v in variables[count:]]  # of durations and presences
    lasting = [task for task in range(count) if least[task] > 0 and least[count + task] == 1]
    if not parts.decides_more(len(lasting) * (len(lasting) - 1) // 2):
        return []
    tasks = np.array(variables, dtype=np.int64).reshape(3, count)[:2, lasting]  # starts and durations
    first, second = _pairs(len(lasting), 1)
    return parts.ordered(tasks[:, first], tasks[:, second])


_pairs = lru_cache(maxsize=16)(np.triu_indices)
"""Machines of a shop have as many tasks."""


def _cumulative(constraint: Cumulative, parts: TermBuilder) -> None:
    _add_tasks("cumulative", _task_variables(constraint, parts), constraint.start.size, parts)


MOST_TASKS = 1 << 7
"""Of a resource on which machines are looked for."""

MOST_MACHINES = 8
"""Those on which tasks last longest in all: more of them make nodes slower, and save few."""


def add_machines(compiled: Compiled, parts: TermBuilder) -> None:
    """Let tasks follow one another any two of which are too heavy for one of the resources at once."""
    numbers: dict[tuple[int, ...], int] = {}  # of tasks, by start, duration and presence
    edges: Edges = {}
    for whole in compiled.wholes:
        if isinstance(whole.constraint, Cumulative) and whole.constraint.start.size <= MOST_TASKS:
            parts.taken = whole
            for pair in _too_heavy(_task_variables(whole.constraint, parts), parts):
                a, b = (numbers.setdefault(task, len(numbers)) for task in pair)
                edges[a, b] = edges[b, a] = {0}
    tasks, lower = np.array([*numbers], dtype=np.int64).reshape(-1, 3), np.array(parts.lower)
    machines = [tasks[[task for task, _ in members]].T for members in cover(edges, LOOKS * len(edges))]
    machines.sort(key=lambda machine: -lower[machine[1]].sum())
    for machine in machines[:MOST_MACHINES]:
        _add_tasks("no_overlap", machine.reshape(-1).tolist(), machine.shape[1], parts)


def _too_heavy(variables: list[int], parts: TermBuilder) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield pairs of a resource's tasks that last, and demand together more than its greatest capacity."""
    sides, lower = np.array(variables[:-1], dtype=np.int64).reshape(4, -1), np.array(parts.lower)
    sides = sides[:, lower[sides[1]] > 0]
    demand, tasks = lower[sides[3]], [*map(tuple, sides[:3].T.tolist())]
    heavy = np.triu(demand[:, None] + demand > parts.upper[variables[-1]], 1)
    yield from ((tasks[i], tasks[j]) for i, j in np.argwhere(heavy).tolist() if tasks[i] != tasks[j])


# Decomposed, on 2026-11-28: magic sequences take 5 times as long (counts), a roster of 6 nurses 9 times
# (cardinalities) and 3 times (automata), a nonogram 11, bins 9 (numbers of values), still lifes of 6 9
# (tables of what is not allowed), designs 5 to 7 (lexicographic orders), coloured graphs 2.6 (orders of
# values), projects 2.7 (resources), job shops la01 to la04 more than 100 (machines); inverses only 1.4 on the
# row that has some, 9 at 50.
WHOLES: Mapping[str, WholeKind] = {
    "Among": WholeKind(_among),
    "Circuit": WholeKind(_circuit),
    "Count": WholeKind(_count, _counts_a_number),
    "Cumulative": WholeKind(_cumulative),
    "GlobalCardinality": WholeKind(_global_cardinality, _has_few_values),
    "Inverse": WholeKind(_inverse),
    "LexChainLess": WholeKind(_lexicographic_chain),
    "LexChainLessEqual": WholeKind(_lexicographic_chain),
    "LexLess": WholeKind(_lexicographic),
    "LexLessEqual": WholeKind(_lexicographic),
    "NValue": WholeKind(_n_value, _has_few_values),
    "NegativeTable": NEGATIVE,
    "NoOverlap": WholeKind(_no_overlap, when=lambda constraint: not constraint.has_setup),
    "Regular": WholeKind(_regular),
    "ShortTable": SHORT,
    "SubCircuit": WholeKind(_circuit),
    "ValuePrecede": WholeKind(_value_precede),
}
"""By kind of constraint."""


def takes(constraint: Constraint) -> bool:
    """Say whether the engine takes a plain constraint as it is."""
    kind = WHOLES.get(constraint.kind)
    return kind is not None and kind.when(constraint)
