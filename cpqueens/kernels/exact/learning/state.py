"""The arrays of a search that learns clauses, and the places in them."""

from typing import Any, NamedTuple

from cpqueens.kernels.exact.domains import Ints
from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.kernels.jit.entries import put

# Places in `Learner.state`. Settings: decision variables, the objective's row (-1: none), a bit for each kind
# of propagator that reads nothing but bounds. Counters: what the search has done; why propagation goes on or
# stops; the first record whose clauses were not looked at; where the log and the arena begin and end. What
# the driver is told: solutions stored, the least sum of the objective's row before all decisions, the clause
# that was learned last (0: a single literal, which stands at `SINGLE` then). `HALVES` says whether a solution
# is known, so that the objective is halved at times; `SKIPPED` counts the levels that conflicts of late
# led back over, beyond their own.
COUNT, OBJECTIVE, BOUNDS_ONLY, NODES, FAILURES, FOUND, STORED, RESTARTS = range(8)
DEEPEST, DEPTH, SEEN, LOG_BASE, TRAIL_END, ARENA_TOP, CLAUSES, LEARNED = range(8, 16)
LITERALS, DELETED, MOST_CLAUSES, LIMIT, LUBY, LUBY_BITS, LEAST, LAST_CLAUSE = range(16, 24)
SINGLE, SINGLE_VALUE, ASK_FAILURES, BY_ALL, EXPLAINED, HAS_BEST, HAS_LEAST, LOOKED = range(24, 32)
HALVES, SKIPPED, STATES = range(32, 35)

# Places in ``state`` from `STATES` on: where the regions of ``room`` begin, and how much is in them. Levels
# (where trail, cells and log were), the heap of variables and their places in it, facts, marked records, a
# stamp for each level.
LEVELS, LEVELS_END, HEAP, HEAP_SIZE, PLACES, FACTS, FACTS_TOP, FACTS_END = range(STATES, STATES + 8)
MARKED, MARKED_TOP, STAMPS, STAMP, FIRST_CLAUSE, HEADER = range(STATES + 8, STATES + 14)

# A level.
L_TRAIL, L_CELLS, L_LOG, L_WIDTH = range(4)

# A clause in ``arena``: how many literals (0: deleted), how many levels they had when it was learned (0: of
# the model), when it was used last, the next one in the list of each of its two watched literals, which are
# the first ones. Before all clauses there are the lists: one for each variable and operator.
C_LENGTH, C_LEVELS, C_USED, C_NEXT, C_LITERALS = 0, 1, 2, 3, 5


class Learner(NamedTuple):
    """What a search that learns has besides the memory."""

    state: Ints
    room: Ints
    arena: Ints
    solutions: Ints  # (capacity, decision variables)


@inner_kernel
def add_fact(q: Learner, fact: int, value: int) -> None:
    """Put a fact on the list of facts; one too many is told by the list's top."""
    top = q.state[FACTS_TOP]
    if top < q.state[FACTS_END]:
        put(q.room, top, fact)
        put(q.room, top + 1, value)
    q.state[FACTS_TOP] = top + 2


@inner_kernel
def level_place(q: Learner, depth: int) -> Any:
    """Return where a level lies."""
    return q.state[LEVELS] + depth * L_WIDTH
