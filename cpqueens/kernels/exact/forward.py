"""Depth-first search with propagation: binary branching on the decision variables, without recursion.

A decision gives a variable one of its values; the other branch takes that value away. A variable without
listed values is halved instead, the lower half first where solutions come in lexicographic order; with
``check`` every decision is one value. Nodes are the root and all decisions, halvings too, that propagation
does not refute; failures are those that it does.
"""

from typing import Any

from cpqueens.kernels.exact import branching as tree, domains as at
from cpqueens.kernels.exact.apart import link
from cpqueens.kernels.exact.branching import TreeSearch, choose_branch, choose_variable, limit
from cpqueens.kernels.exact.domains import Memory, enqueue, forget, note, restore, tally_decision, tighten
from cpqueens.kernels.exact.propagation import LATE, propagate
from cpqueens.kernels.exact.propagators.nogoods import keep_path
from cpqueens.kernels.exact.propagators.rows import linear_bounds
from cpqueens.kernels.jit.decorators import inlined, inner_kernel, linking_kernel
from cpqueens.kernels.jit.instructions import entry, put

# Answers of `search`.
PAUSED, BATCH_FULL, EXHAUSTED, TRAIL_FULL, ASKED, CHOOSING = range(6)

MOST_DOUBLED = 20
"""Times that the lengths between restarts are doubled which the user has named."""


