"""Subproblems that were searched to the end are remembered, and left at once where they come again.

After Chu, de la Banda and Stuckey (2010), "Automatically exploiting subproblem equivalence in constraint
programming". Of a node only what is still open matters: the domains of open variables, and of each constraint
that looks at open and fixed ones what the fixed ones leave of it, say the sum of a linear row (its *rule*).
This description is kept in full and compared in full: no two subproblems are taken for one. With an
objective, what the open variables were allowed to cost is kept with it; what may cost no more is left.

The search must be depth-first and never begin anew. A reversible word says how many descriptions the path
has, so that those above it on the stack are of subproblems at their end. Descriptions stand one behind the
other in a ring, where new ones overwrite the oldest; *places* in it count on for ever.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.domains import Memory, enqueue, is_open, set_word, word
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry, put

# The numbers of the record: how many descriptions the path has, how many were looked for, how many of these
# were met, in the present window and in all; how many more variables than before must be fixed until it looks
# again; decision variables; whether domains at the root are known; the objective's row (-1: none); what is
# written in the ring; the runs of propagators that were spared. Then where there are: the rules,
# AllDifferents that domains do not say, domains at the root, the stack, scratch room, slots for places (0:
# nothing is remembered), the ring, and their ends.
HEIGHT, LOOKED, MET, MET_IN_ALL, STRIDE, COUNT, STARTED, OBJECTIVE, WRITTEN, SPARED = range(10)
RULES, GROUPS, ROOTS, STACK, SCRATCH, SLOTS, RING, RING_END, HEAD = range(10, 19)

# What a constraint that is partly fixed leaves is described by: nothing (others say it), its sum, whether a
# literal is true, each value, each value unless one variable is left, how many values are of its set.
NOTHING, SUM, LITERALS, VALUES, VALUES_OF_SEVERAL, MEMBERS = range(6)
# Of an AllDifferent: each value; the sum of each term.
TERMS, SUMS = range(2)

LOW, HIGH, HOLES, ROOT_WIDTH = range(4)  # of a domain at the root
PLACE, FIXED, PREFIX, BEGUN, STACK_WIDTH = range(5)  # of a description on the stack
SLACK, COST, LENGTH, WORDS = range(4)  # of one in the ring

WAYS = 4
BITS = 60  # of variables that are open, in a word
SPAN, INDEX = 40, 1 << 42  # values of a small domain, and by what an index in front of them is multiplied
OPEN = 2
WINDOW, RARE, OFTEN = 512, 16, 4  # after so many looks the stride is changed where so few, or many, are met
NEVER = -(1 << 62)
MOST_SPARED = 1 << 60


@inner_kernel
def push(m: Memory, d: int, top: int, number: int) -> Any:
    """Write a number of the description, and return the next place; beyond the end nothing is written."""
    if top < entry(m.net, d + SLOTS):
        put(m.net, top, number)
    return top + 1


@inner_kernel
def root_of(m: Memory, d: int, v: int) -> Any:
    """Return where v's domain at the root is."""
    return entry(m.net, d + ROOTS) + v // at.X_WIDTH * ROOT_WIDTH


@inner_kernel
def fixed_since(m: Memory, d: int, v: int) -> Any:
    """Say whether v was fixed below the root."""
    root = root_of(m, d, v)
    return not is_open(m, v) and entry(m.net, root + LOW) != entry(m.net, root + HIGH)


@inner_kernel
def note_roots(m: Memory, d: int) -> None:
    """Keep all domains' bounds, and how many values between them are gone."""
    for v in range(0, m.stack[at.VARIABLES], at.X_WIDTH):
        root = root_of(m, d, v)
        put(m.net, root + LOW, entry(m.x, v + at.LOW))
        put(m.net, root + HIGH, entry(m.x, v + at.HIGH))
        put(m.net, root + HOLES, entry(m.x, v + at.HOLES))


