"""Analysis of conflicts: to the first unique implication point, minimised; the way back.

After Marques-Silva and Sakallah (1999), "GRASP", and Sorensson and Biere (2009), "Minimizing learned
clauses". Facts are kept as what is wanted of the records that made them true: at most one bound on each
side, or one value. The first unique implication point is the only record left on its level of which one
literal says all that is wanted.

A record's mark is `KEPT` while its facts are in the conflict, `REPLACED` once it was explained, `NEEDLESS`
if others in the conflict imply it.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, forget, restore
from cpqueens.kernels.exact.learning import literals as lit, literals as of
from cpqueens.kernels.exact.learning.clauses import watch
from cpqueens.kernels.exact.learning.heap import bump, into_heap
from cpqueens.kernels.exact.learning.literals import Learner
from cpqueens.kernels.exact.learning.reasons import explain, tally_reason
from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.kernels.jit.instructions import entry, put

UNMARKED, KEPT, REPLACED, NEEDLESS = range(4)

# What an analysis came to: nothing can be satisfied any more, a clause, no room for one.
REFUTED, LEARNED, NO_ROOM = range(3)


@inner_kernel
def want(m: Memory, r: int, operator: int, value: int) -> None:
    """Want a fact of the record that made it true."""
    if operator == lit.IS_NOT:
        if entry(m.stack, r + at.R_TAKEN) and entry(m.stack, r + at.R_VALUE) == value:
            put(m.stack, r + at.R_WANTED_VALUE, 1)
            return
        if value < entry(m.stack, r + at.R_NEW_LOW):
            operator, value = lit.AT_LEAST, value + 1
        else:
            operator, value = lit.AT_MOST, value - 1
    if operator == lit.AT_LEAST:
        put(m.stack, r + at.R_WANTED_LOW, max(value, entry(m.stack, r + at.R_WANTED_LOW)))
    else:
        put(m.stack, r + at.R_WANTED_HIGH, min(value, entry(m.stack, r + at.R_WANTED_HIGH)))


@inner_kernel
def is_wanted(m: Memory, r: int, operator: int, value: int) -> Any:
    """Say whether what is wanted of a record implies a fact that it made true."""
    if operator == lit.AT_LEAST:
        return of.has_low(m, r) and entry(m.stack, r + at.R_WANTED_LOW) >= value
    if operator == lit.AT_MOST:
        return of.has_high(m, r) and entry(m.stack, r + at.R_WANTED_HIGH) <= value
    if entry(m.stack, r + at.R_WANTED_VALUE) and entry(m.stack, r + at.R_VALUE) == value:
        return 1
    if of.has_low(m, r) and entry(m.stack, r + at.R_WANTED_LOW) > value >= entry(m.stack, r + at.R_LOW):
        return 1
    return of.has_high(m, r) and entry(m.stack, r + at.R_WANTED_HIGH) < value <= entry(m.stack, r + at.R_HIGH)


@inner_kernel
def take_facts(m: Memory, q: Learner, depth: int) -> Any:
    """Want all facts of their records; return how many of these are new at a depth."""
    found = 0
    for k in range(q.state[of.FACTS], q.state[of.FACTS_TOP], 2):
        fact, value = entry(q.room, k), entry(q.room, k + 1)
        r = of.record_of(m, fact, value)
        if r:
            if entry(m.stack, r + at.R_MARK) == UNMARKED:
                put(m.stack, r + at.R_MARK, KEPT)
                put(q.room, q.state[of.MARKED_TOP], r)
                q.state[of.MARKED_TOP] += 1
                bump(m, q, fact >> 2)
                found += entry(m.stack, r + at.R_DECISIONS) == depth
            want(m, r, fact & 3, value)
    return found


@inner_kernel
def deepest_marked(m: Memory, q: Learner) -> Any:
    """Return the greatest depth of a marked record, and how many there are at it."""
    deepest = many = 0
    for k in range(q.state[of.MARKED], q.state[of.MARKED_TOP]):
        depth = entry(m.stack, entry(q.room, k) + at.R_DECISIONS)
        if depth > deepest:
            deepest, many = depth, 0
        many += depth == deepest
    return deepest, many


@inner_kernel
def is_single(m: Memory, r: int) -> Any:
    """Say whether one literal says what is wanted of a record: a bound, or the value that it fixed."""
    if of.has_low(m, r) and of.has_high(m, r):
        low = entry(m.stack, r + at.R_NEW_LOW)
        if low < entry(m.stack, r + at.R_NEW_HIGH) or not of.is_listed(m, entry(m.stack, r + at.R_VARIABLE)):
            return 0
        put(m.stack, r + at.R_WANTED_LOW, low)
        put(m.stack, r + at.R_WANTED_HIGH, low)
    return 1


@inner_kernel
def find_point(m: Memory, q: Learner, depth: int, many: int) -> Any:
    """Explain records of a depth, the last ones first, until one is left; return that."""
    r = m.stack[at.LOG_TOP]
    while True:
        r -= at.R_WIDTH
        if entry(m.stack, r + at.R_MARK) == KEPT and entry(m.stack, r + at.R_DECISIONS) == depth:
            if many == 1 and is_single(m, r):
                return r
            if m.stack[at.PROFILE]:
                tally_reason(m, entry(m.stack, r + at.R_REASON), r)
            explain(m, q, r)
            put(m.stack, r + at.R_MARK, REPLACED)
            many += take_facts(m, q, depth) - 1


@inner_kernel
def is_implied(m: Memory, q: Learner, depth: int) -> Any:
    """Say whether all facts are wanted already, above ``depth``, or were true before all decisions."""
    for k in range(q.state[of.FACTS], q.state[of.FACTS_TOP], 2):
        fact, value = entry(q.room, k), entry(q.room, k + 1)
        r = of.record_of(m, fact, value)
        if r:
            mark = entry(m.stack, r + at.R_MARK)
            is_above = mark in (KEPT, NEEDLESS) and entry(m.stack, r + at.R_DECISIONS) < depth
            if not (is_above and is_wanted(m, r, fact & 3, value)):
                return 0
    return 1


@inner_kernel
def minimise(m: Memory, q: Learner, depth: int) -> None:
    """Leave out what follows from others that are wanted; these lie before it."""
    for k in range(q.state[of.MARKED], q.state[of.MARKED_TOP]):
        r = entry(q.room, k)
        kept = entry(m.stack, r + at.R_MARK) == KEPT and entry(m.stack, r + at.R_DECISIONS) < depth
        if kept and entry(m.stack, r + at.R_REASON) & 3 != lit.BY_DECISION:
            explain(m, q, r)
            if is_implied(m, q, depth):
                put(m.stack, r + at.R_MARK, NEEDLESS)


# ---- the clause ---------------------------------------------------------------------------------------


@inner_kernel
def place_literal(m: Memory, q: Learner, c: int, literal: int, value: int, depth: int, point: int) -> None:
    """Write a literal behind those that a clause has; the point's comes first, then the deepest."""
    v, operator = literal >> 2, literal & 3
    low, high = of.first_bounds(m, v)
    if operator == lit.IS and value in (low, high):
        operator = lit.AT_MOST if value == low else lit.AT_LEAST
    elif operator == lit.IS_NOT and value in (low, high):
        operator, value = (lit.AT_LEAST, low + 1) if value == low else (lit.AT_MOST, high - 1)
    length = entry(q.arena, c + of.C_LENGTH)
    put(q.arena, c + of.C_LENGTH, length + 1)
    place = c + of.C_LITERALS + 2 * length
    first = c + of.C_LITERALS
    if point:
        put(q.arena, place, entry(q.arena, first))
        put(q.arena, place + 1, entry(q.arena, first + 1))
        place = first
    put(q.arena, place, (v << 2) + operator)
    put(q.arena, place + 1, value)
    stamp = q.state[of.STAMPS] + depth
    if entry(q.room, stamp) != q.state[of.STAMP]:
        put(q.room, stamp, q.state[of.STAMP])
        put(q.arena, c + of.C_LEVELS, entry(q.arena, c + of.C_LEVELS) + 1)


