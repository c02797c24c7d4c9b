"""Independent parts of a model: each is searched apart, or counted, and counts are multiplied.

Together, a part that is proved would be proved anew for every solution of another one. Objectives are sums:
what each part adds is made best on its own, and the best solutions are put together.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from cpqueens.backends.backtracking.portfolio import Slices, added
from cpqueens.backends.base import Deliver, Ended, Request, StopReason, Want
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled
from cpqueens.lowered.presolve.parts import IndependentParts

Begin = Callable[[Compiled, Request, Deliver], Slices]
"""Makes a search of a part."""


class Parted:
    """Searches of the parts, one after the other: first each until it has a solution, then to their ends."""

    def __init__(self, parts: IndependentParts, begin: Begin, request: Request) -> None:
        self._compiled, self._parts, self._models = parts.compiled, parts.searched, parts.models
        self._begin, self._request = begin, request
        self._rows: dict[int, IntArray] = {}
        self._ended: dict[int, Ended] = {}

    def slices(self, deliver: Deliver) -> Slices:
        """Search to the end or to a stop, slice by slice."""
        own = self._request.of_part()
        searches = [self._begin(c, own, self._taker(k, deliver)) for k, c in enumerate(self._models)]
        for far in (False, self._request.want is Want.BEST):
            for k, search in enumerate(searches):
                while k not in self._ended and (far or k not in self._rows):
                    try:
                        yield int(next(search) > 0 and len(self._rows) == len(self._parts))
                    except StopIteration as end:
                        self._ended[k] = end.value
                        self._prove()
                if k in self._ended and not self._is_done(k):
                    return self._whole_ended(self._ended[k])
        return self._whole_ended(None)

    def _taker(self, number: int, deliver: Deliver) -> Deliver:
        """Return what takes the solutions of a part, ever better ones, and delivers whole ones."""

        def take(batch: IntArray) -> bool:
            self._rows[number] = batch[-1]
            if len(self._rows) < len(self._parts):
                return self._request.want is Want.BEST
            return deliver(self._whole()[None])

        return take

    def _whole(self) -> IntArray:
        """Return the solution that those of all parts make."""
        row = self._compiled.lower[: self._compiled.decision_count].copy()
        for k, mine in self._rows.items():
            here = self._parts[k]
            here = here[here < len(row)]
            row[here] = mine[here]
        return row

    def _is_done(self, number: int) -> bool:
        """Say whether all that is wanted is known of a part whose search has ended."""
        return number in self._rows and (self._request.want is Want.ONE or self._ended[number].exhausted)

    def _bound(self) -> int | None:
        """Return what no solution is better than; None without an objective."""
        if self._compiled.objective is None:
            return None
        sign = -1 if self._compiled.maximizing else 1
        total = sign * int(self._compiled.objective.constant[0])
        for k, model in enumerate(self._models):
            known = self._ended[k].bound if k in self._ended else None
            total += sign * _least(model) if known is None else known
        return total

    def _prove(self) -> None:
        bound = self._bound()
        if bound is not None:
            self._request.prove(bound)

    def _whole_ended(self, last: Ended | None) -> Ended:
        """Return how the whole ended, by the part that decided it if one did."""
        each = [end.statistics for end in self._ended.values()]
        statistics = {**each[-1], **added(each)} if each else {}
        statistics["parts"] = len(self._parts)
        if last is not None and last.exhausted:  # a part has no solution
            return Ended(True, StopReason.EXHAUSTED, statistics=statistics)
        exhausted = last is None and self._request.want is Want.BEST
        reason = last.stop_reason if last is not None else StopReason.EXHAUSTED
        if last is None and not exhausted:
            reason = self._ended[max(self._ended)].stop_reason if self._ended else StopReason.CALLBACK
        return Ended(exhausted, reason, bound=self._bound(), statistics=statistics)


def _least(c: Compiled) -> int:
    """Return the least value of the objective within the domains, minimised."""
    assert c.objective is not None
    v, a = c.objective.variable, c.objective.coefficient.astype(object)
    ends = np.minimum(a * c.lower[v], a * c.upper[v])
    return int(ends.sum()) if len(v) else 0


def counted_apart(free: int, searches: Sequence[Callable[[], Slices]]) -> Slices:
    """Count the parts one after the other; yields the solutions of the whole that are known by then."""
    ended: list[Ended] = []
    for k, search in enumerate(searches):
        done = free * math.prod(end.count or 0 for end in ended)
        part = search()
        try:
            while True:
                found = next(part)
                yield done * found if k + 1 == len(searches) else 0
        except StopIteration as end:
            ended.append(end.value)
        if not ended[-1].exhausted or not ended[-1].count:
            break
    last, sums = ended[-1], added(end.statistics for end in ended)
    is_known = len(ended) == len(searches) or not last.count  # all were searched, or one decides
    count = free * math.prod(end.count or 0 for end in ended) if is_known else 0
    return replace(last, count=count, statistics={**last.statistics, **sums, "parts": len(searches)})
