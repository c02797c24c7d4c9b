"""Calls of a kernel that keeps counters of its own, beside those of the search that it works for."""

from collections.abc import Callable, Sequence

from cpqueens.backends.local_search.search import Search
from cpqueens.kernels.jit.pace import Pace
from cpqueens.kernels.local import info as at
from cpqueens.language.rows import IntArray

COUNTED = (at.STEPS, at.MOVES, at.EVALUATIONS)


def advance(
    search: Search,
    info: IntArray,
    pace: Pace,
    kernel: Callable[[int], int],
    steps: int,
    counted: Sequence[int] = COUNTED,
) -> int:
    """Make so many steps, which count as the search's; return how the kernel's call ended."""
    before = info.copy()
    code = pace.counted(kernel, steps, lambda: int(info[at.STEPS]), at.BUDGET)
    for name in counted:
        search.info[name] += info[name] - before[name]
    search.info[at.HASH] = info[at.HASH]
    return int(code)
