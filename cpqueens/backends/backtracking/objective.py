"""The objective of a search: which value it demands next, and what it has proved when it is stopped.

Demanded is one better than the last, or half of the way. Proved is the least that the open nodes may have:
the node at hand and, above it, the other branch of each decision. Each is propagated on a copy, so that the
search itself is as it was.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from cpqueens.kernels.exact import branching as tree, domains as at
from cpqueens.kernels.exact.forward import TRAIL_FULL, search
from cpqueens.system.stopping import doubled

STRETCH = 32
"""Solutions after which it is asked whether stepping is slow."""
FAR = 8
"""It is, where the way that is left is so many times that of a stretch."""
FAILURES = 500
"""That a demand for half of the way may cost."""


@dataclass
class Bisection:
    """The objective, in the minimised sense, between what is proved and what is found.

    Attributes
    ----------
    least
        No solution is better.
    target
        What is demanded at present; None: one better than the best.
    ask_found, ask_failures
        The numbers of solutions and of failures at which `steer` is to be asked next.
    """

    least: int
    target: int | None = None
    ask_found: int = 1
    ask_failures: int = 1 << 62
    _stretch: int = field(default_factory=lambda: STRETCH)
    _begun: int | None = None

    def steer(self, best: int, found: int, failures: int, exhausted: bool) -> bool:
        """Learn how it went, set ``target`` and when to be asked; say whether the search is at its end.

        ``best`` is that of all solutions so far, ``exhausted`` whether there is none that is demanded.
        """
        probed = self.target is not None and best > self.target
        if exhausted and not probed:
            return True
        if exhausted and self.target is not None:
            self.least = self.target + 1
            if self.least >= best:
                return True
        slow = self._begun is not None and best - self.least > FAR * (self._begun - best)
        if probed and not exhausted:  # too dear: step for longer
            slow, self._stretch = False, 4 * self._stretch
        if slow or (self.target is not None and (exhausted or not probed) and best - self.least > FAR):
            self.target = (self.least + best - 1) // 2
            self.ask_found, self.ask_failures = found + 1, failures + FAILURES
        else:
            self.target, self._begun = None, best
            self.ask_found, self.ask_failures = found + self._stretch, 1 << 62
        return False


MOST_WORK = 1 << 16
"""Of propagators, see `at.WORK`, for all branches together: a stopped run is to end soon."""


def open_bound(
    memory: at.Memory, stopped: tree.TreeSearch, least: Callable[[at.Memory], int], floor: int
) -> int | None:
    """Return the least objective, minimised, of all that is open.

    Parameters
    ----------
    least
        Returns the least objective within domains.
    floor
        What is proved already.

    Returns
    -------
    `floor` where no more is seen within `MOST_WORK`; None if nothing is open any more.
    """
    phase, depth = int(stopped.state[tree.PHASE]), int(stopped.state[tree.DEPTH])
    if phase == tree.ROOT:
        return floor
    bounds = [] if phase == tree.RETREAT else [least(memory)]
    if min(bounds, default=floor + 1) <= floor:
        return floor
    branches = _Branches(memory, stopped)
    # the other branch of the first decision first: it is the largest, and mostly says no more
    for levels in ([1], range(depth, 1, -1)) if depth else ():
        branches.begin()
        for level in levels:
            found = branches.opposite(level, least)
            if found is not None and found <= floor:
                return floor
            bounds += [] if found is None else [found]
            if branches.spent > MOST_WORK:
                return floor
    return min(bounds, default=None)


class _Branches:
    """The other branches of the decisions on a path, the deepest first."""

    def __init__(self, memory: at.Memory, stopped: tree.TreeSearch) -> None:
        self._memory, self._stopped = memory, stopped
        self.spent = 0

    def begin(self) -> None:
        """Stand at the node at hand."""
        self._m = at.copied(self._memory)
        at.forget(self._m)
        s = self._stopped
        self._q = s._replace(state=s.state.copy(), levels=s.levels.copy(), refuted=s.refuted.copy())
        self._q.state[[tree.ASK_FOUND, tree.ASK_FAILURES]] = 1 << 62
        self._q.state[tree.STORED] = 0

    def opposite(self, level: int, least: Callable[[at.Memory], int]) -> int | None:
        """Return the least objective of the other branch of a decision; None if propagation refutes it.

        What could not be propagated in time has that of the decision's own node, or more.
        """
        m, q = self._m, self._q
        before = int(m.stack[at.WORK])
        q.state[tree.DEPTH], q.state[tree.PHASE] = level, tree.RETREAT
        answer = search(m, q, 1)
        while answer == TRAIL_FULL or q.state[tree.PHASE] >= tree.UNFINISHED:
            if answer == TRAIL_FULL:
                m = self._m = m._replace(stack=doubled(m.stack))
            elif int(m.stack[at.WORK]) - before > MOST_WORK:
                break
            answer = search(m, q, 1)
        self.spent += int(m.stack[at.WORK]) - before
        found = None if q.state[tree.PHASE] == tree.RETREAT else least(m)
        at.forget(m)
        return found
