"""Which variable is decided next: the open one with the greatest activity, in a heap.

Activities are integers (`WEIGHT`): what a conflict adds grows, as in MiniSat, so that earlier ones fade.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, is_open
from cpqueens.kernels.exact.learning import literals as of
from cpqueens.kernels.exact.learning.literals import Learner
from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.kernels.jit.instructions import entry, put

FADING = 4
"""What a conflict adds grows by this power of 1/2 from conflict to conflict."""

LARGE, SCALE = 1 << 50, 40

OUTSIDE, NEVER = -1, -2
"""Instead of a place in the heap: a variable that is not in it now, and one that is not decided at all."""


@inner_kernel
def place_of(q: Learner, v: int) -> Any:
    """Return where the place of a variable in the heap is."""
    return q.state[of.PLACES] + v // at.X_WIDTH


@inner_kernel
def weight_at(m: Memory, q: Learner, k: int) -> Any:
    """Return the activity of the variable at a place of the heap."""
    return entry(m.x, entry(q.room, q.state[of.HEAP] + k) + at.WEIGHT)


@inner_kernel
def put_at(q: Learner, k: int, v: int) -> None:
    """Put a variable at a place of the heap."""
    put(q.room, q.state[of.HEAP] + k, v)
    put(q.room, place_of(q, v), k)


@inner_kernel
def rise(m: Memory, q: Learner, k: int) -> None:
    """Move the variable at a place up to where it belongs."""
    v = entry(q.room, q.state[of.HEAP] + k)
    weight = entry(m.x, v + at.WEIGHT)
    while k > 0 and weight_at(m, q, (k - 1) >> 1) < weight:
        put_at(q, k, entry(q.room, q.state[of.HEAP] + ((k - 1) >> 1)))
        k = (k - 1) >> 1
    put_at(q, k, v)


@inner_kernel
def sink(m: Memory, q: Learner, k: int) -> None:
    """Move the variable at a place down to where it belongs."""
    v = entry(q.room, q.state[of.HEAP] + k)
    weight, size = entry(m.x, v + at.WEIGHT), q.state[of.HEAP_SIZE]
    child = 2 * k + 1
    while child < size:
        if child + 1 < size and weight_at(m, q, child + 1) > weight_at(m, q, child):
            child += 1
        if weight_at(m, q, child) <= weight:
            break
        put_at(q, k, entry(q.room, q.state[of.HEAP] + child))
        k = child
        child = 2 * k + 1
    put_at(q, k, v)


@inner_kernel
def into_heap(m: Memory, q: Learner, v: int) -> None:
    """Put a variable back that may be decided, unless it is there."""
    if entry(q.room, place_of(q, v)) == OUTSIDE:
        k = q.state[of.HEAP_SIZE]
        q.state[of.HEAP_SIZE] = k + 1
        put_at(q, k, v)
        rise(m, q, k)


@inner_kernel
def first_open(m: Memory, q: Learner) -> Any:
    """Return the open variable with the greatest activity, -1 if all are decided; it stays in the heap."""
    while q.state[of.HEAP_SIZE] > 0:
        v = entry(q.room, q.state[of.HEAP])
        if is_open(m, v):
            return v
        k = q.state[of.HEAP_SIZE] - 1
        q.state[of.HEAP_SIZE] = k
        last = entry(q.room, q.state[of.HEAP] + k)
        put(q.room, place_of(q, v), OUTSIDE)
        if k:
            put_at(q, 0, last)
            sink(m, q, 0)
    return -1


@inner_kernel
def bump(m: Memory, q: Learner, v: int) -> None:
    """Add to the activity of a variable in a conflict."""
    put(m.x, v + at.WEIGHT, entry(m.x, v + at.WEIGHT) + m.stack[at.BUMP])
    k = entry(q.room, place_of(q, v))
    if k >= 0:
        rise(m, q, k)


@inner_kernel
def fade(m: Memory) -> None:
    """Let what later conflicts add be more; scale all down where it would become too much."""
    m.stack[at.BUMP] += (m.stack[at.BUMP] >> FADING) + 1
    if m.stack[at.BUMP] > LARGE:
        m.stack[at.BUMP] >>= SCALE
        for v in range(0, m.stack[at.VARIABLES], at.X_WIDTH):
            put(m.x, v + at.WEIGHT, entry(m.x, v + at.WEIGHT) >> SCALE)
