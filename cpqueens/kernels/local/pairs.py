"""Tabu search where values of two variables at a time differ: graph colouring, frequency assignment.

For each value of each variable it is known how many others it would conflict with, so that a step looks at
all values of all variables in conflict, and brings up to date the neighbours of the one that moves alone.

Source: Hertz and de Werra, "Using tabu search techniques for graph coloring", Computing 39, 1987 (TabuCol);
its tenure grows with the number of variables in conflict (Galinier and Hao 1999).

Everything lies in one arena, see the parts below; *cell* is a value of a variable.
"""

from typing import Any

from cpqueens.kernels.jit.decorators import inner_kernel, kernel
from cpqueens.kernels.jit.random import below
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local.arena import Ints

# parts of the arena
PAIR_START = 0  # (variables + 1,) into PAIR, in pairs
PAIR = 1  # (pairs, 2) of a variable: another one, and how much more than that it must not be
CELL_START = 2  # (variables + 1,) into the parts of cells, whose first one stands for LOWER
MEETS = 3  # (cells,) conflicts of the variable if it had the value
TABU = 4  # (cells,) the last step in which it may not get it
LOWER = 5  # (variables,)
UPPER = 6  # what an objective demands counts
X = 7
MEMBERS = 8  # (variables,) those in conflict
POSITION = 9  # (variables,) in MEMBERS, -1: not there
BEST = 10  # the last assignment without conflicts
INFO = 11  # scalars, see search_info; COST is the number of conflicts, LEAST the least so far
PARTS = 12

# entries of INFO beyond those of search_info
FOUND = at.LENGTH  # assignments without conflicts
TOLD = at.LENGTH + 1  # how many of these were told
LENGTH = at.LENGTH + 2

TENURE = 10  # up to so many steps, and 6 tenths of the variables in conflict
GAP = 1 << 30  # conflicts of a value that a variable may not have


@inner_kernel
def set_member(v: int, a: Ints) -> None:
    """Keep the list of variables in conflict for ``v``."""
    info = a[INFO]
    meets = a[a[MEETS] + a[a[CELL_START] + v] + a[a[X] + v] - a[a[LOWER] + v]] > 0
    place = a[a[POSITION] + v]
    if meets and place < 0:
        a[a[POSITION] + v] = a[info + at.SIZE]
        a[a[MEMBERS] + a[info + at.SIZE]] = v
        a[info + at.SIZE] += 1
    elif not meets and place >= 0:
        a[info + at.SIZE] -= 1
        last = a[a[MEMBERS] + a[info + at.SIZE]]
        a[a[MEMBERS] + place] = last
        a[a[POSITION] + last] = place
        a[a[POSITION] + v] = -1


@inner_kernel
def add(v: int, value: int, amount: int, a: Ints) -> None:
    """Count ``v == value`` for its neighbours, ``amount`` times."""
    for p in range(a[a[PAIR_START] + v], a[a[PAIR_START] + v + 1]):
        u = a[a[PAIR] + 2 * p]
        offset = value - a[a[PAIR] + 2 * p + 1] - a[a[LOWER] + u]
        first = a[a[CELL_START] + u]
        if 0 <= offset < a[a[CELL_START] + u + 1] - first:
            a[a[MEETS] + first + offset] += amount


@inner_kernel
def move(v: int, value: int, a: Ints, random: Ints) -> None:
    """Give ``v`` a value; forbid the old one for some steps."""
    info = a[INFO]
    old = a[a[X] + v]
    cell = a[a[CELL_START] + v] - a[a[LOWER] + v]
    a[info + at.COST] += a[a[MEETS] + cell + value] - a[a[MEETS] + cell + old]
    a[a[TABU] + cell + old] = a[info + at.STEPS] + 6 * a[info + at.SIZE] // 10 + below(random, TENURE)
    add(v, old, -1, a)
    add(v, value, 1, a)
    a[a[X] + v] = value
    set_member(v, a)
    for p in range(a[a[PAIR_START] + v], a[a[PAIR_START] + v + 1]):
        set_member(a[a[PAIR] + 2 * p], a)
    a[info + at.MOVES] += 1
    a[info + at.HASH] = at.mixed(cell + value, a[info + at.HASH])


@inner_kernel
def step(a: Ints, random: Ints) -> None:
    """Make the best move of a variable in conflict that is not tabu, or leads to less conflicts than ever."""
    info = a[INFO]
    now = a[info + at.STEPS]
    wish = a[info + at.LEAST] - a[info + at.COST]
    best = at.NEVER
    ties = 0
    chosen = -1
    choice = 0
    for k in range(a[info + at.SIZE]):
        v = a[a[MEMBERS] + k]
        low = a[a[LOWER] + v]
        cell = a[a[CELL_START] + v] - low
        here = a[a[X] + v]
        now_meets = a[a[MEETS] + cell + here]
        for value in range(low, a[a[UPPER] + v] + 1):
            change = a[a[MEETS] + cell + value] - now_meets
            if change > best or value == here:
                continue
            if a[a[TABU] + cell + value] > now and change >= wish:
                continue
            ties = 1 if change < best else ties + 1
            best = change
            if below(random, ties) == 0:
                chosen = v
                choice = value
    a[info + at.EVALUATIONS] += a[info + at.SIZE]
    if chosen < 0:  # all are tabu
        chosen = a[a[MEMBERS] + below(random, a[info + at.SIZE])]
        choice = a[a[LOWER] + chosen] + below(random, a[a[UPPER] + chosen] - a[a[LOWER] + chosen] + 1)
    if best < GAP >> 1 and choice != a[a[X] + chosen]:
        move(chosen, choice, a, random)


@inner_kernel
def count(a: Ints) -> None:
    """Count conflicts afresh; MEETS holds only gaps before."""
    info = a[INFO]
    n = a[UPPER] - a[LOWER]
    for v in range(n):
        add(v, a[a[X] + v], 1, a)
    total = 0
    a[info + at.SIZE] = 0
    for v in range(n):
        a[a[POSITION] + v] = -1
        total += a[a[MEETS] + a[a[CELL_START] + v] + a[a[X] + v] - a[a[LOWER] + v]]
        set_member(v, a)
    a[info + at.COST] = total // 2
    a[info + at.LEAST] = a[info + at.COST]
    a[info + at.STALL] = 0


@kernel
def begin_pairs(a: Ints) -> None:
    """Count conflicts for a driver."""
    count(a)


@kernel
def pairs_search(steps: int, stall: int, a: Ints, random: Ints) -> Any:
    """Go on for ``steps`` steps; return SOLVED, or STALLED after ``stall`` without fewer conflicts."""
    info = a[INFO]
    for _ in range(steps):
        if a[info + at.SIZE] == 0:
            return at.SOLVED
        if a[info + at.STALL] >= stall:
            return at.STALLED
        a[info + at.STEPS] += 1
        a[info + at.STALL] += 1
        step(a, random)
        if a[info + at.COST] < a[info + at.LEAST]:
            a[info + at.LEAST] = a[info + at.COST]
            a[info + at.STALL] = 0
    return at.SOLVED if a[info + at.SIZE] == 0 else at.BUDGET
