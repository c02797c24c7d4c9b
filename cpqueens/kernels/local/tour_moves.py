"""Tours that are kept, in one arena, and moves of them: 2-opt, moving a piece, putting a node in or out.

Moves prefer near nodes: two become neighbours. Source: Croes, "A method for solving traveling-salesman
problems", Operations Research 6, 1958 (2-opt); Or, "Traveling salesman-type combinatorial problems", 1976
(pieces); near nodes first: Johnson and McGeoch, "The traveling salesman problem: a case study", 1997.

The parts of the arena, of which `kernels.local.tour` computes the worth, are below. Row 0 is the objective.
"""

from typing import Any

from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.kernels.jit.instructions import entry, put
from cpqueens.kernels.jit.random import below
from cpqueens.kernels.local import cells as cooling
from cpqueens.kernels.local.arena import Ints

# parts of the arena; `cells` cools, by the two of its own that are named here
COST = 0  # (rows, nodes, nodes) of arcs; from a node to itself: it is left out
KIND = 1  # (rows,) AT_MOST, EQUAL, NOT_EQUAL
UNIT = 2  # (rows,) what a unit of violation counts
ACTIVITY = 3  # (rows,)
CHANGE = 4  # (rows,) of the proposed move
NEAR = 5  # (2, nodes, near) whom to put behind a node, and whom before it
LAG = 6  # (times, nodes, nodes) from a node to the next; FREE: none
EXACT = 7  # (times, nodes, nodes) 1: no waiting
EARLY = 8  # (times, nodes)
LATEST = 9
WEIGHT = 10  # (times, nodes) in the objective
LATE_UNIT = 11  # (times,)
ORDER = 12  # (nodes,) the tour, as many as there are in it
LOGARITHMS = cooling.LOGARITHMS  # 13
INFO = cooling.INFO  # 14
PLACE = 15  # (nodes,) in the tour, -1: left out
ARCS = 16  # (arcs, 3) from, to, and +1 or -1, of the proposed move
BEST = 17  # (nodes,) the best tour
OLD = 18  # (nodes,) what a move that is not accepted goes back to
BUFFER = 19  # (nodes,)
END_START = 20  # (times + 1,) into the ends of each kind of times
PEAK = 21  # (ends, nodes, nodes) by how much an end is behind a node before an arc; FREE: it does not wait
AFTER = 22  # (ends, ends) and behind another end before it
END_EARLY = 23  # (ends,)
END_LATEST = 24
END_WEIGHT = 25  # (ends,) in the objective
MOMENT = 26  # (ends,) of the tour
PARTS = 27

# entries of INFO beyond those of search_cells
NODES = cooling.LENGTH
MANY = cooling.LENGTH + 1  # nodes in the tour,
BEST_MANY = cooling.LENGTH + 2  # in the best one
OLD_MANY = cooling.LENGTH + 3
ROWS = cooling.LENGTH + 4
TIMES = cooling.LENGTH + 5
NEARS = cooling.LENGTH + 6  # near nodes of each
SYMMETRIC = cooling.LENGTH + 7  # whether all costs are
OPTIONAL = cooling.LENGTH + 8  # whether nodes may be left out
BROKEN = cooling.LENGTH + 9  # violation of rows; VIOLATION has times too
WORTH = cooling.LENGTH + 10  # of times in the objective
LATE = cooling.LENGTH + 11  # violation of times
SIZE = cooling.LENGTH + 12  # arcs in ARCS
SHAPE = cooling.LENGTH + 13  # of the proposed move,
FIRST = cooling.LENGTH + 14  # its place,
PIECE = cooling.LENGTH + 15  # length,
BEYOND = cooling.LENGTH + 16  # and how many nodes it passes
LENGTH = cooling.LENGTH + 17

FREE = -(1 << 40)

# shapes of moves
NONE = 0
REVERSE = 1
SHIFT = 2
SHIFT_REVERSED = 3
INSERT = 4
DROP = 5
OPEN = 6  # a tour of two nodes, where there was none
CLOSE = 7

