"""The memory of the exact engine: what `network.Builder` collected, laid out in four arrays."""

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from cpqueens.backends.backtracking.network import Builder
from cpqueens.backends.backtracking.remembering import rules
from cpqueens.backends.backtracking.rows import Proved, Row, integers
from cpqueens.backends.backtracking.wholes.implied import is_empty_board
from cpqueens.backends.backtracking.wholes.parts import Propagator
from cpqueens.errors import ModelError
from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.apart import KINDS, TURNS
from cpqueens.kernels.exact.propagators.nogoods import NUMBERS, PATHS
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled, offsets, stable_order
from cpqueens.lowered.forms import Origins
from cpqueens.system.stopping import copied, joined

LISTED = 1 << 16
"""Decision variables that span at most so many values have a flag for each; others have bounds only, and the
values themselves where the domain has gaps."""

LISTED_DEFINED = 1 << 12
"""The same for defined variables."""

CELLS = 200_000_000
"""Values listed in all."""

LONG = 32
"""Variables of a row whose bounds are kept and moved, not added up anew."""

_WAKE = {kinds.DIFFERENT: at.FIX, kinds.TRUTH_EQUAL: at.DOMAIN, kinds.ELEMENT: at.DOMAIN}
_EVENTS, _QUEUE = np.array(  # by kind what wakes propagators, and where they wait
    [(_WAKE.get(kind, at.BOUND), at.QUICK) for kind in range(kinds.APART)] + [*TURNS.values()]
).T

_QUEUES = range(at.QUICK, at.QUEUES_END, at.Q_WIDTH)

_NONE = np.zeros(0, dtype=np.int64)


def build_memory(
    compiled: Compiled,
    check_only: bool,
    learning: bool = False,
    remembering: bool = False,
    proved: Proved = (),
    sources: Origins | None = None,
    without: Collection[str] = (),
) -> tuple[at.Memory, int]:
    """Return the search's memory and the objective's propagator in it (-1 for none).

    With ``sources``, where all comes from, it has the counters of a profile.

    ``proved`` are rows that hold in every solution (see `Relaxation`), ``without`` the implied propagators
    that are left out: ``cliques``, ``circles``, ``distances``.

    With ``check_only`` the decision variables start frozen: nothing is pruned before they are placed. With
    ``learning`` the first propagator is that of nogoods, and variables have first weights and values; with
    ``remembering`` it is that of subproblems, and variables have first values.
    """
    builder = Builder(compiled, not check_only and not is_empty_board(compiled), learning, sources, without)
    decisions = range(compiled.decision_count)
    if learning:
        builder.propagator(Propagator("nogoods", decisions, words=[0] * PATHS))
    if remembering:
        builder.propagator(Propagator("remembered", decisions, words=(0,)))
    builder.build(proved)
    if remembering:
        found = rules(len(decisions), builder.propagators, builder.objective_row)
        builder.propagators.numbers[0] = found
    if builder.decided:
        builder.propagators.lengthen_first(builder.decided)
    return memory_of(builder, check_only, learning or remembering)


def memory_of(builder: Builder, check_only: bool, values: bool) -> tuple[at.Memory, int]:
    """Return the memory of what was built, and the objective's propagator in it (-1 for none).

    With ``values`` variables have first weights and values.
    """
    compiled = builder.compiled
    x = np.zeros((len(builder.lower), at.X_WIDTH), dtype=np.int64)
    x[:, at.LOW] = x[:, at.BASE] = builder.lower
    x[:, at.HIGH] = builder.upper
    x[: compiled.decision_count, at.FROZEN] = check_only
    cells = _cells(x, compiled)
    if compiled.domains:
        x[:, at.HOLES] = _holes(x, cells)
    results, kind = integers(builder.propagators.results), integers(builder.propagators.kinds)
    defining = ((results >= 0) & (kind < kinds.APART)).nonzero()[0]  # of what is compiled apart it is a word
    if values:
        prepare_learning(x, compiled, defining, results[defining], builder.makers)
    net = _net(builder, x, kind, results, defining)
    words = np.zeros((len(builder.words), at.WORD_WIDTH), dtype=np.int64)
    words[:, 0] = builder.words
    whole = joined([x.reshape(-1), words.reshape(-1)])
    stack = _stack(builder, net, x, len(cells), len(whole))
    if builder.marks is not None:
        stack[at.PROFILE], net = len(net), builder.marks.with_counters(net, len(x))
    memory = at.Memory(whole, net, stack, copied(cells, len(cells)))
    return memory, max(-1, builder.objective_row * at.P_WIDTH)


