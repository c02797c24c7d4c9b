"""What a search that remembers subproblems has besides: the propagator `remembered`, and room for it.

In the same order without it still lifes of 6, 7 and 8 take 1.0, 1.2 and 2.0 times as long, and that even
numbers have no odd sum is not seen in 6 s instead of 0.01 s (2026-11-28).
"""

import numpy as np

from cpqueens.backends.backtracking.wholes.parts import Propagators
from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.apart import KINDS
from cpqueens.kernels.exact.propagators import remembered as kernel
from cpqueens.language.rows import IntArray

RING, LARGEST_RING, SLOTS = 1 << 18, 1 << 23, 1 << 18
"""Numbers that describe subproblems, 2 MB at first and 64 MB at last, and places of such."""

LONGEST = 1 << 12
"""Numbers of one description; longer ones are not kept."""

LARGEST = 1 << 14
"""Variables and arguments of constraints: with more, to describe a node would cost more than to search it."""

_IMPLIED = (
    "all_different_values",
    "distances",
    "equation_values",
    "extreme_values",
    "fractional_bound",
    "function_values",
    "nogoods",
    "remembered",
    "tour_bound",
)
"""Propagators of what other ones say."""

_CONSISTENT = ("distance_values", "negative_table", "regular", "table", "value_precede")
"""Domain consistent ones: with one open variable its domain says all."""

_RULES = {
    **dict.fromkeys(range(kinds.TRUTH_AT_MOST + 1), kernel.SUM),
    kinds.CLAUSE: kernel.LITERALS,
    kinds.TRUTH_OR: kernel.LITERALS,
    KINDS["among"]: kernel.MEMBERS,
    **{KINDS[name]: kernel.VALUES_OF_SEVERAL for name in _CONSISTENT},
    **{KINDS[name]: kernel.NOTHING for name in _IMPLIED},
}
"""How the constraint of a kind of propagator is described; all others by all their values."""


def rules(decisions: int, laid: Propagators, objective: int) -> list[int]:
    """Return the numbers of ``remembered``: rules of all propagators but the objective (its number or -1).

    Of a large model nothing is remembered: there are no rules, and nothing says where they are.
    """
    head = [0] * kernel.HEAD
    head[kernel.STRIDE], head[kernel.COUNT], head[kernel.WRITTEN] = 1, decisions, 1
    head[kernel.OBJECTIVE] = objective * at.P_WIDTH if objective >= 0 else -1
    if len(laid.variables) > LARGEST:
        return head
    head[kernel.RULES] = kernel.HEAD
    found = ((k, _RULES.get(kind, kernel.VALUES)) for k, kind in enumerate(laid.kinds) if k != objective)
    return head + [n for k, rule in found if rule != kernel.NOTHING for n in (k * at.P_WIDTH, rule)]


def with_room(start: at.Memory) -> at.Memory:
    """Return a memory of its own for a search, where its first propagator has room if it has rules."""
    own, end = start.net[[at.ROWS, at.ROWS_END]].tolist()
    numbers = start.net[own:end]
    if not numbers[kernel.RULES]:
        return at.copied(start)
    groups = _groups(start)
    variables = start.stack[at.VARIABLES] // at.X_WIDTH
    stack = kernel.STACK_WIDTH * numbers[kernel.COUNT]
    sizes = [len(numbers), len(groups), kernel.ROOT_WIDTH * variables, stack, LONGEST, SLOTS, RING]
    places = len(start.net) + np.cumsum([0, *sizes])
    net = np.zeros(int(places[-1]), dtype=np.int64)  # not touched before it is used
    net[: len(start.net)] = start.net
    net[places[0] : places[1]] = numbers
    net[places[1] : places[2]] = groups
    head = places[0]
    net[[at.ROWS, at.ROWS_END]] = head, places[-1]
    net[head + kernel.RULES] = head + kernel.HEAD
    net[head + kernel.GROUPS : head + kernel.HEAD] = places[1:]
    return at.copied(start)._replace(net=net)


def grown(m: at.Memory) -> at.Memory:
    """Return a memory with a larger ring, if it has one that is half full and not yet the largest."""
    head = m.net[at.ROWS]
    room = int(m.net[head + kernel.RING_END] - m.net[head + kernel.RING])
    written = int(m.net[head + kernel.WRITTEN])
    if not m.net[head + kernel.RULES] or 2 * written <= room or written > room or 4 * room > LARGEST_RING:
        return m
    net = np.zeros(len(m.net) + 3 * room, dtype=np.int64)
    net[: len(m.net)] = m.net
    net[[head + kernel.RING_END, at.ROWS_END]] = len(net)
    return m._replace(net=net)


def _groups(m: at.Memory) -> IntArray:
    """Return AllDifferents that removed values do not say, rows (first term, end, kind), flat.

    They are those over variables without listed values, and those over sums.
    """
    x = m.x[: m.stack[at.VARIABLES]].reshape(-1, at.X_WIDTH)
    found = set()
    for fields, kind in (((at.MEMBER, at.MEMBER_END), kernel.TERMS), ((at.PART, at.PART_END), kernel.SUMS)):
        for first, end in x[x[:, at.FIRST] < 0 if kind == kernel.TERMS else slice(None)][:, fields].tolist():
            rows = m.net[first:end].reshape(-1, 3)[:, 1:]
            found |= {(a, b, kind) for a, b in rows.tolist()}
    return np.array(sorted(found), dtype=np.int64).reshape(-1)


def arguments(m: at.Memory) -> int:
    """Return how many arguments propagators have: so many are looked at to describe one subproblem."""
    records = m.net[: m.net[at.START]].reshape(-1, at.P_WIDTH)
    return int((records[:, at.END] - records[:, at.START]).sum() // 2)


def counts(m: at.Memory) -> tuple[int, int, int]:
    """Return how many subproblems were described, how many came again, and the runs that this spared."""
    head = m.net[m.net[at.ROWS] :]
    return int(head[kernel.LOOKED]), int(head[kernel.MET_IN_ALL]), int(head[kernel.SPARED])


def forget(m: at.Memory) -> None:
    """Remember nothing from now on."""
    m.net[m.net[at.ROWS] + kernel.SLOTS] = 0
