"""Why something changed or failed, as facts that were there before.

Asked for when an analysis needs it. Clauses, linear rows, their truths, extremes, elements, and what
AllDifferents take from others when a variable is fixed are explained exactly, the bounds of rows weakened
as far as their slack allows. Any other propagator is explained by all that its arguments had lost by then,
bounds and removed values, which is sound where it reads nothing else, and weak (`BY_ALL` counts these). If
the facts are too many for their room, the decisions so far are taken, which are always right.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.domains import Memory
from cpqueens.kernels.exact.learning import literals as lit, literals as of
from cpqueens.kernels.exact.learning.literals import Learner
from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.kernels.jit.instructions import entry, put

LEAST, GREATEST = range(2)
"""Sums of a row."""


# ---- linear rows ------------------------------------------------------------------------------------


@inner_kernel
def sums_at(m: Memory, p: int, place: int, but: int) -> Any:
    """Return the least and the greatest sum of a row, without one variable, before a place of the log."""
    least = greatest = entry(m.net, p + at.CONSTANT)
    for k in range(entry(m.net, p + at.START), entry(m.net, p + at.END), 2):
        v, a = entry(m.net, k), entry(m.net, k + 1)
        if v != but:
            low, high, _ = of.bounds_at(m, v, place)
            least += a * (low if a > 0 else high)
            greatest += a * (high if a > 0 else low)
    return least, greatest


@inner_kernel
def add_side(m: Memory, q: Learner, p: int, place: int, but: int, side: int, slack: int) -> None:
    """Add the bounds that make a row's least or greatest sum, without one variable, what it was.

    It may be nearer to the other one by ``slack``: bounds are left out, and then weakened, as far as it goes.
    """
    rest = slack
    for weakened in range(2):
        left = slack
        for k in range(entry(m.net, p + at.START), entry(m.net, p + at.END), 2):
            v, a = entry(m.net, k), entry(m.net, k + 1)
            if v == but:
                continue
            low, high, _ = of.bounds_at(m, v, place)
            first_low, first_high = of.first_bounds(m, v)
            is_low = (a > 0) == (side == LEAST)
            gap = low - first_low if is_low else first_high - high
            if abs(a) * gap <= left:
                left -= abs(a) * gap
            elif weakened:
                step = rest // abs(a)
                rest -= step * abs(a)
                if is_low:
                    of.add_fact(q, (v << 2) + lit.AT_LEAST, low - step)
                else:
                    of.add_fact(q, (v << 2) + lit.AT_MOST, high + step)
        rest = left if not weakened else rest


@inner_kernel
def add_all_fixed(m: Memory, q: Learner, p: int, but: int) -> None:
    """Add the values of all variables of a row but one, which were fixed before what is explained."""
    for k in range(entry(m.net, p + at.START), entry(m.net, p + at.END), 2):
        if entry(m.net, k) != but:
            of.add_fixed(m, q, entry(m.net, k))


@inner_kernel
def aim_at(m: Memory, q: Learner, p: int, place: int) -> Any:
    """Return what a row is pruned for, a code of `kinds` or -1 (at least 1); its truth becomes a fact."""
    kind = entry(m.net, p + at.KIND)
    if kind <= kinds.AT_MOST:
        return kind
    b = entry(m.net, p + at.RESULT)
    low, _, _ = of.bounds_at(m, b, place)
    if low == 1:
        of.add_fact(q, (b << 2) + lit.AT_LEAST, 1)
        return kinds.EQUAL if kind == kinds.TRUTH_EQUAL else kinds.AT_MOST
    of.add_fact(q, (b << 2) + lit.AT_MOST, 0)
    return kinds.DIFFERENT if kind == kinds.TRUTH_EQUAL else -1


@inner_kernel
def explain_truth(m: Memory, q: Learner, p: int, r: int) -> None:
    """Explain the truth of a row."""
    is_true = of.has_low(m, r)
    least, greatest = sums_at(m, p, r, -1)
    first = entry(m.net, p + at.START)
    if entry(m.net, p + at.KIND) == kinds.TRUTH_AT_MOST and is_true:
        add_side(m, q, p, r, -1, GREATEST, -greatest)
    elif is_true:
        add_all_fixed(m, q, p, -1)
    elif least > 0:
        add_side(m, q, p, r, -1, LEAST, least - 1)
    elif greatest < 0:
        add_side(m, q, p, r, -1, GREATEST, -1 - greatest)
    else:  # one variable, which has lost the value
        a, c = entry(m.net, first + 1), entry(m.net, p + at.CONSTANT)
        if c % a == 0:
            of.add_fact(q, (entry(m.net, first) << 2) + lit.IS_NOT, -c // a)


@inner_kernel
def explain_bound(m: Memory, q: Learner, p: int, r: int, aim: int, up: int, bound: int) -> None:
    """Explain that the record's variable is at least (``up``) or at most ``bound``, by a row."""
    v = entry(m.stack, r + at.R_VARIABLE)
    a = 0
    for k in range(entry(m.net, p + at.START), entry(m.net, p + at.END), 2):
        if entry(m.net, k) == v:
            a = entry(m.net, k + 1)
    least, greatest = sums_at(m, p, r, v)
    refuted = a * (bound - 1 if up else bound + 1)
    if (a > 0) != (up > 0):  # the sum is at most 0
        add_side(m, q, p, r, v, LEAST, least + refuted - 1)
    else:
        add_side(m, q, p, r, v, GREATEST, (0 if aim == kinds.EQUAL else 1) - 1 - greatest - refuted)


