"""Running the propagating search: batches, limits and statistics around the compiled kernel."""

import time
from typing import Any

import numpy as np

from cpqueens.answers.outcome import StopReason
from cpqueens.backends.backtracking.orders import ascending, variable_order
from cpqueens.backends.backtracking.turns import Heard, Slices, drained
from cpqueens.backends.base import Deliver, Ended, Request, Want
from cpqueens.kernels import domains as at
from cpqueens.kernels import forward as tree
from cpqueens.kernels.domains import Memory, copied
from cpqueens.kernels.pace import Pace
from cpqueens.kernels.random import seed_state
from cpqueens.lowered.compiled import Compiled

_FIRST_BATCH, _LARGEST_BATCH = 64, 4096
_HALVINGS = 65  # of one variable, on one path


class ForwardSearch:
    """One run of the strategies ``forward`` (propagation) and ``check`` (no look-ahead)."""

    def __init__(
        self,
        compiled: Compiled,
        network: tuple[Memory, int],
        request: Request,
        check_only: bool,
        facts: dict[str, Any],
    ) -> None:
        self.request, self.compiled, self.check_only, self.facts = request, compiled, check_only, facts
        start, self.objective_row = network
        self.memory = copied(start)
        self.pace = Pace()
        if request.objective_limit is not None:
            self._limit_objective(request.objective_limit)

    def _limit_objective(self, limit: int) -> None:
        """Set the objective's row to ``objective <= limit`` before the search, in the minimised sense."""
        objective = self.compiled.objective
        assert objective is not None
        least = -limit if self.compiled.maximizing else limit
        self.memory.net[self.objective_row + at.CONSTANT] = int(objective.constant[0]) - least

    def propagates(self) -> bool:
        """Propagate at the root, before any decision; say whether something is left."""
        root = self._search(1)
        tree.search(self.memory, root, 1)
        return bool(root.state[tree.PHASE] == tree.DESCEND)

    def run(self, deliver: Deliver, heard: Heard = None) -> Ended:
        """Search to the end or to a stop."""
        return drained(self.slices(deliver), heard)

    def slices(self, deliver: Deliver) -> Slices:
        """Search to the end or to a stop, slice by slice."""
        request = self.request
        search = self._search(1 if request.wants_few else _FIRST_BATCH)
        alive, reason = True, None
        flushed = time.monotonic()
        while alive and reason is None:
            reason = self._limit(search)
            if reason is not None:
                break
            answer = self._advance(search)
            yield int(search.state[tree.FOUND])
            full = answer in (tree.BATCH_FULL, tree.EXHAUSTED)
            stored = int(search.state[tree.STORED])
            if stored and (full or request.want is Want.BEST or time.monotonic() - flushed > 0.05):
                if not deliver(search.solutions[:stored].copy()):
                    reason = StopReason.CALLBACK
                search.state[tree.STORED] = 0
                search = self._wider(search)
                flushed = time.monotonic()
            if answer == tree.EXHAUSTED:
                alive = False
        return self._ended(search, exhausted=reason is None, reason=reason)

    def _limit(self, search: Any) -> StopReason | None:
        request = self.request
        if request.should_stop():
            return request.why_stopped()
        if request.step_limit is not None and self._tried(search) >= request.step_limit:
            return StopReason.STEP_LIMIT
        return None

    @staticmethod
    def _tried(search: Any) -> int:
        """Return the decisions so far, safe or not; the root is none."""
        return max(0, int(search.state[tree.NODES] + search.state[tree.FAILURES]) - 1)

    def _advance(self, search: Any) -> int:
        """Run the kernel for a slice of time, growing the trail where it asks for it."""
        steps = self.pace.steps
        if self.request.step_limit is not None:
            steps = min(steps, self.request.step_limit - self._tried(search))
        answer = self.pace.timed(
            lambda most: int(tree.search(self.memory, search, most)),
            steps,
            lambda answer: answer == tree.PAUSED,
        )
        if answer == tree.TRAIL_FULL:
            self.memory = self.memory._replace(stack=np.concatenate([self.memory.stack, self.memory.stack]))
        return answer

    def _search(self, capacity: int) -> Any:
        request, count = self.request, self.compiled.decision_count
        smallest = variable_order(request) == "smallest-domain"
        shuffled = not ascending(request)
        keep = request.want is not Want.COUNT
        options = [
            count,
            tree.SMALLEST_DOMAIN if smallest and not self.check_only else tree.LEXICOGRAPHIC,
            tree.RANDOM if shuffled else tree.ASCENDING,
            int(self.check_only),
            self.objective_row,
            int(keep),
        ]
        state = np.zeros(7, dtype=np.int64)
        state[tree.REPLAYING] = request.after is not None
        after = np.zeros(count, dtype=np.int64) if request.after is None else request.after
        return tree.TreeSearch(
            state=state,
            levels=np.zeros((self._depth(), 5), dtype=np.int64),
            options=np.array(options, dtype=np.int64),
            random=seed_state(request.seed) if shuffled else np.zeros(4, dtype=np.int64),
            after=after.astype(np.int64),
            solutions=np.zeros((capacity if keep else 1, count), dtype=np.int64),
        )

    def _depth(self) -> int:
        """Return how many levels there can be: one a variable, and more where variables are halved."""
        count = self.compiled.decision_count
        halved = int(np.count_nonzero(self.memory.x[at.FIRST : count * at.X_WIDTH : at.X_WIDTH] < 0))
        return count + 1 + _HALVINGS * halved

    def _wider(self, search: Any) -> Any:
        """Return the search with a larger batch, up to a few thousand solutions."""
        capacity, width = search.solutions.shape
        if capacity >= _LARGEST_BATCH or capacity * max(1, width) > 1 << 22:
            return search
        return search._replace(solutions=np.zeros((min(8 * capacity, _LARGEST_BATCH), width), dtype=np.int64))

    def _ended(self, search: Any, exhausted: bool, reason: StopReason | None) -> Ended:
        found = int(search.state[tree.FOUND])
        statistics = self.facts | {
            "strategy": "check" if self.check_only else "forward",
            "nodes": int(search.state[tree.NODES]),
            "failures": int(search.state[tree.FAILURES]),
        }
        bound = objective = None
        if self.request.want is Want.BEST and found:
            objective = self._best_value()
            bound = objective if exhausted else None
        return Ended(
            exhausted,
            reason or StopReason.EXHAUSTED,
            objective=objective,
            bound=bound,
            count=found if self.request.want is Want.COUNT else None,
            statistics=statistics,
        )

    def _best_value(self) -> int:
        """Return the incumbent's value: the objective's row says ``objective <= best - 1``."""
        objective = self.compiled.objective
        assert objective is not None
        best = int(objective.constant[0]) - int(self.memory.net[self.objective_row + at.CONSTANT]) + 1
        return -best if self.compiled.maximizing else best