@inner_kernel
def push_values(m: Memory, d: int, top: int, v: int) -> Any:
    """Describe the values of an open variable: in one number where they were few at the root."""
    root, first = root_of(m, d, v), entry(m.x, v + at.FIRST)
    low, high, holes = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH), entry(m.x, v + at.HOLES)
    base = entry(m.net, root + LOW)
    small = first >= 0 and entry(m.net, root + HIGH) - base < SPAN
    if not small:
        top = push(m, d, top, -2 - v)
        top = push(m, d, top, low)
        top = push(m, d, top, high)
        top = push(m, d, top, holes)
        if not holes:
            return top
        base = low
    shift = first - entry(m.x, v + at.BASE)
    bits = v // at.X_WIDTH * INDEX if small else 0
    for w in range(low, high + 1):
        if entry(m.cells, shift + w):
            bits |= 1 << (w - base)
        if not small and w - base == SPAN - 1:
            top = push(m, d, top, bits)
            base += SPAN
            bits = 0
    return push(m, d, top, bits)


@inner_kernel
def push_domains(m: Memory, d: int, top: int) -> Any:
    """Describe which variables are open, and the domains that are not as they were at the root."""
    bits = k = 0
    for v in range(0, m.stack[at.VARIABLES], at.X_WIDTH):
        if is_open(m, v):
            bits |= 1 << k
        k += 1
        if k == BITS:
            top = push(m, d, top, bits)
            bits = k = 0
    top = push(m, d, top, bits)
    for v in range(0, m.stack[at.VARIABLES], at.X_WIDTH):
        if is_open(m, v):
            root = root_of(m, d, v)
            if (
                entry(m.x, v + at.LOW) != entry(m.net, root + LOW)
                or entry(m.x, v + at.HIGH) != entry(m.net, root + HIGH)
                or entry(m.x, v + at.HOLES) != entry(m.net, root + HOLES)
            ):
                top = push_values(m, d, top, v)
    return push(m, d, top, -1)


