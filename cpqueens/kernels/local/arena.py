"""Many arrays in one: the parts of a search state lie in one array, after a header of their offsets.

Numba passes an array as seven numbers, and functions of a dozen arrays are not inlined: their calls
would cost more than the work. So the hot functions take one *arena*. Part k is
``arena[arena[k]:arena[k + 1]]``.
"""

from itertools import accumulate
from typing import Any

from numpy.typing import NDArray

from cpqueens.kernels.jit.decorators import inlined
from cpqueens.system.stopping import joined

Ints = NDArray[Any]

# parts of the core arena
COUNT = 0  # (counters,) how many occupants
SUM_OF = 1  # (counters,) sum of the occupants
ACTIVITY = 2  # (constraints,) of a linear relation; violation of an AllDifferent
WEIGHT = 3  # (constraints,)
KINDS = 4  # (constraints,)
CONSTANTS = 5  # (constraints,) activity of nothing
SCOPE_START = 6  # (constraints + 1,)
SCOPE = 7  # variables of constraints other than AllDifferents
ERRORS = 8  # (variables,) projected error
MEMBERS = 9  # (variables,) the variables in conflict
POSITION = 10  # (variables,) in MEMBERS, -1: not there
INFO = 11  # see search_info
BEST = 12  # (variables,) the assignment of least cost that was left

# parts of the rows arena
OWNER = 0  # (terms,) constraint
TERM_CONSTANTS = 1  # (terms,) value of the linear part for all variables 0
SUPPORT_START = 2  # (terms + 1,)
SUPPORT = 3  # variables of terms
SCRATCH = 4  # old and new counters of one AllDifferent
BIT_ROWS = 5  # see search_triangle; empty where that does not apply
SLOTS = 6


@inlined
def part(arena: Ints, which: int) -> Any:
    """Return a view of one part."""
    return arena[arena[which] : arena[which + 1]]


def build_arena(parts: list[Any]) -> Ints:
    """Return the arena of ``parts``, in order (all int64)."""
    offsets = list(accumulate(map(len, parts), initial=len(parts) + 1))
    # one by one: joined with a part of floats, numbers above 2**53 would be rounded
    return joined([offsets, *parts])