@inner_kernel
def replayed_value(m: Memory, q: TreeSearch, v: int) -> Any:
    """Return the value that continues the path of ``after``; end the replay where it cannot be followed.

    Decided variables before v are compared first: a smaller one ends this branch (-1 is stored in the
    second result), a greater one means that everything below is still to come.
    """
    for k in range(v // at.X_WIDTH):
        if entry(m.x, k * at.X_WIDTH + at.LOW) > q.after[k]:
            q.state[tree.REPLAYING] = 0
            return entry(m.x, v + at.LOW), 1
        if entry(m.x, k * at.X_WIDTH + at.LOW) < q.after[k]:
            return 0, 0
    wanted = q.after[v // at.X_WIDTH]
    if wanted > entry(m.x, v + at.HIGH):
        return 0, 0
    frozen = entry(m.x, v + at.FROZEN)
    put(m.x, v + at.FROZEN, 0)
    possible = tighten(m, v, wanted, entry(m.x, v + at.HIGH))
    put(m.x, v + at.FROZEN, frozen)
    if frozen or not possible:
        forget(m)
    if not possible:
        return 0, 0
    if entry(m.x, v + at.LOW) != wanted:
        q.state[tree.REPLAYING] = 0
    return entry(m.x, v + at.LOW), 1


@inner_kernel
def behind(m: Memory, q: TreeSearch) -> Any:
    """Say whether the solution at hand comes after ``after`` in lexicographic order."""
    for k in range(q.options[tree.COUNT]):
        if entry(m.x, k * at.X_WIDTH + at.LOW) != q.after[k]:
            return entry(m.x, k * at.X_WIDTH + at.LOW) > q.after[k]
    return False


@inner_kernel
def record(m: Memory, q: TreeSearch) -> None:
    """Take the solution at hand; with an objective, only better ones may follow."""
    q.state[tree.FOUND] += 1
    if q.options[tree.KEEP]:
        place = q.state[tree.STORED]
        for k in range(q.options[tree.COUNT]):
            q.solutions[place, k] = entry(m.x, k * at.X_WIDTH + at.LOW)
        q.state[tree.STORED] = place + 1
    row = q.options[tree.OBJECTIVE]
    if q.options[tree.LEARNING]:
        tree.save_values(m, q)
    if row >= 0:
        value = linear_bounds(m, row)[0]  # objective - (best - 1), at the solution
        m.net[row + at.CONSTANT] += 1 - value


@inner_kernel
def wake_objective(m: Memory, q: TreeSearch) -> None:
    """Queue the objective's row, whose constant a solution may have changed."""
    if q.options[tree.OBJECTIVE] >= 0:
        enqueue(m, q.options[tree.OBJECTIVE])


@inner_kernel
def decide(m: Memory, q: TreeSearch, v: int, kind: int, value: int) -> None:
    """Make a decision on a new level, to be propagated."""
    depth = q.state[tree.DEPTH]
    q.levels[depth, tree.VARIABLE] = v
    q.levels[depth, tree.VALUE] = value
    q.levels[depth, tree.TRAIL] = m.stack[at.TRAIL_TOP]
    q.levels[depth, tree.CELLS] = m.stack[at.CELLS_TOP]
    q.levels[depth, tree.DECISION] = kind
    tree.share_left(m, q, depth, v, kind)
    q.state[tree.DEPTH] = depth + 1
    q.state[tree.DEEPEST] = max(q.state[tree.DEEPEST], depth + 1)
    m.stack[at.LEVEL] += 1
    if m.stack[at.PROFILE]:
        tally_decision(m, v)
    if q.options[tree.CHECK_ONLY]:
        put(m.x, v + at.FROZEN, 0)
        if not at.is_open(m, v):  # from the start, refused by nothing
            note(m, v, at.BOUND | at.DOMAIN, entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH))
    limit(m, v, kind, value)


@inner_kernel
def descend(m: Memory, q: TreeSearch) -> Any:
    """Branch on the next variable, or take the solution if none is left."""
    v = choose_variable(m, q)
    if v < 0:
        if not q.state[tree.REPLAYING] or behind(m, q):
            record(m, q)
        q.state[tree.REPLAYING] = 0
        return tree.FAILED
    if q.state[tree.REPLAYING]:
        value, possible = replayed_value(m, q, v)
        if not possible:
            return tree.FAILED
        if not at.is_open(m, v) and not q.options[tree.CHECK_ONLY]:
            return tree.NARROWED
    kind, value = choose_branch(m, q, v)
    if q.state[tree.REPLAYING]:
        value = entry(m.x, v + at.LOW)
    decide(m, q, v, kind, value)
    return tree.DECIDED


@inner_kernel
def retreat(m: Memory, q: TreeSearch) -> Any:
    """Undo the last decision and do the opposite."""
    depth = q.state[tree.DEPTH] - 1
    if depth < 0:
        return tree.FINISHED
    q.state[tree.DEPTH] = depth
    v = q.levels[depth, tree.VARIABLE]
    restore(m, q.levels[depth, tree.TRAIL], q.levels[depth, tree.CELLS])
    possible = limit(m, v, -1 - q.levels[depth, tree.DECISION], q.levels[depth, tree.VALUE])
    if q.options[tree.CHECK_ONLY]:
        forget(m)
        put(m.x, v + at.FROZEN, 1)
    if q.options[tree.NOGOOD] >= 0:
        note_refuted(q, depth)
    return tree.NARROWED if possible else tree.FAILED


@inner_kernel
def note_refuted(q: TreeSearch, depth: int) -> None:
    """Keep the decision that was refuted below ``depth`` others, and forget those refuted further down."""
    top = q.state[tree.REFUTED]
    while top > 0 and q.refuted[top - 1, tree.BELOW] > depth:
        top -= 1
    if top < len(q.refuted):
        q.refuted[top, tree.BELOW] = depth
        q.refuted[top, tree.R_VARIABLE] = q.levels[depth, tree.VARIABLE]
        q.refuted[top, tree.R_VALUE] = q.levels[depth, tree.VALUE]
        q.refuted[top, tree.R_DECISION] = q.levels[depth, tree.DECISION]
        top += 1
    q.state[tree.REFUTED] = top


@inner_kernel
def restart(m: Memory, q: TreeSearch) -> Any:
    """Go back to the root, keeping what was refuted there, the path as nogoods, and values as phases."""
    if q.state[tree.TRIAL] == tree.WRITTEN:  # what comes now is to learn for itself
        m.stack[at.FAILED] = 0
    else:
        tree.save_values(m, q)
    if q.state[tree.DEPTH] > 0:  # else it has failed at its root, value after value of a wide domain
        restore(m, q.levels[0, tree.TRAIL], q.levels[0, tree.CELLS])
        keep_path(m, q)
        enqueue(m, q.options[tree.NOGOOD])
    q.state[tree.DEPTH] = q.state[tree.REFUTED] = q.state[tree.LAST_CONFLICT] = q.state[tree.TRIAL] = 0
    q.state[tree.RESTARTS] += 1
    named = len(q.options) - q.options[tree.PLACES_END]
    if named:
        turn, place = divmod(q.state[tree.RESTARTS], named)
        q.state[tree.GROWTH] = q.options[q.options[tree.PLACES_END] + place] << min(turn, MOST_DOUBLED)
    q.state[tree.LIMIT] = q.state[tree.FAILURES] + q.state[tree.GROWTH]
    q.state[tree.GROWTH] += q.state[tree.GROWTH] >> 2
    return tree.NARROWED


@inner_kernel
def wants_restart(q: TreeSearch) -> Any:
    """Say whether it has failed often enough to begin anew."""
    return q.options[tree.NOGOOD] >= 0 and q.state[tree.FAILURES] >= q.state[tree.LIMIT]


@inner_kernel
def begin(m: Memory, q: TreeSearch) -> Any:
    """Note all fixed variables at the root; all propagators are queued already."""
    q.levels[0, tree.LEFT] = tree.WHOLE
    for v in range(0, m.stack[at.VARIABLES], at.X_WIDTH):
        if not at.is_open(m, v):
            note(m, v, at.BOUND | at.DOMAIN, entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH))
    return tree.DECIDED