SHORT = 3  # nodes of a piece, mostly
LONG = 50  # and of those that are longer, or turned where that changes costs
LONGER = 8  # one in so many
DIRECTED = 4  # where turning changes costs, all moves but one in so many leave the direction
FEWEST = 5  # nodes in a tour whose pieces are moved
TRIES = 4  # of finding a piece of which two arcs are to near nodes
TOGGLES = 4  # one move in so many puts a node in or out


@inner_kernel
def wrapped(place: int, many: int) -> Any:
    """Return a place of the tour for -many <= place < 2 * many."""
    if place < 0:
        return place + many
    return place - many if place >= many else place


@inner_kernel
def there(place: int, a: Ints) -> Any:
    """Return the node at a place, which is wrapped."""
    return entry(a, entry(a, ORDER) + wrapped(place, entry(a, entry(a, INFO) + MANY)))


@inner_kernel
def arc(i: int, j: int, sign: int, a: Ints) -> None:
    """Add an arc to those that the proposed move makes or breaks."""
    info = entry(a, INFO)
    q = entry(a, ARCS) + 3 * entry(a, info + SIZE)
    put(a, q, i)
    put(a, q + 1, j)
    put(a, q + 2, sign)
    put(a, info + SIZE, entry(a, info + SIZE) + 1)


@inner_kernel
def turned(first: int, length: int, a: Ints) -> None:
    """Add the arcs within a piece that is turned, where that makes a difference."""
    if entry(a, entry(a, INFO) + SYMMETRIC) != 0:
        return
    i = there(first, a)
    place = first
    for _ in range(length - 1):
        place = wrapped(place + 1, entry(a, entry(a, INFO) + MANY))
        j = there(place, a)
        arc(i, j, -1, a)
        arc(j, i, 1, a)
        i = j


@inner_kernel
def shaped(shape: int, first: int, piece: int, beyond: int, a: Ints) -> None:
    """Set the proposed move."""
    info = entry(a, INFO)
    put(a, info + SHAPE, shape)
    put(a, info + FIRST, first)
    put(a, info + PIECE, piece)
    put(a, info + BEYOND, beyond)


@inner_kernel
def propose_turn(first: int, last: int, a: Ints) -> None:
    """Propose to turn the piece from one place to another."""
    info = entry(a, INFO)
    many = entry(a, info + MANY)
    length = wrapped(last - first, many) + 1
    tight = length > LONG and entry(a, info + SYMMETRIC) == 0
    if length < 2 or length > many - 2 or tight:
        return
    i = there(first, a)
    j = there(last, a)
    before = there(first - 1, a)
    behind = there(last + 1, a)
    arc(before, i, -1, a)
    arc(j, behind, -1, a)
    arc(before, j, 1, a)
    arc(i, behind, 1, a)
    turned(first, length, a)
    shaped(REVERSE, first, length, 0, a)


@inner_kernel
def propose_shift(first: int, length: int, target: int, shape: int, a: Ints) -> None:
    """Propose to move the piece of a length from one place behind another place, which is not in it."""
    info = entry(a, INFO)
    many = entry(a, info + MANY)
    beyond = wrapped(wrapped(target - first, many) - length + 1, many)
    if beyond <= 0 or beyond > many - length - 1:
        return
    last = wrapped(first + length - 1, many)
    i = there(first, a)
    j = there(last, a)
    before = there(first - 1, a)
    behind = there(last + 1, a)
    left = there(target, a)
    right = there(target + 1, a)
    arc(before, i, -1, a)
    arc(j, behind, -1, a)
    arc(left, right, -1, a)
    arc(before, behind, 1, a)
    if shape == SHIFT:
        arc(left, i, 1, a)
        arc(j, right, 1, a)
    else:
        arc(left, j, 1, a)
        arc(i, right, 1, a)
        turned(first, length, a)
    shaped(shape, first, length, beyond, a)