@inner_kernel
def other_side(m: Memory, r: int, value: int, low: int) -> Any:
    """Return where v's other bound is wanted at the same value as this one, 0: nowhere; -1: a closer one is.

    ``low`` says that this one is the lower one.
    """
    v = entry(m.stack, r + at.R_VARIABLE)
    t, found = entry(m.x, v + at.LAST), 0
    other = at.R_WANTED_HIGH if low else at.R_WANTED_LOW
    while t:
        if entry(m.stack, t + at.R_MARK) == KEPT:
            is_mine = of.has_low(m, t) if low else of.has_high(m, t)
            if t > r and is_mine:
                return -1
            is_other = of.has_high(m, t) if low else of.has_low(m, t)
            if not found and is_other and entry(m.stack, t + other) == value:
                found = t
        t = entry(m.stack, t + at.R_BEFORE)
    return found if of.is_listed(m, v) else 0


@inner_kernel
def place_record(m: Memory, q: Learner, c: int, r: int, point: int) -> None:
    """Write the opposite of what is wanted of a record into a clause: one literal for a value.

    Of two records that have one each the later one writes it.
    """
    v, depth = entry(m.stack, r + at.R_VARIABLE) << 2, entry(m.stack, r + at.R_DECISIONS)
    low, high = entry(m.stack, r + at.R_WANTED_LOW), entry(m.stack, r + at.R_WANTED_HIGH)
    is_point = r == point
    written = 0
    if of.has_low(m, r):
        other = other_side(m, r, low, 1)
        if other == 0:
            place_literal(m, q, c, v + lit.AT_MOST, low - 1, depth, is_point)
        elif 0 < other <= r:
            place_literal(m, q, c, v + lit.IS_NOT, low, depth, is_point)
        written = 1
    if of.has_high(m, r):
        other = other_side(m, r, high, 0)
        if other == 0:
            place_literal(m, q, c, v + lit.AT_LEAST, high + 1, depth, is_point)
        elif 0 < other < r:
            place_literal(m, q, c, v + lit.IS_NOT, high, depth, is_point)
        written = 1
    if entry(m.stack, r + at.R_WANTED_VALUE) and not written:
        place_literal(m, q, c, v + lit.IS, entry(m.stack, r + at.R_VALUE), depth, is_point)