def _cells(x: IntArray, compiled: Compiled) -> Any:
    """Return the flags of the listed values, and say in the variables' records where theirs start."""
    spans, most = x[:, at.HIGH] - x[:, at.LOW] + 1, np.full(len(x), LISTED_DEFINED)
    most[: compiled.decision_count] = LISTED
    listed = (spans > 0) & (spans <= most)
    lengths = spans * listed
    ends = lengths.cumsum()
    total = int(ends[-1]) if len(ends) else 0
    if total > CELLS:
        raise ModelError(f"backtracking would list {total} values, allowed are {CELLS}; narrow the domains")
    first = x[:, at.FIRST] = np.where(listed, ends - lengths, -1)
    cells = np.ones(total, dtype=np.uint8)
    for v, values in compiled.domains.items():
        if listed[v]:
            cells[first[v] : first[v] + spans[v]] = 0
            cells[first[v] + values - x[v, at.LOW]] = 1
    return cells


def _holes(x: IntArray, cells: Any) -> IntArray:
    """Return how many listed values between the bounds are missing, by variable."""
    before = np.concatenate([[0], np.cumsum(cells, dtype=np.int64)])
    spans = np.where(x[:, at.FIRST] >= 0, x[:, at.HIGH] - x[:, at.LOW] + 1, 0)
    first = np.maximum(x[:, at.FIRST], 0)
    missing: IntArray = spans - (before[first + spans] - before[first])
    return missing


def _net(builder: Builder, x: IntArray, kind: IntArray, results: IntArray, defining: IntArray) -> IntArray:
    """Return propagator records, arguments, table rows, watches, AllDifferents, all at absolute places."""
    records, arguments, owner = _propagators(builder, kind, results, x.size)
    parts: list[IntArray] = [records.reshape(-1)]
    end = records.size

    def append(values: IntArray) -> int:
        nonlocal end
        parts.append(values.reshape(-1))
        end += values.size
        return end - values.size

    def append_by_variable(field: int, variables: IntArray, numbers: IntArray) -> None:
        """Append what variables have, rows of numbers that ascend by variable; say in two fields where."""
        if not variables.size:
            x[:, field : field + 2] = end
            return
        width = numbers.shape[1]
        start = width * variables.searchsorted(np.arange(len(x) + 1)) + append(numbers)
        x[:, field], x[:, field + 1] = start[:-1], start[1:]

    append(arguments * np.array([at.X_WIDTH, 1]))
    if builder.propagators.numbers:
        of, numbers = list(builder.propagators.numbers), [*builder.propagators.numbers.values()]
        first = offsets([len(own) for own in numbers]) + append(joined(numbers))
        records[of, at.ROWS], records[of, at.ROWS_END] = first[:-1], first[1:]
    append_by_variable(at.IN_ROWS, *_long_rows(builder, records, x.size))
    append_by_variable(at.WATCH, *_watches(records, defining, arguments[:, 0], owner))
    members = places = _NONE, _NONE
    if builder.different:
        different, lengths = np.concatenate(builder.different), [len(group) for group in builder.different]
        members = _members(different[:, 0], np.arange(len(different)), lengths, end)
        if builder.marks is not None:
            builder.marks.place_groups(lengths, end, sums=False)
        append(different * np.array([at.X_WIDTH, 1, 1]))
    append_by_variable(at.MEMBER, *members)
    if builder.sums:
        rows, lengths = [*chain.from_iterable(builder.sums)], [len(group) for group in builder.sums]
        owners = np.arange(len(rows)).repeat([len(variables) for variables, _, _ in rows])
        places = _members(integers([v for row in rows for v in row[0]]), owners, lengths, end)
        if builder.marks is not None:
            builder.marks.place_groups(lengths, end, sums=True)
        append(_sums(rows, end))
    append_by_variable(at.PART, *places)
    for variable, values in builder.compiled.domains.items():
        if x[variable, at.FIRST] < 0:
            x[variable, at.SPARSE] = append(values)
            x[variable, at.SPARSE_END] = end
    if KINDS["nogoods"] in builder.propagators.kinds[:1]:  # paths lie behind all, in new room
        begin = append(np.zeros(1 if builder.marks is None else NUMBERS, dtype=np.int64))
        records[0, at.ROWS], records[0, at.ROWS_END] = begin, begin + NUMBERS
    return joined(parts)