@inner_kernel
def explain_row(m: Memory, q: Learner, p: int, r: int) -> None:
    """Explain what a row, or its truth, did in a record."""
    v = entry(m.stack, r + at.R_VARIABLE)
    if entry(m.net, p + at.KIND) > kinds.AT_MOST and v == entry(m.net, p + at.RESULT):
        explain_truth(m, q, p, r)
        return
    aim = aim_at(m, q, p, r)
    if aim == kinds.DIFFERENT:
        add_all_fixed(m, q, p, v)
        return
    if of.has_low(m, r):
        bound = min(entry(m.stack, r + at.R_WANTED_LOW), entry(m.stack, r + at.R_ASKED_LOW))
        explain_bound(m, q, p, r, aim, 1, bound)
    if of.has_high(m, r):
        bound = max(entry(m.stack, r + at.R_WANTED_HIGH), entry(m.stack, r + at.R_ASKED_HIGH))
        explain_bound(m, q, p, r, aim, 0, bound)


@inner_kernel
def explain_failed_row(m: Memory, q: Learner, p: int) -> None:
    """Explain that a row cannot hold."""
    place = m.stack[at.LOG_TOP]
    aim = aim_at(m, q, p, place)
    least, greatest = sums_at(m, p, place, -1)
    if aim == kinds.DIFFERENT:
        add_all_fixed(m, q, p, -1)
    elif aim != -1 and least > 0:
        add_side(m, q, p, place, -1, LEAST, least - 1)
    else:
        add_side(m, q, p, place, -1, GREATEST, (-1 if aim == kinds.EQUAL else 0) - greatest)


# ---- extremes and elements ----------------------------------------------------------------------------


@inner_kernel
def add_at_most(q: Learner, v: int, sign: int, bound: int) -> None:
    """Add that ``sign * v`` is at most a bound."""
    if sign > 0:
        of.add_fact(q, (v << 2) + lit.AT_MOST, bound)
    else:
        of.add_fact(q, (v << 2) + lit.AT_LEAST, -bound)


@inner_kernel
def add_at_least(q: Learner, v: int, sign: int, bound: int) -> None:
    """Add that ``sign * v`` is at least a bound."""
    add_at_most(q, v, -sign, -bound)


@inner_kernel
def wanted_ends(m: Memory, r: int, sign: int) -> Any:
    """Return which bounds of ``sign * v`` a record is wanted for, each with whether it is."""
    low = min(entry(m.stack, r + at.R_WANTED_LOW), entry(m.stack, r + at.R_ASKED_LOW))
    high = max(entry(m.stack, r + at.R_WANTED_HIGH), entry(m.stack, r + at.R_ASKED_HIGH))
    if sign > 0:
        return low, of.has_low(m, r), high, of.has_high(m, r)
    return -high, of.has_high(m, r), -low, of.has_low(m, r)


