"""The receiving end of a run: checks, orders, de-duplicates and limits what a backend delivers.

What a callback raises, carried past all that would take it for another error, or make one of it.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.answers.outcome import Fault, StopReason
from cpqueens.answers.solution import SolutionSet
from cpqueens.backends.base import Backend, Order, Request, Want
from cpqueens.language.objectives import keys
from cpqueens.language.rows import IntArray, behind
from cpqueens.system.interrupts import Interrupt

Given = ParamSpec("Given")
Result = TypeVar("Result")


class Carried(BaseException):
    """Holds what a callback raised; who called the generators raises it anew."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


def carrying(callback: Callable[Given, Result]) -> Callable[Given, Result]:
    """Return a callback whose errors pass through generators and handlers as `Carried`."""

    def call(*args: Given.args, **options: Given.kwargs) -> Result:
        try:
            return callback(*args, **options)
        except Exception as error:
            raise Carried(error) from None

    return call


class Callbacks:
    """Functions of the user within a run that is judged: what they raise is no fault of the solver."""

    def __init__(self) -> None:
        self.raised: Exception | None = None

    def watched(self, function: Callable[Given, Result]) -> Callable[Given, Result]:
        """Return a function whose error is noted."""

        def call(*args: Given.args, **options: Given.kwargs) -> Result:
            try:
                return function(*args, **options)
            except Exception as error:
                self.raised = error
                raise

        return call

    def watched_in(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return options of a solver, of which those that are callbacks are watched."""
        found = dict(options)
        for key in ("log", "on_progress"):
            if callable(options.get(key)):
                found[key] = self.watched(options[key])
        return found


Consumer = Callable[["Interrupt", SolutionSet], "int | None"]
"""Takes checked, distinct solutions; answers None to go on, or how many it took before it had enough."""

Taker = Callable[[SolutionSet], "int | None"]
"""A consumer within one run, whose interrupt it knows."""

Collect = Callable[[Checker, Backend, Request, "Taker | None", bool], "Collector"]
"""Makes the receiving end of a run."""

MEMORY_CAP = 2 * 2**30
"""Bytes that the set of seen solutions may take, about; past it duplicates go unnoticed and it is said."""


class Collector:
    """Holds the pipeline's state during one run."""

    def __init__(
        self, checker: Checker, backend: Backend, request: Request, consumer: Taker | None, keep: bool = False
    ) -> None:
        self.checker = checker
        self.backend = backend
        promised = getattr(backend, "order_for", None)
        order = backend.order if promised is None else promised(request)
        self.order = Order.ANY if request.want is Want.BEST else order
        self.request = request
        self.consumer = consumer
        self._keeps = keep
        self.kept: list[IntArray] = []  # what the outcome will have; with an objective the best alone
        self.delivered = 0  # raw, as the backend delivered them
        self.accepted = 0  # of these, by the checker
        self.distinct = 0
        self.duplicates = 0
        self.more = False  # a solution beyond the limit exists
        self.stopped: StopReason | None = None
        self.looking_ahead = False
        self.faults: list[Fault] = []
        self.check_seconds = 0.0
        self.last: IntArray | None = None
        self.in_order = True  # until the backend says otherwise: behind the last one come all others
        self.best: IntArray | None = None
        self.best_value: int | None = None
        self._best_key: tuple[int, ...] | None = None
        self.first_seconds: float | None = None
        self._seen: set[bytes] = set()
        self.forgetting = False

    def deliver(self, batch: IntArray) -> bool:
        """Receive a batch of assignments; answer whether to go on."""
        if self.stopped is not None or self.faults:
            return False  # the backend was told to stop
        if self.request.interrupted() or self.request.cancel.is_set():
            self.stopped = self.stopped or StopReason.INTERRUPTED
            return False
        start = time.monotonic()
        good = self._checked(batch)
        self.check_seconds += time.monotonic() - start
        if not len(good):
            return not self.faults
        if self.first_seconds is None:
            self.first_seconds = self.request.clock.elapsed()
        if self.request.want is Want.BEST:
            good = self._improving(good)
        return self._pass_on(good) and not self.faults and not self.is_met

    def begin(self) -> bool:
        """Take a hint that is a solution as the first incumbent; answer whether to go on."""
        first = self.request.first
        going_on = first is None or self._pass_on(self._improving(first[None, :]))
        return going_on and not self.is_met

    @property
    def is_met(self) -> bool:
        """Whether nothing is better than the best solution, by what was proved before the model grew."""
        known = self.request.known
        return known is not None and known.bound is not None and known.bound == self.best_value

    def reorder(self) -> None:
        """Hear that what follows is in no order, but behind all that came before."""
        self.in_order = False
        self.order = Order.DISTINCT

    def _checked(self, batch: IntArray) -> IntArray:
        """Return the rows that are solutions and new, in the delivered order."""
        width = len(self.checker.known)
        if not isinstance(batch, np.ndarray) or batch.ndim != 2 or batch.shape[1] != width:
            shape = getattr(batch, "shape", type(batch).__name__)
            self.faults.append(
                Fault("BAD_ASSIGNMENT", f"a batch of {width} values a row is needed, got {shape}")
            )
            return np.zeros((0, width), dtype=np.int64)
        if batch.dtype.kind not in "iu":
            self.faults.append(Fault("BAD_ASSIGNMENT", f"integers are needed, got {batch.dtype}"))
            return np.zeros((0, width), dtype=np.int64)
        batch = np.array(batch, dtype=np.int64)  # a copy: the backend may use its array again
        self.delivered += len(batch)
        accepted = self.checker.accepts(batch)
        if not accepted.all():
            for row in batch[~accepted][:3]:
                reason = str(self.checker.explain(row)).splitlines()[0]
                self.faults.append(Fault("INVALID_SOLUTION", reason, tuple(row.tolist())))
            batch = batch[accepted]
        self.accepted += len(batch)
        if self.order is Order.LEXICOGRAPHIC:
            return self._in_order(batch)
        return self._unseen(batch if self.in_order else self._behind_last(batch))

    def _behind_last(self, batch: IntArray) -> IntArray:
        """Check that solutions come after all those that came in order, so that they are none of them."""
        if self.last is None:
            return batch
        later = behind(batch, self.last)
        if len(later) < len(batch):
            self.faults.append(
                Fault("UNORDERED", "a solution came late: those that follow were promised to be greater")
            )
        return later

    def _in_order(self, batch: IntArray) -> IntArray:
        """Check the promised order by comparing neighbours, which also proves distinctness."""
        if not len(batch):
            return batch
        before, self.last = self.last, batch[-1].copy()
        width = batch.shape[1]
        good = int(before is None or before.tolist() < batch[0].tolist())  # rows that are as promised
        if good and width and len(batch) > 1:
            differs = batch[1:] != batch[:-1]
            first = differs.argmax(axis=1) + np.arange(0, differs.size, width)
            values = batch.reshape(-1)
            ascending = values.take(first + width) > values.take(first)
            good = len(batch) if ascending.all() else int(ascending.argmin()) + 1
        if good < len(batch):
            earlier = batch[good - 1] if good or before is None else before
            code = "DUPLICATE" if np.array_equal(batch[good], earlier) else "UNORDERED"
            message = "lexicographic order was promised, yet a solution follows that is not greater"
            self.faults.append(Fault(code, message, tuple(batch[good].tolist())))
        return batch[:good]

    def _unseen(self, batch: IntArray) -> IntArray:
        """Remove and count solutions that came before; a fault if the backend promised distinct ones."""
        last = len(batch) == self.request.solution_limit == 1 and not self.request.look_ahead
        if self.forgetting or last:  # nothing follows that it could be compared with
            return batch
        keep = np.ones(len(batch), dtype=bool)
        size = batch.shape[1] * 8 + 80
        for k, row in enumerate(batch):
            key = row.tobytes()
            if key in self._seen:
                keep[k] = False
                self.duplicates += 1
                if self.order is Order.DISTINCT:
                    self.faults.append(
                        Fault("DUPLICATE", "distinct solutions were promised", tuple(row.tolist()))
                    )
            else:
                self._seen.add(key)
        if size * len(self._seen) > MEMORY_CAP:
            self.forgetting = True
            self._seen.clear()
        return batch[keep]

    def _improving(self, batch: IntArray) -> IntArray:
        """Keep the best by the recomputed objectives; return that row, if it improved on all before."""
        improving = []
        for row, values in enumerate(self.checker.objectives(batch).tolist()):
            key = keys(self.checker.model.goals, values)
            if self._best_key is None or key < self._best_key:
                self._best_key, self.best_value, self.best = key, values[0], batch[row].copy()
                improving.append(row)
        return batch[improving[-1:]]

    def _pass_on(self, batch: IntArray) -> bool:
        """Give solutions to the consumer up to the limit; then look whether there are more."""
        if not len(batch):
            return True
        limit = self.request.solution_limit
        if limit is not None:
            room = limit - self.distinct
            if room <= 0 or len(batch) > room:
                self.more = True
                batch = batch[: max(room, 0)]
        taken = self._consume(batch)
        self.distinct += len(batch) if taken is None else taken
        if taken is not None:
            self.stopped = StopReason.INTERRUPTED if self.request.interrupted() else StopReason.CALLBACK
            return False
        if limit is None or self.distinct < limit:
            return True
        if self.more or not self.request.look_ahead:
            self.stopped = StopReason.SOLUTION_LIMIT
            return False
        self._look_ahead()
        return True

    def _consume(self, batch: IntArray) -> int | None:
        if not len(batch):
            return None
        taken = None
        if self.consumer is not None:
            batch.flags.writeable = False  # solutions are values
            found = SolutionSet(self.checker.model, self.checker.known, batch, in_order=self.in_order)
            with self.request.clock.pause("consumer"):
                taken = self.consumer(found)
        if self._keeps and self.best is None:
            self.kept.append(batch[:taken])
        return taken

    def _look_ahead(self) -> None:
        """Give the backend a moment to find one more solution, or to prove that there is none."""
        if not self.looking_ahead:
            self.looking_ahead = True
            clock = self.request.clock
            if not self.request.prove_complete:
                clock.share = clock.used() + max(0.1, 0.1 * clock.used())
