"""Search that learns a clause from each conflict: lazy clause generation.

After Ohrimenko, Stuckey and Codish (2009), "Propagation via lazy clause generation": propagators run as in
the search without learning and change domains through the same doors (`tighten` and `remove`), which log each
change with its reason; clauses over bounds and values are learned from conflicts and propagate beside them.
Between two conflicts a call stops at any time, and nothing depends on where.

Restarts follow the sequence of Luby, Sinclair and Zuckerman (1993). Only one solution, or ever better ones,
are looked for: the objective's bound is a fact that only tightens, so that what was learned stays true.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.apart import link
from cpqueens.kernels.exact.branching import AT_LEAST, AT_MOST, EQUAL, halved, limit, near_saved
from cpqueens.kernels.exact.domains import Memory, is_open
from cpqueens.kernels.exact.learning import literals as lit, literals as of
from cpqueens.kernels.exact.learning.clauses import forget_clauses, propagate_clauses
from cpqueens.kernels.exact.learning.conflicts import LEARNED, NO_ROOM, analyse, go_back, keep_clause
from cpqueens.kernels.exact.learning.heap import fade, first_open
from cpqueens.kernels.exact.learning.literals import Learner, add_decisions, is_listed, level_place, make_true
from cpqueens.kernels.exact.learning.reasons import explain_failure, tally_reason
from cpqueens.kernels.exact.propagation import LATE, run_propagator, wake
from cpqueens.kernels.exact.propagators.rows import linear_bounds
from cpqueens.kernels.jit.decorators import inlined, inner_kernel, linking_kernel
from cpqueens.kernels.jit.instructions import entry, put

# Answers of `learn`.
PAUSED, BATCH_FULL, EXHAUSTED, ASKED, NO_CLAUSES, NO_TRAIL, NO_LOG = range(7)

RESTART = 100
"""Conflicts of the shortest stretch between two restarts."""

MORE = 500
"""By so many clauses the next forgetting comes later."""

FEW = 32
"""Values of a domain up to which a decision gives one of them; in larger ones it moves a bound there."""


@inner_kernel
def begin(m: Memory, q: Learner) -> None:
    """Note all variables that are fixed before the search; all propagators are queued already."""
    for v in range(0, m.stack[at.VARIABLES], at.X_WIDTH):
        if not is_open(m, v):
            at.note(m, v, at.BOUND | at.DOMAIN, entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH))


@inlined
def propagate(m: Memory, q: Learner, end: int) -> Any:
    """Propagate clauses, then changes, then what is queued, to the fixpoint; 0 at a failure, or `LATE`."""
    while m.stack[at.WORK] < end:
        m.stack[at.REFUSED] = 0
        if q.state[of.SEEN] < m.stack[at.LOG_TOP]:
            m.stack[at.RUNNING], m.stack[at.REMOVED] = m.stack[at.PROFILE] + 1, 0
            possible = propagate_clauses(m, q)
            at.tally(m, m.stack[at.PROFILE], possible)
        elif m.stack[at.CHANGED_TOP] > m.stack[at.CHANGED_BASE]:
            changed = entry(m.stack, m.stack[at.CHANGED_TOP] - at.CHANGE_WIDTH)
            m.stack[at.REASON] = changed * 4 + lit.BY_FIXED
            possible = wake(m)
        else:
            queue = at.waiting_queue(m)
            if queue == at.QUEUES_END:
                m.stack[at.RUNNING] = 0
                return 1
            p = at.dequeue(m, queue)
            m.stack[at.RUNS] += 1
            m.stack[at.WORK] += 1
            m.stack[at.REASON] = p * 4 + lit.BY_PROPAGATOR
            m.stack[at.RUNNING] = p + 1
            possible = run_propagator(m, p)
            at.tally(m, p, possible)
        if not possible:
            return 0
    return LATE


@inner_kernel
def forget_log(m: Memory, q: Learner) -> None:
    """Take what was logged before all decisions for facts without a reason."""
    base = q.state[of.LOG_BASE]
    for r in range(base, m.stack[at.LOG_TOP], at.R_WIDTH):
        put(m.x, entry(m.stack, r + at.R_VARIABLE) + at.LAST, 0)
    m.stack[at.LOG_TOP] = q.state[of.SEEN] = base
    row = q.state[of.OBJECTIVE]
    if row >= 0:
        q.state[of.HAS_LEAST] = 1
        q.state[of.LEAST] = linear_bounds(m, row)[0] - entry(m.net, row + at.CONSTANT)


@inner_kernel
def halved_objective(m: Memory, q: Learner) -> Any:
    """Return the objective's variable where its better half is to be the first decision, else -1.

    That is at every second restart, of objectives that are one variable, once a solution is known. Like any
    decision it stands in the clauses that are learned, and what refutes it raises the bound.
    """
    row = q.state[of.OBJECTIVE]
    if not q.state[of.HALVES] or q.state[of.DEPTH] or q.state[of.RESTARTS] & 1:
        return -1
    first = entry(m.net, row + at.START)
    if entry(m.net, row + at.END) != first + 2 or not is_open(m, entry(m.net, first)):
        return -1
    return entry(m.net, first)


@inner_kernel
def decide(m: Memory, q: Learner, v: int, better: int) -> None:
    """Decide an open variable on a new level: its saved value, if need be one bound after the other.

    Where ``better`` is not 0, which is the objective's coefficient, it gets the better half of its values.
    """
    depth = q.state[of.DEPTH]
    place = level_place(q, depth)
    put(q.room, place + of.L_TRAIL, m.stack[at.TRAIL_TOP])
    put(q.room, place + of.L_CELLS, m.stack[at.CELLS_TOP])
    put(q.room, place + of.L_LOG, m.stack[at.LOG_TOP])
    depth += 1
    q.state[of.DEPTH] = m.stack[at.DECISIONS] = depth
    q.state[of.DEEPEST] = max(depth, q.state[of.DEEPEST])
    m.stack[at.LEVEL] += 1
    if m.stack[at.PROFILE]:
        at.tally_decision(m, v)
    m.stack[at.REASON] = lit.BY_DECISION
    low, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
    kind = EQUAL
    if better:
        kind, value = AT_MOST, low + (high - low) // 2
        if better < 0:
            kind, value = AT_LEAST, high - (high - low) // 2
    elif is_listed(m, v):
        value = near_saved(m, v)
        if value == low:
            kind = AT_MOST
        elif value == high:
            kind = AT_LEAST
        elif high - low >= FEW:
            kind = AT_MOST
    else:
        middle = halved(m, v)
        kind, value = AT_MOST, middle
        if entry(m.x, v + at.SAVED) > middle:
            kind, value = AT_LEAST, middle + 1
    limit(m, v, kind, value)


@inner_kernel
def record(m: Memory, q: Learner) -> None:
    """Take the solution at hand; with an objective, only better ones may follow."""
    place = q.state[of.STORED]
    for k in range(q.state[of.COUNT]):
        q.solutions[place, k] = entry(m.x, k * at.X_WIDTH + at.LOW)
    q.state[of.STORED] = place + 1
    q.state[of.FOUND] += 1
    row = q.state[of.OBJECTIVE]
    m.stack[at.REFUSED] = 0
    if row < 0:
        q.state[of.FACTS_TOP] = q.state[of.FACTS]
        add_decisions(m, q, q.state[of.DEPTH])
        return
    q.state[of.HAS_BEST] = q.state[of.HALVES] = 1
    for v in range(0, m.stack[at.VARIABLES], at.X_WIDTH):
        put(m.x, v + at.SAVED, entry(m.x, v + at.LOW))
    m.net[row + at.CONSTANT] += 1 - linear_bounds(m, row)[0]
    m.stack[at.REASON] = row * 4 + lit.BY_PROPAGATOR
    explain_failure(m, q)


@inner_kernel
def resolve(m: Memory, q: Learner) -> Any:
    """Learn from the facts of a conflict and go back; return an answer, `PAUSED` to go on."""
    if q.state[of.DEPTH] == 0:
        return EXHAUSTED
    found, c, depth = analyse(m, q)
    if found == LEARNED:
        keep_clause(q, c)
        q.state[of.SKIPPED] += q.state[of.DEPTH] - 1 - depth
        return_to(m, q, depth)
        fade(m)
        m.stack[at.REASON] = (2 * c) * 4 + lit.BY_CLAUSE
        make_true(m, q.state[of.SINGLE], q.state[of.SINGLE_VALUE])
        return PAUSED
    return_to(m, q, 0)
    return NO_CLAUSES if found == NO_ROOM else EXHAUSTED


@inner_kernel
def return_to(m: Memory, q: Learner, depth: int) -> None:
    """Undo decisions, and queue the objective's row, whose constant may have changed."""
    go_back(m, q, depth, not q.state[of.HAS_BEST])
    if q.state[of.OBJECTIVE] >= 0:
        at.enqueue(m, q.state[of.OBJECTIVE])


