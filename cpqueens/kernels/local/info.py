"""Names of the entries of ``info``, the scalars of a search state, and small helpers over them.

All scalars live in one array, so that a kernel that has used up its steps can go on in the next call as
if it had not stopped: the trajectory depends on the number of steps only.
"""

from typing import Any

from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.kernels.local.arena import Ints

SIZE = 0  # variables in conflict
COST = 1  # weighted violation
LEAST = 2  # least cost since the last start
SAVED = 3  # cost of the saved best assignment
STEPS = 4
HASH = 5  # of the trajectory
FROZEN = 6  # variables frozen since the last reset
STALL = 7  # steps since LEAST improved, or LEAST_VIOLATION in a walk with weights
EVALUATIONS = 8
MOVES = 9
RESETS = 10
RECORDED = 11  # events recorded
THINNING = 12  # one event in so many is recorded
SEEN = 13  # events offered
SIDEWAYS = 14
POSITION = 15  # of a sweep
EXTRA = 16
INNER = 17  # of a sweep, within the partners of one variable
LEAST_VIOLATION = 18  # least violation without weights, at the local minima of a walk with weights
WORK = 19  # the last: evaluations that one call may make in steps that look at everything
LENGTH = 20

NEVER = 1 << 62  # more than any cost

MOST = 1 << 20  # evaluations that a driver allows for such a call at most

# how a kernel's call ended
BUDGET = 0
SOLVED = 1
STALLED = 2
LOCAL_OPTIMUM = 3
PLATEAU_LIMIT = 4
STEP_LIMIT = 5  # of a run, see `search_lot`
STOPPED = 6  # the same, by a clock

# events: step, kind, variable, target, change, cost
MOVE = 0
SWAP = 1
EVENT_SIDEWAYS = 2
RESET = 3
RESTART = 4
ACCEPT = 5  # a worsening move accepted
EVENT_WIDTH = 6

_MASK = 0xFFFFFFFF


@inner_kernel
def mixed(number: int, h: int) -> Any:
    """Return the hash ``h`` of a trajectory with one more number in it."""
    return (((h ^ number) & _MASK) * 16777619) & _MASK


@inner_kernel
def next_step(info: Ints, stall: int, by_cost: bool) -> Any:
    """Count a step and return BUDGET; or count none and return how the search ends instead.

    It ends after ``stall`` steps without progress (0: never), which is a new least cost or, without
    ``by_cost``, what the caller takes for it.
    """
    if info[COST] == 0:
        return SOLVED
    if info[COST] < info[LEAST]:
        info[LEAST] = info[COST]
        if by_cost:
            info[STALL] = 0
    if 0 < stall <= info[STALL]:
        return STALLED
    info[STALL] += 1
    info[STEPS] += 1
    return BUDGET


@inner_kernel
def record(events: Ints, info: Ints, kind: int, variable: int, target: int, change: int) -> None:
    """Mix an event into the trajectory's hash and, if there is room for events, record it.

    When the rows are full every second one is dropped and from then on half as many are taken.
    """
    h = info[HASH]
    for number in (info[STEPS], kind, variable, target, change):
        h = mixed(number, h)
    info[HASH] = h
    capacity = events.shape[0]
    if capacity == 0:
        return
    info[SEEN] += 1
    if info[SEEN] % info[THINNING] != 0:
        return
    if info[RECORDED] == capacity:
        half = capacity // 2
        for row in range(half):
            for column in range(EVENT_WIDTH):
                events[row, column] = events[2 * row + 1, column]
        info[RECORDED] = half
        info[THINNING] *= 2
        if info[SEEN] % info[THINNING] != 0:
            return
    row = info[RECORDED]
    events[row, 0] = info[STEPS]
    events[row, 1] = kind
    events[row, 2] = variable
    events[row, 3] = target
    events[row, 4] = change
    events[row, 5] = info[COST]
    info[RECORDED] = row + 1