@inner_kernel
def push_rest(m: Memory, d: int, top: int, p: int, state: int, rest: int) -> Any:
    """Describe a constraint by two numbers: in one where they are small."""
    if abs(rest) < 1 << (SPAN - 1):
        return push(m, d, top, p // at.P_WIDTH * INDEX + (state << SPAN) + rest + (1 << (SPAN - 1)))
    top = push(m, d, top, -2 - p)
    top = push(m, d, top, state)
    return push(m, d, top, rest)


@inner_kernel
def result_state(m: Memory, p: int) -> Any:
    """Return the value of a truth's result, or `OPEN`."""
    r = entry(m.net, p + at.RESULT)
    return OPEN if is_open(m, r) else entry(m.x, r + at.LOW)


@inner_kernel
def touched(m: Memory, d: int, p: int, with_result: bool) -> Any:
    """Return how many variables of a constraint are open, the last, and whether one was fixed since."""
    many = last = 0
    below = False
    if with_result:
        below = fixed_since(m, d, entry(m.net, p + at.RESULT))
    for k in range(entry(m.net, p + at.START), entry(m.net, p + at.END), 2):
        v = entry(m.net, k)
        if is_open(m, v):
            many += 1
            last = v
        elif not below:
            below = fixed_since(m, d, v)
    return many, last, below


@inner_kernel
def push_sum(m: Memory, d: int, top: int, p: int) -> Any:
    """Describe what a linear row's fixed variables add up to, unless it holds anyway or domains say it."""
    kind = entry(m.net, p + at.KIND)
    is_truth = kind in (kinds.TRUTH_EQUAL, kinds.TRUTH_AT_MOST)
    many, last, below = touched(m, d, p, is_truth)
    if not (many and below):
        return top
    state = 1
    if is_truth:
        state = result_state(m, p)
        kind = kinds.EQUAL if kind == kinds.TRUTH_EQUAL else kinds.AT_MOST
    if kind == kinds.EQUAL and state == 0:
        kind = kinds.DIFFERENT
    rest = low = high = entry(m.net, p + at.CONSTANT)
    for k in range(entry(m.net, p + at.START), entry(m.net, p + at.END), 2):
        v, a = entry(m.net, k), entry(m.net, k + 1)
        first, second = a * entry(m.x, v + at.LOW), a * entry(m.x, v + at.HIGH)
        low += min(first, second)
        high += max(first, second)
        if not is_open(m, v):
            rest += first
    if state == OPEN:
        return push_rest(m, d, top, p, state, rest)
    if kind == kinds.AT_MOST and (many == 1 or (high <= 0 if state == 1 else low > 0)):
        return top
    if kind == kinds.DIFFERENT and (low > 0 or high < 0 or (many == 1 and entry(m.x, last + at.FIRST) >= 0)):
        return top
    return push_rest(m, d, top, p, state, rest)


@inner_kernel
def push_literals(m: Memory, d: int, top: int, p: int) -> Any:
    """Describe a clause, or the truth of one: that it does not hold yet. A known truth is not open."""
    is_truth = entry(m.net, p + at.KIND) == kinds.TRUTH_OR
    many, _, below = touched(m, d, p, is_truth)
    if not (many and below):
        return top
    for k in range(entry(m.net, p + at.START), entry(m.net, p + at.END), 2):
        v = entry(m.net, k)
        if not is_open(m, v) and (entry(m.x, v + at.LOW) == 1) == (entry(m.net, k + 1) > 0):
            return top
    return push_rest(m, d, top, p, 0, 0)


@inner_kernel
def push_fixed(m: Memory, d: int, top: int, p: int, rule: int) -> Any:
    """Describe the values of all variables that were fixed below the root, in the constraint's order."""
    has_result = kinds.TRUTH_OR < entry(m.net, p + at.KIND) < kinds.APART
    many, last, below = touched(m, d, p, has_result)
    if has_result and is_open(m, entry(m.net, p + at.RESULT)):
        many += 1
        last = entry(m.net, p + at.RESULT)
    if not (many and below):
        return top
    if rule == VALUES_OF_SEVERAL and many == 1 and entry(m.x, last + at.FIRST) >= 0:
        return top
    top = push_rest(m, d, top, p, 0, 0)
    for k in range(entry(m.net, p + at.START), entry(m.net, p + at.END), 2):
        v = entry(m.net, k)
        if fixed_since(m, d, v):
            top = push(m, d, top, entry(m.x, v + at.LOW))
    if has_result and fixed_since(m, d, entry(m.net, p + at.RESULT)):
        top = push(m, d, top, entry(m.x, entry(m.net, p + at.RESULT) + at.LOW))
    return top


@inner_kernel
def push_members(m: Memory, d: int, top: int, p: int) -> Any:
    """Describe how many of the fixed variables have a value of the set, and the number if it is fixed."""
    many, _, below = touched(m, d, p, False)
    if not (many and below):
        return top
    number = entry(m.net, entry(m.net, p + at.END) - 2)
    inside = 0
    for k in range(entry(m.net, p + at.START), entry(m.net, p + at.END) - 2, 2):
        v = entry(m.net, k)
        if not is_open(m, v):
            for value in range(entry(m.net, p + at.ROWS), entry(m.net, p + at.ROWS_END)):
                inside += entry(m.net, value) == entry(m.x, v + at.LOW)
    top = push_rest(m, d, top, p, 0, inside)
    return top if is_open(m, number) else push(m, d, top, entry(m.x, number + at.LOW))


@inner_kernel
def sum_of_term(m: Memory, d: int, term: int) -> Any:
    """Return what the fixed variables of a sum add up to, whether one is open, and whether one was fixed."""
    rest, some, below = entry(m.net, term + 2), False, False
    for k in range(entry(m.net, term), entry(m.net, term + 1), 2):
        v = entry(m.net, k)
        if is_open(m, v):
            some = True
        else:
            rest += entry(m.net, k + 1) * entry(m.x, v + at.LOW)
            below = below or fixed_since(m, d, v)
    return rest, some, below


@inner_kernel
def push_group(m: Memory, d: int, top: int, group: int) -> Any:
    """Describe an AllDifferent: the values that are taken, or the sums as far as they are known."""
    first, end, what = entry(m.net, group), entry(m.net, group + 1), entry(m.net, group + 2)
    some = below = False
    begin = top
    top = push(m, d, top, -2 - first)
    for term in range(first, end, 3):
        if what == SUMS:
            rest, open_here, fixed_here = sum_of_term(m, d, term)
            some, below = some or open_here, below or fixed_here
            top = push(m, d, top, rest)
        else:
            v = entry(m.net, term)
            some = some or is_open(m, v)
            if fixed_since(m, d, v):
                below = True
                top = push(m, d, top, entry(m.x, v + at.LOW))
    return top if some and below else begin


@inner_kernel
def describe(m: Memory, d: int) -> Any:
    """Describe what is open in the scratch room; return its end, which is beyond that if it is too long."""
    top = push_domains(m, d, entry(m.net, d + SCRATCH))
    for k in range(entry(m.net, d + RULES), entry(m.net, d + GROUPS), 2):
        p, rule = entry(m.net, k), entry(m.net, k + 1)
        if rule == SUM:
            top = push_sum(m, d, top, p)
        elif rule == LITERALS:
            top = push_literals(m, d, top, p)
        elif rule == MEMBERS:
            top = push_members(m, d, top, p)
        else:
            top = push_fixed(m, d, top, p, rule)
    for group in range(entry(m.net, d + GROUPS), entry(m.net, d + ROOTS), 3):
        top = push_group(m, d, top, group)
    return top


@inner_kernel
def hashed(m: Memory, first: int, end: int) -> Any:
    """Return a number of 31 bits for what stands between two places."""
    found = 17
    for k in range(first, end):
        number = entry(m.net, k)
        mixed = (number ^ (number >> 31)) & 0x7FFFFFFF
        found = ((found ^ mixed) * 1664525 + 1013904223) & 0x7FFFFFFF
        found ^= found >> 13
    return found


@inner_kernel
def in_ring(m: Memory, d: int, place: int) -> Any:
    """Return where a place of the ring is."""
    first = entry(m.net, d + RING)
    return first + place % (entry(m.net, d + RING_END) - first)


@inner_kernel
def is_kept(m: Memory, d: int, place: int) -> Any:
    """Say whether what was written at a place has not been overwritten."""
    room = entry(m.net, d + RING_END) - entry(m.net, d + RING)
    return place > 0 and entry(m.net, d + WRITTEN) <= place + room


@inner_kernel
def is_same(m: Memory, d: int, kept: int, end: int) -> Any:
    """Say whether a description in the ring is the one in the scratch room."""
    first = entry(m.net, d + SCRATCH)
    if entry(m.net, kept + LENGTH) != end - first:
        return False
    k = 0
    while k < end - first and entry(m.net, kept + WORDS + k) == entry(m.net, first + k):
        k += 1
    return k == end - first


@inner_kernel
def slot_of(m: Memory, d: int, end: int) -> Any:
    """Return the slot of the description in the scratch room, or the one to use, and whether it is there."""
    slots = (entry(m.net, d + RING) - entry(m.net, d + SLOTS)) // WAYS
    first = entry(m.net, d + SLOTS) + WAYS * (hashed(m, entry(m.net, d + SCRATCH), end) % slots)
    oldest = first
    for slot in range(first, first + WAYS):
        place = entry(m.net, slot)
        if is_kept(m, d, place) and is_same(m, d, in_ring(m, d, place), end):
            return slot, 1
        if place < entry(m.net, oldest):
            oldest = slot
    return oldest, 0


@inner_kernel
def keep(m: Memory, d: int, slot: int, end: int) -> Any:
    """Write the description in the scratch room into the ring, and return its place."""
    first = entry(m.net, d + SCRATCH)
    room = entry(m.net, d + RING_END) - entry(m.net, d + RING)
    needed = WORDS + end - first
    place = entry(m.net, d + WRITTEN)
    if place % room + needed > room:  # the rest is too short
        place += room - place % room
    put(m.net, d + WRITTEN, place + needed)
    put(m.net, slot, place)
    kept = in_ring(m, d, place)
    put(m.net, kept + SLACK, NEVER)
    put(m.net, kept + COST, 0)
    put(m.net, kept + LENGTH, end - first)
    for k in range(end - first):
        put(m.net, kept + WORDS + k, entry(m.net, first + k))
    return place


@inner_kernel
def cost_of_fixed(m: Memory, d: int) -> Any:
    """Return what the fixed variables add to the objective's row."""
    row, cost = entry(m.net, d + OBJECTIVE), 0
    if row >= 0:
        for k in range(entry(m.net, row + at.START), entry(m.net, row + at.END), 2):
            v = entry(m.net, k)
            if not is_open(m, v):
                cost += entry(m.net, k + 1) * entry(m.x, v + at.LOW)
    return cost


@inner_kernel
def slack_of(m: Memory, d: int, cost: int) -> Any:
    """Return what the open variables may add to the objective's row, which the fixed ones add ``cost`` to."""
    row = entry(m.net, d + OBJECTIVE)
    return -cost - entry(m.net, row + at.CONSTANT) if row >= 0 else 0


@inner_kernel
def unaided(m: Memory, d: int) -> Any:
    """Return the propagators that would have run by now if nothing were remembered."""
    return entry(m.stack, at.RUNS) + entry(m.net, d + SPARED)


@inner_kernel
def spare(m: Memory, d: int, cost: int) -> None:
    """Count the runs of propagators that a subproblem took which is met again."""
    put(m.net, d + SPARED, min(entry(m.net, d + SPARED) + cost, MOST_SPARED))


@inner_kernel
def retire(m: Memory, d: int, height: int) -> None:
    """Take what the path has left from the stack: it was searched to the end, for today's demand at least."""
    for k in range(height, entry(m.net, d + HEIGHT)):
        top = entry(m.net, d + STACK) + k * STACK_WIDTH
        place = entry(m.net, top + PLACE)
        if is_kept(m, d, place):
            kept = in_ring(m, d, place)
            slack = slack_of(m, d, entry(m.net, top + FIXED))
            put(m.net, kept + SLACK, max(slack, entry(m.net, kept + SLACK)))
            put(m.net, kept + COST, unaided(m, d) - entry(m.net, top + BEGUN))
    put(m.net, d + HEIGHT, height)


@inner_kernel
def change_stride(m: Memory, d: int) -> None:
    """Look at fewer nodes where few subproblems come again, and at more where many do."""
    if entry(m.net, d + LOOKED) % WINDOW == 0:
        stride = entry(m.net, d + STRIDE)
        if entry(m.net, d + MET) * RARE < WINDOW:
            put(m.net, d + STRIDE, 2 * stride)
        elif entry(m.net, d + MET) * OFTEN > WINDOW and stride > 1:
            put(m.net, d + STRIDE, stride // 2)
        put(m.net, d + MET, 0)


@inner_kernel
def first_open(m: Memory, d: int, prefix: int) -> Any:
    """Return the first decision variable from ``prefix`` on that is open, or their number."""
    while prefix < entry(m.net, d + COUNT) and not is_open(m, prefix * at.X_WIDTH):
        prefix += 1
    return prefix


@propagator
def remembered(m: Memory, p: int) -> Any:
    """Fail where what is open was searched to the end before; else put it on the stack. Others run first."""
    d = entry(m.net, p + at.ROWS)
    if entry(m.net, d + SLOTS) == 0:
        return 1
    if entry(m.stack, at.DEAREST + at.SIZE_OF) > 0:
        enqueue(m, p)
        return 1
    if not entry(m.net, d + STARTED):
        put(m.net, d + STARTED, 1)
        note_roots(m, d)
        return 1
    height = word(m, entry(m.net, p + at.RESULT))
    retire(m, d, height)
    top = entry(m.net, d + STACK) + height * STACK_WIDTH
    before = entry(m.net, top - STACK_WIDTH + PREFIX) if height else 0
    prefix = first_open(m, d, before)
    if prefix < before + entry(m.net, d + STRIDE) or prefix == entry(m.net, d + COUNT):
        return 1
    end = describe(m, d)
    if end > entry(m.net, d + SLOTS):
        return 1
    slot, known = slot_of(m, d, end)
    cost = cost_of_fixed(m, d)
    put(m.net, d + LOOKED, entry(m.net, d + LOOKED) + 1)
    change_stride(m, d)
    place = entry(m.net, slot)
    if known and entry(m.net, in_ring(m, d, place) + SLACK) >= slack_of(m, d, cost):
        put(m.net, d + MET, entry(m.net, d + MET) + 1)
        put(m.net, d + MET_IN_ALL, entry(m.net, d + MET_IN_ALL) + 1)
        spare(m, d, entry(m.net, in_ring(m, d, place) + COST))
        return 0
    if not known:
        place = keep(m, d, slot, end)
    put(m.net, top + PLACE, place)
    put(m.net, top + FIXED, cost)
    put(m.net, top + PREFIX, prefix)
    put(m.net, top + BEGUN, unaided(m, d))
    put(m.net, d + HEIGHT, height + 1)
    set_word(m, entry(m.net, p + at.RESULT), height + 1)
    return 1