@inner_kernel
def set_limit(q: Learner) -> None:
    """Set the number of conflicts at the next restart: Luby's sequence by Knuth's pair of numbers."""
    u, v = q.state[of.LUBY], q.state[of.LUBY_BITS]
    q.state[of.LIMIT] = q.state[of.FAILURES] + RESTART * v
    if u & -u == v:
        q.state[of.LUBY], q.state[of.LUBY_BITS] = u + 1, 1
    else:
        q.state[of.LUBY_BITS] = 2 * v


@inner_kernel
def at_root(m: Memory, q: Learner) -> None:
    """Forget reasons, and clauses if there are many, where all was propagated before the first decision."""
    forget_log(m, q)
    if q.state[of.CLAUSES] > q.state[of.MOST_CLAUSES]:
        forget_clauses(m, q, q.state[of.FAILURES] - q.state[of.MOST_CLAUSES])
        q.state[of.MOST_CLAUSES] += MORE


@inner_kernel
def fail(m: Memory, q: Learner) -> Any:
    """Treat a failure of propagation; return an answer, `PAUSED` to go on."""
    if m.stack[at.LOG_FULL]:
        if q.state[of.DEPTH]:
            m.stack[at.LOG_FULL] = 0
            return_to(m, q, 0)
        return NO_LOG
    q.state[of.FAILURES] += 1
    m.stack[at.RUNNING] = 0
    if q.state[of.DEPTH]:
        if m.stack[at.PROFILE]:
            tally_reason(m, m.stack[at.REASON], m.stack[at.REFUSED])
        explain_failure(m, q)
    return resolve(m, q)