def with_room(network: at.Memory) -> at.Memory:
    """Return a network of its own for a search that keeps paths, see `nogoods`."""
    x, net, stack, cells = network
    room = max(0, net.item(at.ROWS_END) - len(net))
    return at.Memory(copied(x), copied(net, room), copied(stack), copied(cells))


def _long_rows(builder: Builder, records: IntArray, words: int) -> tuple[IntArray, IntArray]:
    """Let long rows keep their sums in reversible words, from ``words`` on.

    Return their variables, ascending, and (first word, coefficient) of each.
    """
    found: list[IntArray] = []
    made = builder.propagators
    lengths, kind = (records[:, at.END] - records[:, at.START]) // 2, records[:, at.KIND]
    long = lengths >= LONG
    if not builder.strong or not long.any():
        return _NONE, _NONE
    long &= (kind <= kinds.TRUTH_AT_MOST) & (kind != kinds.DIFFERENT)
    ends, start = integers([builder.lower, builder.upper]), offsets(lengths).tolist()
    variables, coefficients = integers(made.variables), integers(made.coefficients)
    for k in np.flatnonzero(long).tolist():
        own = slice(start[k], start[k + 1])
        v, a = variables[own], coefficients[own]
        both = np.sort(ends[:, v] * a, axis=0)
        place = records[k, at.ROWS] = words + len(builder.words) * at.WORD_WIDTH
        builder.words += [*both.sum(axis=1).tolist(), int((both[1] - both[0]).max())]
        found.append(np.stack([v, np.full(len(v), place), a], axis=1))
    if not found:
        return _NONE, _NONE
    rows = np.concatenate(found)
    rows = rows[stable_order(rows[:, 0])]
    return rows[:, 0], rows[:, 1:]