@inner_kernel
def explain_greatest(m: Memory, q: Learner, p: int, r: int, least: int) -> None:
    """Explain that a maximum is at least so much: by an argument that was, the first one."""
    sign = 1 if entry(m.net, p + at.KIND) == kinds.MAXIMUM else -1
    for k in range(entry(m.net, p + at.START), entry(m.net, p + at.END), 2):
        v = entry(m.net, k)
        low, high, _ = of.bounds_at(m, v, r)
        if (low if sign > 0 else -high) >= least:
            add_at_least(q, v, sign, least)
            return


@inner_kernel
def explain_extreme(m: Memory, q: Learner, p: int, r: int) -> None:
    """Explain what a maximum, or a minimum as one of negated arguments, did in a record."""
    sign = 1 if entry(m.net, p + at.KIND) == kinds.MAXIMUM else -1
    v, result = entry(m.stack, r + at.R_VARIABLE), entry(m.net, p + at.RESULT)
    least, is_least, most, is_most = wanted_ends(m, r, sign)
    if v != result:
        least = entry(m.stack, r + at.R_ASKED_LOW) if sign > 0 else -entry(m.stack, r + at.R_ASKED_HIGH)
        if is_most:
            add_at_most(q, result, sign, most)
        if is_least:  # the result's lower bound, which no other argument reached
            add_at_least(q, result, sign, least)
    elif is_least:
        explain_greatest(m, q, p, r, least)
    for k in range(entry(m.net, p + at.START), entry(m.net, p + at.END), 2):
        if v == result and is_most:
            add_at_most(q, entry(m.net, k), sign, most)
        elif v != result and is_least and entry(m.net, k) != v:
            add_at_most(q, entry(m.net, k), sign, least - 1)


@inner_kernel
def add_apart(m: Memory, q: Learner, v: int, other: int, place: int) -> Any:
    """Add that v and another variable had no value in common by their bounds; return 0 if they had."""
    low, high, _ = of.bounds_at(m, v, place)
    other_low, other_high, _ = of.bounds_at(m, other, place)
    if low > other_high:
        first_low, _ = of.first_bounds(m, v)
        between = other_high + 1 if first_low < low else low
        add_at_least(q, v, 1, between)
        add_at_most(q, other, 1, between - 1)
        return 1
    if high < other_low:
        _, first_high = of.first_bounds(m, v)
        between = other_low - 1 if first_high > high else high
        add_at_most(q, v, 1, between)
        add_at_least(q, other, 1, between + 1)
        return 1
    return 0


@inner_kernel
def explain_entries(m: Memory, q: Learner, p: int, r: int, sign: int, bound: int) -> None:
    """Explain that ``sign`` times an element is at least a bound: each entry is, or is not chosen."""
    first = entry(m.net, p + at.START)
    position = entry(m.net, first)
    low, high = of.first_bounds(m, position)
    entries = (entry(m.net, p + at.END) - first) // 2 - 1
    add_at_least(q, position, 1, 0)
    add_at_most(q, position, 1, entries - 1)
    for i in range(max(0, low), min(high, entries - 1) + 1):
        v = entry(m.net, first + 2 + 2 * i)
        v_low, v_high, _ = of.bounds_at(m, v, r)
        if (v_low if sign > 0 else -v_high) >= bound:
            add_at_least(q, v, sign, bound)
        else:
            of.add_fact(q, (position << 2) + lit.IS_NOT, i)


@inner_kernel
def explain_element(m: Memory, q: Learner, p: int, r: int) -> Any:
    """Explain what an element did in a record where its position was within the table; else return 0."""
    v, result = entry(m.stack, r + at.R_VARIABLE), entry(m.net, p + at.RESULT)
    first = entry(m.net, p + at.START)
    position = entry(m.net, first)
    low, high, _ = of.bounds_at(m, position, r)
    entries = (entry(m.net, p + at.END) - first) // 2 - 1
    if low < 0 or high >= entries or position == result or not of.is_listed(m, position):
        return 0
    if v == position:
        if not entry(m.stack, r + at.R_TAKEN):
            return 0
        i = entry(m.stack, r + at.R_VALUE)
        return add_apart(m, q, entry(m.net, first + 2 + 2 * i), result, r)
    least, is_least, most, is_most = wanted_ends(m, r, 1)
    if v == result:
        if is_least:
            explain_entries(m, q, p, r, 1, least)
        if is_most:
            explain_entries(m, q, p, r, -1, -most)
        return 1
    if low < high or v != entry(m.net, first + 2 + 2 * low):
        return explain_place(m, q, first, entries, r, result)
    of.add_fact(q, (position << 2) + lit.AT_LEAST, low)
    of.add_fact(q, (position << 2) + lit.AT_MOST, low)
    if is_least:
        add_at_least(q, result, 1, least)
    if is_most:
        add_at_most(q, result, 1, most)
    return 1


