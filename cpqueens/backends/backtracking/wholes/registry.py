"""The kinds of constraints that the exact engine takes as they are, and what they turn into."""

from collections.abc import Iterable, Mapping
from itertools import combinations, pairwise

import numpy as np

from cpqueens.backends.backtracking.wholes import table
from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator, WholeKind
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact import task_sets
from cpqueens.kernels.exact.propagators import regular as graph
from cpqueens.kernels.exact.propagators.cardinality import ANY, NEVER, cardinality_data
from cpqueens.kernels.exact.propagators.circuit import ROOM
from cpqueens.kernels.exact.propagators.different_values import different_data
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.circuit import Circuit, SubCircuit
from cpqueens.language.constraints.count import Among, Count, GlobalCardinality, NValue
from cpqueens.language.constraints.cumulative import Cumulative, NoOverlap
from cpqueens.language.constraints.inverse import Inverse
from cpqueens.language.constraints.lexicographic import LexChain, Lexicographic
from cpqueens.language.constraints.regular import Regular
from cpqueens.language.constraints.value_precede import ValuePrecede
from cpqueens.language.expressions import LinearArray
from cpqueens.lowered.compiled import EQ, GE, LE, RELATIONS

MOST_VALUES = 1 << 12
"""Between the least and the greatest value of all terms; with more, each is compared with the others."""


def add_number(parts: Parts, terms: LinearArray, values: Iterable[int], number: int) -> None:
    """Add that so many terms as a variable says have one of these values."""
    variables = [*parts.variables(terms), number]
    parts.propagator(Propagator("among", variables, numbers=sorted(values)))


def _among(constraint: Among, parts: Parts) -> None:
    (number,) = parts.variables(constraint.count)
    add_number(parts, constraint.terms, constraint.values, number)


def _count(constraint: Count, parts: Parts) -> None:
    """Add the number itself where it is equal to a term; else a variable that is compared with the term."""
    (number,) = parts.variables(constraint.count)
    if constraint.relation != "==":
        limit, (relation, shift) = number, RELATIONS[constraint.relation]
        number = parts.new_variable(0, constraint.terms.size)
        parts.linear(((number, limit), (1, -1), shift), relation)
    add_number(parts, constraint.terms, [int(constraint.value.constants[0])], number)


def _counts_a_number(constraint: Count) -> bool:
    return not constraint.value.coefficients.any()


def _n_value(constraint: NValue, parts: Parts) -> None:
    terms = parts.variables(constraint.terms)
    bounds = [parts.bounds(v) for v in terms]
    data = different_data(min(low for low, _ in bounds), max(high for _, high in bounds))
    variables = [*terms, *parts.variables(constraint.count)]
    parts.propagator(Propagator("different_values", variables, numbers=data))


def _has_few_values(constraint: NValue | GlobalCardinality) -> bool:
    low, high = constraint.terms.bounds()
    return constraint.terms.size > 0 and int(high.max()) - int(low.min()) < MOST_VALUES


def numbers_of(constraint: GlobalCardinality, parts: Parts) -> list[int]:
    """Return for each value a variable that is to say how often it occurs."""
    if constraint.counts.ndim == 1:
        return parts.variables(constraint.counts)
    lower, upper = parts.variables(constraint.counts[:, 0]), parts.variables(constraint.counts[:, 1])
    numbers = [parts.new_variable(0, constraint.terms.size) for _ in lower]
    for limits, relation in ((lower, GE), (upper, LE)):
        for number, limit in zip(numbers, limits, strict=True):
            parts.linear(((number, limit), (1, -1), 0), relation)
    return numbers


def _global_cardinality(constraint: GlobalCardinality, parts: Parts) -> None:
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


def _circuit(constraint: Circuit | SubCircuit, parts: Parts) -> None:
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
            parts.propagator(Propagator("depots", nodes, numbers=marks, queue=at.DEAR))
            return
        sub = isinstance(constraint, SubCircuit)
        room = [-1, *[0] * (ROOM * (len(nodes) + 1))]
        parts.propagator(Propagator("circuit", nodes, numbers=room, constant=int(sub), queue=at.DEAR))


def _inverse(constraint: Inverse, parts: Parts) -> None:
    """Add that each points back to the other, and that both are permutations."""
    first, second = parts.variables(constraint.first), parts.variables(constraint.second)
    parts.propagator(Propagator("inverse", [*first, *second]))
    parts.all_different([((v,), (1,), 0) for v in first])


def _add_order(first: list[int], second: list[int], strict: bool, parts: Parts) -> None:
    pairs = [v for pair in zip(first, second, strict=True) for v in pair]
    order = Propagator(
        "lexicographic", pairs, constant=int(strict), words=(0,), events=at.BOUND, queue=at.QUICK
    )
    parts.propagator(order)