def _propagators(
    builder: Builder, kind: IntArray, results: IntArray, words: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the records, (variable, coefficient) of all arguments to lie behind them, and whose these are.

    Reversible words lie from ``words`` on.
    """
    made = builder.propagators
    lengths = integers(made.lengths)
    pairs = np.empty((len(made.variables), 2), dtype=np.int64)
    pairs[:, 0], pairs[:, 1] = made.variables, made.coefficients
    records = np.zeros((len(lengths), at.P_WIDTH), dtype=np.int64)
    records[:, at.KIND], records[:, at.CONSTANT] = kind, made.constants
    records[:, at.QUEUED], records[:, at.QUEUE] = 1, _QUEUE[kind]
    of_words = words + results * at.WORD_WIDTH
    records[:, at.RESULT] = np.where(kind < kinds.APART, results * at.X_WIDTH, of_words)
    ends = records.size + 2 * lengths.cumsum()
    records[:, at.END], records[:, at.START] = ends, ends - 2 * lengths
    return records, pairs, np.arange(len(lengths)).repeat(lengths)


def _watches(
    records: IntArray, defining: IntArray, variables: IntArray, owner: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the variables that wake propagators, ascending, and (propagator, events) of each, once."""
    kind = records[:, at.KIND]
    events = _EVENTS[kind][owner]
    if len(defining):
        woken = np.where(kind[defining] == kinds.ELEMENT, at.DOMAIN, at.BOUND)
        variables = np.concatenate([variables, records[defining, at.RESULT] // at.X_WIDTH])
        owner, events = np.concatenate([owner, defining]), np.concatenate([events, woken])
        order = stable_order(owner)
        variables, owner, events = variables[order], owner[order], events[order]
    order = stable_order(variables)
    variables, owner, events = variables[order], owner[order], events[order]
    again = owner[1:] == owner[:-1]
    if again.any():
        again &= (variables[1:] == variables[:-1]) & (events[1:] == events[:-1])
        once = np.concatenate([[True], ~again])
        variables, owner, events = variables[once], owner[once], events[once]
    return variables, integers([owner * at.P_WIDTH, events]).T


def _members(
    variables: IntArray, terms: IntArray, lengths: Sequence[int], begin: int
) -> tuple[IntArray, IntArray]:
    """Return the variables of AllDifferents, ascending, and (term, first term, end of the terms) of each.

    ``terms`` are those that they stand in; these, three numbers each, will lie from ``begin`` on.
    """
    ends, order = begin + 3 * offsets(lengths), stable_order(variables)
    terms = terms[order]
    group = np.arange(len(lengths)).repeat(lengths)[terms]
    return variables[order], integers([begin + 3 * terms, ends[group], ends[group + 1]]).T


def _sums(rows: list[Row], begin: int) -> IntArray:
    """Return sums, (first, last argument, constant) each, to lie from ``begin`` on, and their arguments."""
    sums: list[int] = []
    arguments: list[int] = []
    behind = begin + 3 * len(rows)
    for variables, coefficients, constant in rows:
        start = behind + len(arguments)
        arguments += chain(*((v * at.X_WIDTH, a) for v, a in zip(variables, coefficients, strict=True)))
        sums += [start, behind + len(arguments), constant]
    return integers(sums + arguments)


def _stack(builder: Builder, net: IntArray, x: IntArray, cells: int, saved: int) -> IntArray:
    """Return header, removed cells, changed variables, queues (all propagators wait) and room for a trail.

    ``saved`` is how much room a level of the trail may need.
    """
    made = builder.propagators
    queue_of = net[at.QUEUE : len(made) * at.P_WIDTH : at.P_WIDTH]
    waiting = {queue: (queue_of == queue).nonzero()[0] for queue in _QUEUES}
    changed = at.HEADER + cells + 1
    begin = changed + at.CHANGE_WIDTH * len(x) + 1
    trail = begin + len(queue_of) + len(waiting)
    stack = np.zeros(trail + 2 * saved + 256, dtype=np.int64)
    stack[at.CELLS_TOP], stack[at.TRAIL_TOP], stack[at.LEVEL] = at.HEADER, trail, 1
    stack[at.CHANGED_BASE] = stack[at.CHANGED_TOP] = changed
    stack[at.MARKS], stack[at.VARIABLES], stack[at.BUMP] = cells, x.size, FIRST_WEIGHT
    for queue, numbers in waiting.items():
        end = begin + len(numbers) + 1
        stack[queue : queue + at.Q_WIDTH] = begin, end, begin, len(numbers)
        stack[begin : end - 1] = numbers * at.P_WIDTH
        begin = end
    apart = [at.ADDRESSES + kind - kinds.APART for kind in set(made.kinds) if kind >= kinds.APART]
    if apart:
        stack[apart] = at.WANTED
        stack[at.UNLINKED] = True
    return stack


# ---- what a search that learns from its failures has besides ---------------------------------------------


FIRST_WEIGHT = 64
"""Of each variable before the first failure, and what that adds."""


def prepare_learning(
    x: IntArray, compiled: Compiled, made: IntArray, results: IntArray, makers: Iterable[tuple[int, int]]
) -> None:
    """Set first weights, the values to try first (those that are good for the objective), and makers.

    ``x`` are the variables' records, (variables, at.X_WIDTH); propagators ``made`` define ``results``, and
    ``makers`` are further pairs (propagator, its result).
    """
    x[:, at.WEIGHT] = FIRST_WEIGHT
    x[:, at.SAVED] = x[:, at.LOW]
    if compiled.objective is not None:
        down = compiled.objective.variable[compiled.objective.coefficient < 0]
        x[down, at.SAVED] = x[down, at.HIGH]
    x[results, at.MAKER] = 1 + made * at.P_WIDTH
    for k, variable in makers:
        x[variable, at.MAKER] = 1 + k * at.P_WIDTH
