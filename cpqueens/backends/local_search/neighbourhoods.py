"""Large neighbourhoods: which variables of an assignment are free while the exact engine repairs it.

After Shaw, "Using constraint programming and local search methods to solve vehicle routing problems", CP
1998. Half of them are what constraints lead to from a variable, the others are random. They grow where they
are exhausted without a solution, and shrink where they are too large to be searched. Where the user has named
variables of which a part keeps its values, every second one is of that kind.
"""

import numpy as np

from cpqueens.language.rows import IntArray, Mask
from cpqueens.language.statement import Statement
from cpqueens.lowered.compiled import Compiled
from cpqueens.lowered.presolve.parts import scopes_of

FIRST, LEAST = 0.1, 4
"""The part of the variables that is free at first, and how many are at least."""
GROWTH = 5, 4
"""By how much a neighbourhood grows where it was exhausted; one that was not shrinks by as much."""


class Neighbourhoods:
    """Chooses sets of decision variables of a compiled model.

    Attributes
    ----------
    kept
        The chance of each decision variable to keep its value; None where nobody has said that.
    size
        How many variables the next one has.
    """

    def __init__(self, compiled: Compiled, seed: int, kept: IntArray | None = None) -> None:
        self.compiled, self.kept, self.chosen = compiled, kept, 0
        self._open = np.flatnonzero((compiled.lower < compiled.upper)[: compiled.decision_count])
        count = len(self._open)
        self.random = np.random.default_rng(seed)
        self.size = min(count, max(LEAST, int(FIRST * count)))
        variables, owners, begin = [], [], 0
        for scope, owner, many in scopes_of(compiled):
            variables.append(scope)
            owners.append(owner + begin)
            begin += many
        v, k = np.concatenate(variables), np.concatenate(owners)
        self._owners = _by_first(v, k, compiled.variable_count)
        self._members = _by_first(k, v, begin)

    def choose(self) -> Mask:
        """Return flags of the variables that are free."""
        count = self.compiled.decision_count
        self.chosen += 1
        if self.kept is not None and self.chosen % 2 == 1:
            return self.random.integers(100, size=count) >= self.kept
        free = np.zeros(count, dtype=bool)
        if (self.chosen if self.kept is None else self.chosen // 2) % 2 == 0:
            free[self._open[self.random.permutation(len(self._open))[: self.size]]] = True
            return free
        start = int(self._open[self.random.integers(len(self._open))])
        seen, found = {start}, [start]
        for v in found:
            if v < count:
                free[v] = True
                if np.count_nonzero(free) >= self.size:
                    break
            near = [self._members[k] for k in self.random.permutation(self._owners[v])]
            for u in (int(u) for members in near for u in self.random.permutation(members)[: self.size]):
                if u not in seen:
                    seen.add(u)
                    found.append(u)
        return free

    def learn(self, exhausted: bool) -> None:
        """Learn how a search without a solution ended: with the whole neighbourhood, or at its limit."""
        if self.kept is not None and self.chosen % 2 == 1:  # its size is the user's
            return
        more, less = GROWTH
        size = self.size * more // less + 1 if exhausted else self.size * less // more
        self.size = min(len(self._open), max(LEAST, size))


def kept_of(model: Statement, told: list[tuple[str | list[str], int]]) -> IntArray:
    """Return the chance of each variable to keep its value; ModelError for a name that is unknown."""
    kept = np.zeros(len(model.decisions), dtype=np.int64)
    for named, percent in told:
        for name in [named] if isinstance(named, str) else named:
            kept[np.isin(model.decisions, model[name].variables)] = percent
    return kept


def _by_first(keys: IntArray, values: IntArray, many: int) -> list[IntArray]:
    """Return of each key its values."""
    order = np.argsort(keys, kind="stable")
    return np.split(values[order], np.searchsorted(keys[order], np.arange(1, many)))