def _lexicographic(constraint: Lexicographic, parts: Parts) -> None:
    first, second = parts.variables(constraint.first), parts.variables(constraint.second)
    _add_order(first, second, constraint.strict, parts)


def _lexicographic_chain(constraint: LexChain, parts: Parts) -> None:
    rows = [parts.variables(row) for row in constraint.matrix]
    for first, second in pairwise(rows):
        _add_order(first, second, constraint.order.strict, parts)


def _value_precede(constraint: ValuePrecede, parts: Parts) -> None:
    precede(parts.variables(constraint.terms), constraint.values, parts)


def precede(variables: list[int], values: Iterable[int], parts: Parts) -> None:
    """Add one propagator for each value and the next."""
    for value, later in pairwise(values):
        parts.propagator(Propagator("value_precede", variables, numbers=(value, later), words=(0,)))


def _regular(constraint: Regular, parts: Parts) -> None:
    """Add the graph of the transitions that lead from the start to an accepting state."""
    layers, possible = constraint.layers()
    if not possible:
        parts.linear(((), (), 1), LE)  # false
        return
    states = [np.unique(arcs[:, 0]) for arcs in layers]
    states += [np.unique(arcs[:, 2]) for arcs in layers[-1:]]
    first = np.cumsum([0, *map(len, states)])
    marks = graph.LAYERS + len(layers)
    starts = marks + int(first[-1]) + graph.ARC * np.cumsum([0, *map(len, layers)])
    arcs = [
        np.stack(
            [
                first[k] + np.searchsorted(states[k], tails),
                values,
                first[k + 1] + np.searchsorted(states[k + 1], heads),
            ],
            axis=1,
        )
        for k, (tails, values, heads) in enumerate(layer.T for layer in layers)
    ]
    head = np.array([0, marks, *starts[:-1], *[0] * int(first[-1])], dtype=np.int64)
    if layers:
        parts.propagator(
            Propagator(
                "regular",
                parts.variables(constraint.terms),
                numbers=np.concatenate([head, *(a.reshape(-1) for a in arcs)]),
                words=[0, *map(len, layers)],
            )
        )


def _task_variables(constraint: NoOverlap | Cumulative, parts: Parts) -> list[int]:
    sides = (constraint.start, constraint.duration, constraint.present)
    return [v for side in sides for v in parts.variables(side)]


def _no_overlap(constraint: NoOverlap, parts: Parts) -> None:
    count = constraint.start.size
    room = [0] * (task_sets.ROOM * (count + 1))
    variables = _task_variables(constraint, parts)
    variables += _orders_of_tasks(variables, count, parts)
    parts.propagator(
        Propagator("no_overlap", variables, numbers=room, constant=count, events=at.BOUND, queue=at.DEAREST)
    )


def _orders_of_tasks(variables: list[int], count: int, parts: Parts) -> list[int]:
    """Return truths that say of two tasks which comes first, for a search that may decide them.

    Once all are decided, tasks begin as early as those before them allow. Only tasks that are there and take
    time must come one after the other.
    """
    lasting = [
        task
        for task in range(count)
        if parts.bounds(variables[count + task])[0] > 0 and parts.bounds(variables[2 * count + task])[0] == 1
    ]
    pairs = list(combinations(lasting, 2))
    if not parts.decides_more(len(pairs)):
        return []
    found = []
    for i, j in pairs:
        first, second = parts.new_variable(0, 1), parts.new_variable(0, 1)
        for before, after, truth in ((i, j, first), (j, i, second)):
            ends = variables[before], variables[count + before], variables[after]
            parts.truth((ends, (1, 1, -1), 0), LE, truth)
        parts.linear(((first, second), (1, 1), -1), EQ)
        parts.decide(first)
        found.append(first)
    return found


def _cumulative(constraint: Cumulative, parts: Parts) -> None:
    count = constraint.start.size
    room = [0] * ((task_sets.ROOM + 4) * (count + 1))
    variables = _task_variables(constraint, parts) + parts.variables(constraint.demand)
    variables += parts.variables(constraint.capacity.reshape(-1))
    parts.propagator(
        Propagator("cumulative", variables, numbers=room, constant=count, events=at.BOUND, queue=at.DEAREST)
    )


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
    "NegativeTable": table.NEGATIVE,
    "NoOverlap": WholeKind(_no_overlap, when=lambda constraint: not constraint.has_setup),
    "Regular": WholeKind(_regular),
    "ShortTable": table.SHORT,
    "SubCircuit": WholeKind(_circuit),
    "ValuePrecede": WholeKind(_value_precede),
}
"""By kind of constraint."""


def takes(constraint: Constraint) -> bool:
    """Say whether the engine takes a plain constraint as it is."""
    kind = WHOLES.get(constraint.kind)
    return kind is not None and kind.when(constraint)