@inner_kernel
def propose_toggle(v: int, a: Ints, random: Ints) -> None:
    """Propose to put a node into the tour beside a near one, or out of it."""
    info = entry(a, INFO)
    many = entry(a, info + MANY)
    place = entry(a, entry(a, PLACE) + v)
    if many == 0:
        w = below(random, entry(a, info + NODES) - 1)
        w = w + 1 if w >= v else w
        arc(v, v, -1, a)
        arc(w, w, -1, a)
        arc(v, w, 1, a)
        arc(w, v, 1, a)
        shaped(OPEN, v, w, 0, a)
    elif place < 0:
        target = below(random, many)
        u = some_near(v, below(random, 2), a, random)
        if entry(a, entry(a, PLACE) + u) >= 0:
            target = wrapped(entry(a, entry(a, PLACE) + u) - below(random, 2), many)
        i = there(target, a)
        j = there(target + 1, a)
        arc(v, v, -1, a)
        arc(i, j, -1, a)
        arc(i, v, 1, a)
        arc(v, j, 1, a)
        shaped(INSERT, target, v, 0, a)
    else:
        i = there(place - 1, a)
        j = there(place + 1, a)
        arc(i, v, -1, a)
        arc(v, j, -1, a)
        arc(v, v, 1, a)
        arc(i, j, 1, a)  # of two nodes: the other one's own
        shaped(DROP if many > 2 else CLOSE, place, v, 0, a)


@inner_kernel
def some_near(v: int, before: int, a: Ints, random: Ints) -> Any:
    """Return a node that should come behind another one, or before it, now and then any other one."""
    info = entry(a, INFO)
    nears = entry(a, info + NEARS)
    k = below(random, nears + 1)
    if k < nears:
        return entry(a, entry(a, NEAR) + nears * (before * entry(a, info + NODES) + v) + k)
    u = below(random, entry(a, info + NODES) - 1)
    return u + 1 if u >= v else u


@inner_kernel
def fitting(first: int, target: int, a: Ints, random: Ints) -> Any:
    """Return how long the piece from a place on is to be that goes behind another place.

    Mostly so that a second arc leads to a near node, too: that behind the piece, or where it was.
    """
    many = entry(a, entry(a, INFO) + MANY)
    for _ in range(TRIES):
        if below(random, 2) == 0:  # the piece ends where the node behind the target is near
            u = some_near(there(target + 1, a), 1, a, random)
            beyond = 1
        else:  # and that behind it is near the node before it
            u = some_near(there(first - 1, a), 0, a, random)
            beyond = 0
        place = entry(a, entry(a, PLACE) + u)
        if place < 0:
            continue
        length = wrapped(place - first, many) + beyond
        if 0 < length <= wrapped(target - first, many):
            return length
    return 1 + below(random, many - 2)


@inner_kernel
def propose(a: Ints, random: Ints) -> None:
    """Propose a move: its arcs, and what to do; NONE if none came to mind."""
    info = entry(a, INFO)
    put(a, info + SIZE, 0)
    put(a, info + SHAPE, NONE)
    many = entry(a, info + MANY)
    v = below(random, entry(a, info + NODES))
    if entry(a, info + OPTIONAL) != 0 and (many < FEWEST or below(random, TOGGLES) == 0):
        propose_toggle(v, a, random)
        return
    kind = below(random, 6)
    directed = entry(a, info + SYMMETRIC) == 0
    if directed and below(random, DIRECTED) > 0:
        kind = 2 + (kind & 1)
    u = some_near(v, 1 if kind == 1 or kind == 2 or kind == 5 else 0, a, random)
    p = entry(a, entry(a, PLACE) + v)
    q = entry(a, entry(a, PLACE) + u)
    if p < 0 or q < 0 or many < FEWEST:
        return
    if kind < 2:  # v and u become neighbours: both with what came before, or behind them
        if kind == 0:
            propose_turn(wrapped(p + 1, many), q, a)
        else:
            propose_turn(q, wrapped(p - 1, many), a)
        return
    length = 1 + below(random, SHORT)
    if directed and kind < 4:
        length = fitting(p, q, a, random) if kind == 2 else fitting(q, p, a, random)
    elif below(random, LONGER) == 0:
        length = 1 + below(random, LONG)
    length = min(length, many - 2)
    if kind == 2:  # the piece from v on behind u
        propose_shift(p, length, q, SHIFT, a)
    elif kind == 3 and directed:  # the piece from u on behind v
        propose_shift(q, length, p, SHIFT, a)
    elif kind == 3:  # the piece up to v before u
        propose_shift(wrapped(p - length + 1, many), length, wrapped(q - 1, many), SHIFT, a)
    elif kind == 4:  # turned, so that v comes before u
        propose_shift(p, length, wrapped(q - 1, many), SHIFT_REVERSED, a)
    else:  # turned, so that v comes behind u
        propose_shift(wrapped(p - length + 1, many), length, q, SHIFT_REVERSED, a)