@inner_kernel
def go_on(m: Memory, q: Learner) -> Any:
    """Restart, decide or take a solution after propagation; return an answer, `PAUSED` to go on."""
    if q.state[of.DEPTH] == 0:
        at_root(m, q)
    elif q.state[of.FAILURES] >= q.state[of.LIMIT]:
        q.state[of.RESTARTS] += 1
        set_limit(q)
        return_to(m, q, 0)
        return PAUSED
    v, better = halved_objective(m, q), 0
    if v >= 0:
        better = entry(m.net, entry(m.net, q.state[of.OBJECTIVE] + at.START) + 1)
    else:
        v = first_open(m, q)
    if v < 0:
        record(m, q)
        return resolve(m, q)
    q.state[of.NODES] += 1
    decide(m, q, v, better)
    return PAUSED


@linking_kernel(link)
def learn(m: Memory, q: Learner, steps: int) -> Any:
    """Go on for at most ``steps`` decisions and conflicts; return why it stopped."""
    room = len(m.x)  # each variable and each word is saved once on a level, at most
    end = at.end_of_call(m, steps)
    for _ in range(steps):
        if q.state[of.STORED] == len(q.solutions):
            return BATCH_FULL
        if (
            m.stack[at.TRAIL_TOP] + room > q.state[of.TRAIL_END]
            or q.state[of.DEPTH] == q.state[of.LEVELS_END]
        ):
            return_to(m, q, 0)
            return NO_TRAIL
        if q.state[of.FAILURES] >= q.state[of.ASK_FAILURES]:
            return ASKED
        possible = propagate(m, q, end)
        if possible == LATE:
            return PAUSED
        answer = go_on(m, q) if possible else fail(m, q)
        if answer != PAUSED:
            return answer
    return PAUSED