@inner_kernel
def explain_place(m: Memory, q: Learner, first: int, entries: int, r: int, result: int) -> Any:
    """Explain that an entry has not the fixed result, which is elsewhere: entries differ; else return 0."""
    v, value = entry(m.stack, r + at.R_VARIABLE), entry(m.stack, r + at.R_VALUE)
    if not entry(m.stack, r + at.R_TAKEN):
        return 0
    position = entry(m.net, first)
    add_at_least(q, position, 1, 0)  # outside the table the result is 0, whatever the entries are
    add_at_most(q, position, 1, entries - 1)
    for i in range(entries):
        if entry(m.net, first + 2 + 2 * i) == v:
            of.add_fact(q, (position << 2) + lit.IS_NOT, i)
            of.add_fact(q, (result << 2) + lit.AT_LEAST, value)
            of.add_fact(q, (result << 2) + lit.AT_MOST, value)
            return 1
    return 0


# ---- records and failures -----------------------------------------------------------------------------


@inner_kernel
def add_passed(m: Memory, q: Learner, r: int) -> None:
    """Add what a record owes to earlier ones: values that were gone before, a bound that lost its value."""
    v = entry(m.stack, r + at.R_VARIABLE)
    low, high = entry(m.stack, r + at.R_ASKED_LOW), entry(m.stack, r + at.R_ASKED_HIGH)
    taken, value = entry(m.stack, r + at.R_TAKEN), entry(m.stack, r + at.R_VALUE)
    if of.has_low(m, r):
        if taken:
            of.add_fact(q, (v << 2) + lit.AT_LEAST, value)
            low = value + 1
        of.add_removed(m, q, v, low, entry(m.stack, r + at.R_WANTED_LOW))
    if of.has_high(m, r):
        if taken:
            of.add_fact(q, (v << 2) + lit.AT_MOST, value)
            high = value - 1
        of.add_removed(m, q, v, entry(m.stack, r + at.R_WANTED_HIGH) + 1, high + 1)


@inner_kernel
def explain_propagator(m: Memory, q: Learner, p: int, r: int) -> None:
    """Add why a propagator did what it did in a record."""
    kind = entry(m.net, p + at.KIND)
    if kind <= kinds.TRUTH_AT_MOST:
        explain_row(m, q, p, r)
    elif kind in (kinds.MINIMUM, kinds.MAXIMUM):
        explain_extreme(m, q, p, r)
    elif kind != kinds.ELEMENT or not explain_element(m, q, p, r):
        of.add_all_lost(m, q, p, r)


@inner_kernel
def add_reason(m: Memory, q: Learner, r: int) -> None:
    """Add why what was asked for in a record follows."""
    reason = entry(m.stack, r + at.R_REASON)
    by, what = reason & 3, reason >> 2
    if by == lit.BY_CLAUSE:
        of.add_false(q, what >> 1, what & 1)
    elif by == lit.BY_FIXED:
        of.add_fixed(m, q, what)
    elif by == lit.BY_PROPAGATOR:
        explain_propagator(m, q, what, r)


@inner_kernel
def explain(m: Memory, q: Learner, r: int) -> None:
    """Make the facts those that a record follows from, which lie before it."""
    q.state[of.EXPLAINED] += 1
    q.state[of.FACTS_TOP] = q.state[of.FACTS]
    add_passed(m, q, r)
    add_reason(m, q, r)
    if q.state[of.FACTS_TOP] > q.state[of.FACTS_END]:
        of.add_decisions(m, q, entry(m.stack, r + at.R_DECISIONS))