@inner_kernel
def write_clause(m: Memory, q: Learner, point: int) -> Any:
    """Write the learned clause at the arena's top; return 1, or 0 if there is no room."""
    c = q.state[of.ARENA_TOP]
    if c + of.C_LITERALS + 4 * (q.state[of.MARKED_TOP] - q.state[of.MARKED]) > len(q.arena):
        return 0
    q.state[of.STAMP] += 1
    put(q.arena, c + of.C_LENGTH, 0)
    put(q.arena, c + of.C_LEVELS, 0)
    put(q.arena, c + of.C_USED, q.state[of.FAILURES])
    for k in range(q.state[of.MARKED], q.state[of.MARKED_TOP]):
        r = entry(q.room, k)
        if entry(m.stack, r + at.R_MARK) == KEPT:
            place_record(m, q, c, r, point)
    return 1


@inner_kernel
def unmark(m: Memory, q: Learner) -> None:
    """Want nothing any more."""
    for k in range(q.state[of.MARKED], q.state[of.MARKED_TOP]):
        r = entry(q.room, k)
        put(m.stack, r + at.R_MARK, UNMARKED)
        put(m.stack, r + at.R_WANTED_LOW, entry(m.stack, r + at.R_LOW))
        put(m.stack, r + at.R_WANTED_HIGH, entry(m.stack, r + at.R_HIGH))
        put(m.stack, r + at.R_WANTED_VALUE, 0)
    q.state[of.MARKED_TOP] = q.state[of.MARKED]


