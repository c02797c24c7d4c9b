"""Two searches in turns, for one solution or the best: one begins anew, the other never does but remembers.

The first decides by what it learns, and begins anew without knowing where it was. The second, which joins
after `JOINING` failures, decides in the order in which the model was written and remembers subproblems: it is
the better one where rows or columns follow each other. Turns are counted in failures and compared by
propagations, never by time, so that runs can be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from cpqueens.backends.backtracking import remembering
from cpqueens.backends.backtracking.forward import ForwardSearch
from cpqueens.backends.backtracking.parted import Parted
from cpqueens.backends.backtracking.turns import Slices
from cpqueens.backends.base import Deliver, Ended, Request, Want
from cpqueens.kernels.exact.domains import Memory
from cpqueens.lowered.compiled import Compiled

JOINING = 2000
"""Failures of the first search until the second joins."""

TURN = 500
"""Failures of a turn."""

_NAMES = "restarts", "a search that remembers subproblems"
_ADDED = ("nodes", "failures", "decisions", "propagations")


class RememberingSearch(ForwardSearch):
    """A search in the order as written that remembers subproblems and never begins anew."""

    def __init__(
        self, compiled: Compiled, network: tuple[Memory, int], request: Request, facts: Mapping[str, Any]
    ) -> None:
        orders = {"variable_order": "lexicographic", "value_order": "saved"}
        request = replace(request, parameters={**request.parameters, **orders})
        memory = remembering.with_room(network[0])
        super().__init__(compiled, network, request, False, {**facts}, memory=memory)

    def give_turn(self, failures: int, found: int | None = None) -> None:
        """Give what is remembered more room, too."""
        super().give_turn(failures, found)
        self.memory = remembering.grown(self.memory)

    def _flush(self, deliver: Deliver) -> Any:
        """Deliver; without an objective, what holds a solution is not to be taken for empty."""
        if self.request.want is not Want.BEST:
            remembering.forget(self.memory)
        return super()._flush(deliver)

    def _look_at_open(self) -> None:
        """Take nothing: what is open may be remembered as one that is searched, while it still is."""

    def statistics(self) -> dict[str, Any]:
        """Return what it did, and how many subproblems came again."""
        return {**super().statistics(), "subproblems_met": remembering.met(self.memory)}


class Alternating:
    """A search that learns, and after a while a second one that remembers."""

    def __init__(
        self,
        first: Callable[[Request], ForwardSearch],
        second: Callable[[Request], ForwardSearch],
        request: Request,
        parted: Callable[[], Parted | None] = lambda: None,
    ) -> None:
        self._request, self._second, self._parted = request, second, parted
        self._searches: list[ForwardSearch] = []
        self._searches.append(first(replace(request, incumbent=self._incumbent_for(0))))

    def _incumbent_for(self, number: int) -> Callable[[], int | None]:
        """Return what one of the searches hears: the best that others know of, here or elsewhere."""

        def best() -> int | None:
            known = [s.known_best() for k, s in enumerate(self._searches) if k != number]
            if self._request.incumbent is not None:
                known.append(self._request.incumbent())
            values = [value for value in known if value is not None]
            if not values:
                return None
            return max(values) if self._searches[0].compiled.maximizing else min(values)

        return best

    def slices(self, deliver: Deliver) -> Slices:
        """Search to the end or to a stop, slice by slice."""
        self._searches[0].give_turn(JOINING)
        running = [self._searches[0].slices(deliver)]
        turn = 0
        while True:
            try:
                yield next(running[turn])
            except StopIteration as end:
                return self._ended(turn, end.value)
            if not self._searches[turn].is_turn_over:
                continue
            if len(running) == 1:
                parted = self._parted()
                if parted is not None:
                    ended = yield from parted.slices(deliver)
                    return self._with_first(ended)
                self._searches.append(self._second(replace(self._request, incumbent=self._incumbent_for(1))))
                running.append(self._searches[1].slices(deliver))
            turn = int(np.argmin([search.work for search in self._searches]))
            self._searches[turn].give_turn(TURN)

    def _with_first(self, ended: Ended) -> Ended:
        """Return the end of searches of parts, with what the first search did and proved."""
        mine = self._searches[0].statistics()
        added = {name: ended.statistics.get(name, 0) + mine[name] for name in _ADDED}
        parts = ended.statistics["parts"]
        statistics = {**mine, **ended.statistics, **added}
        statistics["reason"] = f"{mine['reason']}; {parts} independent parts were searched apart"
        if not ended.exhausted:
            ended = replace(ended, bound=self._better(ended.bound, self._searches[0].known_bound()))
        return replace(ended, statistics=statistics)

    def _ended(self, turn: int, ended: Ended) -> Ended:
        """Return the end of the search whose turn it was as that of both."""
        if len(self._searches) == 1:
            return ended
        each = [search.statistics() for search in self._searches]
        statistics = {**each[1], **each[0], **{name: sum(s[name] for s in each) for name in _ADDED}}
        statistics["deepest"] = max(s["deepest"] for s in each)
        ending = f", {_NAMES[turn]} was the first at its end" if ended.exhausted else ""
        statistics["reason"] = f"{statistics['reason']}; {' and '.join(_NAMES)} took turns{ending}"
        if not ended.exhausted:  # the other may have met a better one, or proved more
            ended = replace(ended, objective=None, bound=self._bound())
        return replace(ended, statistics=statistics)

    def _bound(self) -> int | None:
        """Return the better of both bounds."""
        return self._better(*(s.known_bound() for s in self._searches))

    def _better(self, *bounds: int | None) -> int | None:
        """Return the best of some bounds, of which there may be none."""
        known = [bound for bound in bounds if bound is not None]
        return (min if self._searches[0].compiled.maximizing else max)(known, default=None)