@inlined
def conclude(m: Memory, q: TreeSearch, step: int, end: int) -> None:
    """Propagate what a step changed, up to the propagator number ``end``, and choose the next phase."""
    possible = 0
    if step != tree.FAILED:
        if q.state[tree.PHASE] < tree.UNFINISHED:  # what goes on has woken it
            wake_objective(m, q)
        possible = propagate(m, end)
        m.stack[at.RUNNING] = 0
    if possible == LATE:
        q.state[tree.PHASE] = tree.UNFINISHED + step
        return
    if step == tree.DECIDED:
        q.state[tree.NODES if possible else tree.FAILURES] += 1
        if q.options[tree.LEARNING] and q.state[tree.DEPTH] > 0:
            tree.note_conflict(m, q, possible)
    if possible:
        q.state[tree.PHASE] = tree.DESCEND
    else:
        forget(m)
        if q.options[tree.LEARNING] and q.state[tree.TRIAL] != tree.WRITTEN:
            tree.blame(m)
        q.state[tree.PHASE] = tree.RETREAT


@inlined
def is_root(q: TreeSearch, step: int) -> Any:
    """Say whether a step has propagated the root of a search for the best."""
    return step == tree.DECIDED and q.state[tree.DEPTH] == 0 and q.options[tree.OBJECTIVE] >= 0


@linking_kernel(link)
def search(m: Memory, q: TreeSearch, steps: int) -> Any:
    """Go on for at most ``steps`` decisions and retreats; return why it stopped.

    It stops within a propagation that takes long, and goes on there; and, with an objective, behind the root,
    where nothing is decided: what is proved there is read first.
    """
    room = len(m.x)  # each variable and each word is saved once, at most
    end = at.end_of_call(m, steps)
    for _ in range(steps):
        if q.options[tree.KEEP] and q.state[tree.STORED] == len(q.solutions):
            return BATCH_FULL
        if m.stack[at.TRAIL_TOP] + room > len(m.stack):
            return TRAIL_FULL
        if (
            q.state[tree.FOUND] >= q.state[tree.ASK_FOUND]
            or q.state[tree.FAILURES] >= q.state[tree.ASK_FAILURES]
        ):
            return ASKED
        if q.state[tree.PHASE] == tree.DESCEND:
            if q.options[tree.ASKS] and not q.state[tree.ANSWERED]:
                return CHOOSING
            step = restart(m, q) if wants_restart(q) else descend(m, q)
            q.state[tree.ANSWERED] = q.state[tree.CHOSEN] = q.state[tree.HAS_VALUE] = 0
        elif q.state[tree.PHASE] == tree.RETREAT:
            step = retreat(m, q)
        elif q.state[tree.PHASE] == tree.ROOT:
            step = begin(m, q)
        else:
            step = q.state[tree.PHASE] - tree.UNFINISHED
        if step == tree.FINISHED:
            return EXHAUSTED
        conclude(m, q, step, end)
        if q.state[tree.PHASE] >= tree.UNFINISHED or is_root(q, step):
            return PAUSED
    return PAUSED