@inner_kernel
def depth_of(m: Memory, literal: int, value: int) -> Any:
    """Return the depth at which a literal became false; 0: before all decisions."""
    v, operator = (literal >> 2) << 2, literal & 3
    if operator == lit.IS_NOT:
        r = max(of.record_of(m, v + lit.AT_LEAST, value), of.record_of(m, v + lit.AT_MOST, value))
    elif operator == lit.AT_LEAST:
        r = of.record_of(m, v + lit.AT_MOST, value - 1)
    elif operator == lit.AT_MOST:
        r = of.record_of(m, v + lit.AT_LEAST, value + 1)
    else:
        r = of.record_of(m, v + lit.IS_NOT, value)
    return entry(m.stack, r + at.R_DECISIONS) if r else 0


@inner_kernel
def second_depth(m: Memory, q: Learner, c: int) -> Any:
    """Move the deepest literal behind the first to the second place; return its depth, 0 if there is none."""
    deepest = 0
    second = c + of.C_LITERALS + 2
    for place in range(second, c + of.C_LITERALS + 2 * entry(q.arena, c + of.C_LENGTH), 2):
        literal, value = entry(q.arena, place), entry(q.arena, place + 1)
        depth = depth_of(m, literal, value)
        if depth > deepest:
            deepest = depth
            put(q.arena, place, entry(q.arena, second))
            put(q.arena, place + 1, entry(q.arena, second + 1))
            put(q.arena, second, literal)
            put(q.arena, second + 1, value)
    return deepest


@inner_kernel
def go_back(m: Memory, q: Learner, depth: int, saves: int) -> None:
    """Undo all decisions but the first ``depth``, saving values of variables that were fixed as phases."""
    if depth < q.state[of.DEPTH]:
        place = of.level_place(q, depth)
        log = entry(q.room, place + of.L_LOG)
        r = m.stack[at.LOG_TOP] - at.R_WIDTH
        while r >= log:
            v, low = entry(m.stack, r + at.R_VARIABLE), entry(m.stack, r + at.R_NEW_LOW)
            put(m.x, v + at.LAST, entry(m.stack, r + at.R_BEFORE))
            if low == entry(m.stack, r + at.R_NEW_HIGH):
                if saves:
                    put(m.x, v + at.SAVED, low)
                into_heap(m, q, v)
            r -= at.R_WIDTH
        m.stack[at.LOG_TOP] = log
        restore(m, entry(q.room, place + of.L_TRAIL), entry(q.room, place + of.L_CELLS))
        q.state[of.DEPTH] = m.stack[at.DECISIONS] = depth
    forget(m)
    q.state[of.SEEN] = m.stack[at.LOG_TOP]


@inner_kernel
def analyse(m: Memory, q: Learner) -> Any:
    """Learn from the facts of a conflict; return what it came to, the clause, and where to go back."""
    q.state[of.MARKED_TOP] = q.state[of.MARKED]
    take_facts(m, q, -1)
    depth, many = deepest_marked(m, q)
    if depth == 0:
        unmark(m, q)
        return REFUTED, 0, 0
    point = find_point(m, q, depth, many)
    minimise(m, q, depth)
    c = q.state[of.ARENA_TOP]
    written = write_clause(m, q, point)
    target = second_depth(m, q, c) if written else 0
    unmark(m, q)
    return (LEARNED if written else NO_ROOM), c, target


@inner_kernel
def keep_clause(q: Learner, c: int) -> None:
    """Keep a clause that was just written, if it has several literals, and watch it."""
    length = entry(q.arena, c + of.C_LENGTH)
    q.state[of.LEARNED] += 1
    q.state[of.LITERALS] += length
    q.state[of.SINGLE], q.state[of.SINGLE_VALUE] = (
        entry(q.arena, c + of.C_LITERALS),
        entry(q.arena, c + of.C_LITERALS + 1),
    )
    q.state[of.LAST_CLAUSE] = 0
    if length > 1:
        q.state[of.LAST_CLAUSE] = c
        q.state[of.ARENA_TOP] = c + of.C_LITERALS + 2 * length
        q.state[of.CLAUSES] += 1
        watch(q, c, 0)
        watch(q, c, 1)