@inner_kernel
def group_of(m: Memory, v: int, r: int) -> Any:
    """Return the first term of the AllDifferent in which v, fixed, took the value of a record; 0 for none."""
    w, value = entry(m.stack, r + at.R_VARIABLE), entry(m.stack, r + at.R_VALUE)
    for place in range(entry(m.x, v + at.MEMBER), entry(m.x, v + at.MEMBER_END), 3):
        mine = entry(m.net, place)
        taken = entry(m.net, mine + 1) * entry(m.x, v + at.LOW) + entry(m.net, mine + 2)
        for term in range(entry(m.net, place + 1), entry(m.net, place + 2), 3):
            its = entry(m.net, term + 1) * value + entry(m.net, term + 2)
            if term != mine and entry(m.net, term) == w and its == taken:
                return entry(m.net, place + 1)
    return 0


@inner_kernel
def tally_reason(m: Memory, reason: int, r: int) -> None:
    """Count for a profile that a conflict was traced back to what did, or refused, a record."""
    by, place = reason & 3, -1
    if by == lit.BY_CLAUSE:
        place = m.stack[at.PROFILE]
    elif by == lit.BY_PROPAGATOR:
        place = reason >> 2
    elif by == lit.BY_FIXED and r:
        place = group_of(m, reason >> 2, r)
        place = place if place else -1
    if place >= 0:
        t = m.stack[at.PROFILE] + place + at.T_REASONS
        put(m.net, t, entry(m.net, t) + 1)


@inner_kernel
def explain_refused(m: Memory, q: Learner, r: int) -> None:
    """Add why a change was asked for that was refused, and what of its variable's domain contradicts it."""
    v = entry(m.stack, r + at.R_VARIABLE)
    low, high = entry(m.stack, r + at.R_LOW), entry(m.stack, r + at.R_HIGH)
    asked_low, asked_high = entry(m.stack, r + at.R_ASKED_LOW), entry(m.stack, r + at.R_ASKED_HIGH)
    if entry(m.stack, r + at.R_TAKEN):
        of.add_fact(q, (v << 2) + lit.AT_LEAST, low)
        of.add_fact(q, (v << 2) + lit.AT_MOST, high)
    elif asked_low > high:
        put(m.stack, r + at.R_WANTED_LOW, high + 1)
        of.add_fact(q, (v << 2) + lit.AT_MOST, high)
    elif asked_high < low:
        put(m.stack, r + at.R_WANTED_HIGH, low - 1)
        of.add_fact(q, (v << 2) + lit.AT_LEAST, low)
    else:
        put(m.stack, r + at.R_WANTED_LOW, max(low, asked_low))
        put(m.stack, r + at.R_WANTED_HIGH, min(high, asked_high))
        if asked_low <= low:
            of.add_fact(q, (v << 2) + lit.AT_LEAST, low)
        if asked_high >= high:
            of.add_fact(q, (v << 2) + lit.AT_MOST, high)
        of.add_removed(m, q, v, max(low, asked_low), min(high, asked_high) + 1)
    add_reason(m, q, r)


@inner_kernel
def is_by_all(m: Memory, q: Learner, p: int, refused: int) -> Any:
    """Say whether a propagator's failure is explained by all that its arguments have lost.

    One that reads bounds alone may be refused what it asks for by values that were removed between them.
    """
    kind = entry(m.net, p + at.KIND)
    if refused and ((q.state[of.BOUNDS_ONLY] >> kind) & 1 or kinds.MINIMUM <= kind <= kinds.ELEMENT):
        return 0
    return kind > kinds.TRUTH_AT_MOST


@inner_kernel
def explain_failure(m: Memory, q: Learner) -> None:
    """Make the facts those that cannot be together, after a failure."""
    q.state[of.FACTS_TOP] = q.state[of.FACTS]
    reason, refused = m.stack[at.REASON], m.stack[at.REFUSED]
    by, what = reason & 3, reason >> 2
    if by == lit.BY_CLAUSE:
        of.add_false(q, what >> 1, -1)
    elif by == lit.BY_PROPAGATOR and is_by_all(m, q, what, refused):
        of.add_all_lost(m, q, what, m.stack[at.LOG_TOP])
    elif refused:
        explain_refused(m, q, refused)
    elif by == lit.BY_PROPAGATOR:
        explain_failed_row(m, q, what)
    else:
        of.add_decisions(m, q, q.state[of.DEPTH])
    if q.state[of.FACTS_TOP] > q.state[of.FACTS_END]:
        of.add_decisions(m, q, q.state[of.DEPTH])