@inner_kernel
def set_place(place: int, v: int, a: Ints) -> None:
    """Put a node at a place."""
    put(a, entry(a, ORDER) + place, v)
    put(a, entry(a, PLACE) + v, place)


@inner_kernel
def reverse(first: int, length: int, a: Ints) -> None:
    """Turn a piece."""
    many = entry(a, entry(a, INFO) + MANY)
    low = first
    high = wrapped(first + length - 1, many)
    for _ in range(length // 2):
        v = there(low, a)
        set_place(low, there(high, a), a)
        set_place(high, v, a)
        low = wrapped(low + 1, many)
        high = wrapped(high - 1, many)


@inner_kernel
def change_places(first: int, length: int, beyond: int, a: Ints) -> None:
    """Let a piece, and that of ``beyond`` nodes behind it, change places."""
    many = entry(a, entry(a, INFO) + MANY)
    buffer = entry(a, BUFFER)
    for k in range(length):
        put(a, buffer + k, there(first + k, a))
    place = first
    for k in range(beyond):
        set_place(place, there(wrapped(first + length, many) + k, a), a)
        place = wrapped(place + 1, many)
    for k in range(length):
        set_place(place, entry(a, buffer + k), a)
        place = wrapped(place + 1, many)


@inner_kernel
def shift(first: int, length: int, beyond: int, reversing: bool, a: Ints) -> None:
    """Move a piece beyond so many nodes, by whichever side passes fewer."""
    many = entry(a, entry(a, INFO) + MANY)
    others = many - length - beyond
    if beyond <= others:
        change_places(first, length, beyond, a)
        place = wrapped(first + beyond, many)
    else:
        place = wrapped(first - others, many)
        change_places(place, others, length, a)
    if reversing:
        reverse(place, length, a)


@inner_kernel
def apply(a: Ints) -> None:
    """Make the proposed move."""
    info = entry(a, INFO)
    shape = entry(a, info + SHAPE)
    first = entry(a, info + FIRST)
    piece = entry(a, info + PIECE)
    many = entry(a, info + MANY)
    if shape == REVERSE:
        if 2 * piece > many and entry(a, info + SYMMETRIC) != 0 and entry(a, info + TIMES) == 0:
            reverse(wrapped(first + piece, many), many - piece, a)
        else:
            reverse(first, piece, a)
    elif shape <= SHIFT_REVERSED:
        shift(first, piece, entry(a, info + BEYOND), shape == SHIFT_REVERSED, a)
    elif shape == INSERT:
        put(a, info + MANY, many + 1)
        for place in range(many, first + 1, -1):
            set_place(place, entry(a, entry(a, ORDER) + place - 1), a)
        set_place(first + 1, piece, a)
    elif shape == OPEN:
        put(a, info + MANY, 2)
        set_place(0, first, a)
        set_place(1, piece, a)
    elif shape == DROP:
        for place in range(first, many - 1):
            set_place(place, entry(a, entry(a, ORDER) + place + 1), a)
        put(a, entry(a, PLACE) + piece, -1)
        put(a, info + MANY, many - 1)
    else:
        for place in range(many):
            put(a, entry(a, PLACE) + entry(a, entry(a, ORDER) + place), -1)
        put(a, info + MANY, 0)
