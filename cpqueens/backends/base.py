"""The contract between the pipeline and a way to solve: one function that says whether it exhausted."""

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cpqueens.answers.outcome import StopReason
from cpqueens.answers.recorder import TraceRecorder
from cpqueens.answers.trace import Trace
from cpqueens.backends.bounds import Bounds
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.system.stopping import GRACE, Stopped, stopping, unstopped
from cpqueens.text.parameters import Parameter as Parameter  # a part of the contract

Deliver = Callable[[IntArray], bool]
"""Takes assignments, int64 of shape (batch, decision variables); answers whether to go on."""


class Feature(StrEnum):
    """What a backend can be asked for."""

    ENUMERATE = "enumerate"
    COUNT = "count"  # without listing
    OBJECTIVE = "objective"
    BOUND = "bound"  # looks only for solutions whose objective is at least as good as a given value
    HINT = "hint"
    SEED = "seed"
    WORKERS = "workers"
    RESUME = "resume"  # solutions(after=...)
    STEP_LIMIT = "step_limit"
    LOG = "log"


class Order(StrEnum):
    """What a backend promises about the solutions that it delivers."""

    LEXICOGRAPHIC = "lexicographic"  # strictly ascending in the decision variables, hence distinct
    DISTINCT = "distinct"
    ANY = "any"  # duplicates may occur; the pipeline removes and counts them


class Want(StrEnum):
    """What is asked for."""

    ONE = "one"
    ALL = "all"
    BEST = "best"
    COUNT = "count"


REFUSED = {
    "enumerate_all_solutions": "call model.enumerate(...) or model.solutions(...)",
    "stop_after_first_solution": "call model.solve(...) without an objective, or use solution_limit",
    "stop_after_presolve": "it would leave the status without meaning",
    "stop_after_root_propagation": "it would leave the status without meaning",
    "num_search_workers": "write num_workers=",
    "max_time_in_seconds": "write time_limit=",
    "max_deterministic_time": "write step_limit= where the solver has it, or time_limit=",
    "relative_gap_limit": "a status within a gap would not be a proof",
    "fix_variables_to_their_hinted_value": "a hint may not change the model; write model.copy() and fix()",
    "absolute_gap_limit": "a status within a gap would not be a proof",
    "log_search_progress": "write log=True",
    "timeout": "write time_limit=",
    "workers": "write num_workers=",
}
"""Spellings of other tools that would change what a status means, or that have another name here."""


TRACE = Parameter(
    int, 0, "how many events of the search to keep in the outcome's trace, 0: none", limits=(0, 2**32)
)
"""Of every engine of this package that records; see `cpqueens.answers.trace`."""


class Clock:
    """The one deadline for build, translation, compiling and solving; the consumer does not count.

    Attributes
    ----------
    time_limit
        The user's, in seconds by the clock; None for none.
    share
        What may be `used` at most, by a part of a run for one; None for no such limit. It goes by what the
        search has had, and not by what a busy machine was doing meanwhile.
    late
        What the run was in when it should have ended, if it was late: a call that nothing can break off.
    """

    def __init__(self, time_limit: float | None, share: float | None = None) -> None:
        self.started = time.monotonic()
        self.time_limit, self.share = time_limit, share
        self.paused: dict[str, float] = {}
        self.late: str | None = None
        self.by_processor = False  # whether the limit, too, is a share
        self._meter: Callable[[], float] | None = None
        self._before = 0.0
        self._thread: int | None = None  # that began the search

    def limit(self, seconds: float | None) -> None:
        """Set the user's limit; within `by_processor` it is none of the user's."""
        if seconds is None or not self.by_processor:
            self.time_limit = seconds
        else:
            self.share = seconds if self.share is None else min(self.share, seconds)

    def measure(self, meter: Callable[[], float]) -> None:
        """Begin a search whose processor seconds until now ``meter`` tells, from any thread.

        Every backend of this package does so where its run begins. Of another one nothing is known but the
        clock, which `used` goes by then.
        """
        self._before = 0.0 if self._meter is None else self.used()
        self._meter, self._thread = meter, threading.get_ident()

    def used(self) -> float:
        """Return the processor seconds that searches have had, without the consumer's."""
        return self._before + self._meter() if self._meter is not None else self.elapsed()

    @property
    def limited(self) -> bool:
        """Whether the time ends a run."""
        return self.time_limit is not None or self.share is not None

    def elapsed(self) -> float:
        """Return the seconds that count against the limit."""
        return time.monotonic() - self.started - sum(self.paused.values())

    def remaining(self) -> float | None:
        """Return the seconds of the user's limit that are left, None without one."""
        return None if self.time_limit is None else self.time_limit - self.elapsed()

    def expired(self) -> bool:
        """Say whether a limit is reached."""
        if self.time_limit is not None and self.elapsed() >= self.time_limit:
            return True
        return self.share is not None and self.used() >= self.share

    @contextmanager
    def foreign(self, call: str) -> Iterator[None]:
        """Be in another library, which is not broken off; note if it ends late."""
        with unstopped():
            yield
        if (self.remaining() or 0.0) < -GRACE:
            self.late = call

    @contextmanager
    def pause(self, what: str) -> Iterator[None]:
        """Exclude a block from the limit and book its seconds under ``what`` (consumer)."""
        start, used = time.monotonic(), self.used()
        try:
            yield
        finally:
            self.paused[what] = self.paused.get(what, 0.0) + time.monotonic() - start
            if threading.get_ident() == self._thread:
                self._before -= self.used() - used


class Share:
    """Processor seconds that a part of a program has for its runs, one after another; see `sharing`.

    For limits that no user has set: by the clock they would go by what else the machine does. It is a part
    of the share in which it is made.
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self._seconds, self.used, self._whole = seconds, 0.0, _share.get()

    @property
    def left(self) -> float:
        """What is left of it, and of what it is a part of; not below 0."""
        own = max(0.0, self._seconds - self.used)
        return own if self._whole is None else min(own, self._whole.left)

    def take(self, seconds: float) -> None:
        """Note what a run has used."""
        self.used += seconds
        if self._whole is not None:
            self._whole.take(seconds)

    @contextmanager
    def clock(self, time_limit: float | None = None) -> Iterator[Clock]:
        """Measure a run that ends with what is left, or with the user's limit."""
        clock = Clock(time_limit, None if self.left == math.inf else self.left)
        clock.by_processor = _counted.get() is not None
        try:
            yield clock
        finally:
            self.take(clock.used())


_share: ContextVar[Share | None] = ContextVar("share", default=None)
_counted: ContextVar[Share | None] = ContextVar("counted", default=None)


@contextmanager
def sharing(share: Share) -> Iterator[None]:
    """Let the runs that this thread begins in this block have what is left of a share."""
    token = _share.set(share)
    try:
        yield
    finally:
        _share.reset(token)


@contextmanager
def by_processor() -> Iterator[None]:
    """Let limits in this block, which no user has set, go by the processor seconds of its runs, see `now`."""
    share = Share()
    token = _counted.set(share)
    try:
        with sharing(share):
            yield
    finally:
        _counted.reset(token)


def now() -> float:
    """Return the time by the clock; within `by_processor` the processor seconds that its runs had."""
    counted = _counted.get()
    return time.monotonic() if counted is None else counted.used


def current_share() -> Share:
    """Return the share that runs have here, an endless one where nobody said it."""
    return _share.get() or Share()


@dataclass(frozen=True)
class Request:
    """What is wanted of a backend, with limits, seed and parameters; never changed by it."""

    want: Want
    clock: Clock
    cancel: threading.Event = field(default_factory=threading.Event)
    solution_limit: int | None = None
    step_limit: int | None = None
    seed: int = 0
    workers: int = 1
    spare: int = 0  # processors beside one worker that may help, where neither workers nor a seed were given
    hint: IntArray | None = None  # (decision variables,), with `hinted` saying which entries count
    hinted: Any = None
    first: IntArray | None = (
        None  # a complete hint that is a solution: the first incumbent, already delivered
    )
    look_ahead: bool = True  # whether one solution more than the limit is looked for, to know if it is all
    prove_complete: bool = False  # ... for as long as it takes
    messages: tuple[str, ...] = ()  # what the user is to be told of the options
    objective_limit: int | None = None  # only solutions at least as good are asked for (Feature.BOUND)
    after: IntArray | None = None
    strategy: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    log: Callable[[str], None] | None = None
    interrupted: Callable[[], bool] = lambda: False
    on_progress: Callable[[Mapping[str, Any]], None] | None = None
    bounds: Bounds | None = None  # hears of proved bounds of the objective (Want.BEST), and tells the user
    incumbent: Callable[[], int | None] | None = None  # an objective met elsewhere, ever better (BOUND)
    reordered: Callable[[], None] | None = None
    """If solutions may come in another order than the one promised: to be told before the first that does.

    What is delivered from then on comes, in lexicographic order, after all that was delivered before.
    """
    heard: Callable[[int], None] | None = None  # hears after each slice of a search its solutions so far

    @property
    def wants_few(self) -> bool:
        """Whether a search that ends after a few solutions should not go further than that."""
        return self.want is Want.ONE or self.solution_limit is not None

    def recorder(self, model: Statement) -> TraceRecorder | None:
        """Return a recorder if the run is to be recorded."""
        room = self.parameters.get("trace", 0)
        return TraceRecorder([model.name_of(v) for v in model.decisions.tolist()], room) if room else None

    def prove(self, bound: int) -> None:
        """Tell of a proved bound of the objective; only the best one is kept, and shown."""
        if self.bounds is not None:
            self.bounds.tell(bound)

    def should_stop(self) -> bool:
        """Say whether the run must end now; cheap enough for every few milliseconds."""
        return self.interrupted() or self.cancel.is_set() or self.clock.expired()

    def why_stopped(self) -> StopReason:
        """Return the reason for which `should_stop` is true.

        Raises
        ------
        RuntimeError
            If it cannot have been: no other reason may pass for the time limit.
        """
        if self.cancel.is_set() or self.interrupted():
            return StopReason.INTERRUPTED
        if not self.clock.limited:
            raise RuntimeError("a run without time limit was stopped, and not by its user")
        return StopReason.TIME_LIMIT


@dataclass(frozen=True)
class Ended:
    """How a run ended: whether the space was exhausted, never what that means.

    Parameters
    ----------
    exhausted
        The backend went through its whole search space without skipping anything.
    objective, bound
        The backend's own claim of its best objective value, and its proved bound.
    count
        The number of solutions for ``Want.COUNT`` by a backend that does not list them.
    closest
        A heuristic's best assignment (decision variables) if it found no solution.
    trace
        What it did, where it was asked to record it.
    """

    exhausted: bool
    stop_reason: StopReason
    objective: int | None = None
    bound: int | None = None
    count: int | None = None
    closest: IntArray | None = None
    statistics: Mapping[str, Any] = field(default_factory=dict)
    trace: Trace | None = None


@dataclass(frozen=True)
class Many:
    """How runs ended that were made together, one for each seed; rows that `ended` leaves out mean nothing.

    Parameters
    ----------
    ended
        (runs,) bool: which are as single runs would be. Of the others nothing is known: they were broken off,
        did not begin, or want to be run on their own.
    stop_reason
        (runs,) texts of `StopReason`.
    solved, matrix, steps
        (runs,), (runs, decision variables), (runs,); the rows of ``matrix`` count where ``solved``.
    seconds
        (runs,) each run's share of the calls that made it.
    statistics
        Counts as in `Ended.statistics`, (runs,) or (runs, ...).
    """

    ended: NDArray[np.bool_]
    stop_reason: NDArray[np.str_]
    solved: NDArray[np.bool_]
    matrix: IntArray
    steps: IntArray
    seconds: NDArray[np.float64]
    statistics: Mapping[str, IntArray] = field(default_factory=dict)


class Backend(Protocol):
    """One way to solve.

    A backend may also have ``order_for(request)``, if what it promises depends on its parameters,
    ``strategy_parameters(strategy)``, the further parameters of a strategy (None for the default one),
    ``about(strategy)``, what it does, its first line a summary and one paragraph beginning with ``Source:``,
    ``core(model, assumed, request)``, which of the decision variables assumed to be 1 cannot all be (None if
    undecided), ``can_express(model)``, which raises `UnsupportedConstraint` where it cannot, and
    ``run_many(model, request, seeds)``, which makes a run for each seed and returns `Many`, None where it has
    no better way than one by one. The time limit of the request is that of each run.
    """

    name: str
    proves: bool
    features: frozenset[Feature]
    order: Order
    strategies: tuple[str, ...]

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """What it can be told, by name; an attribute, or computed where that takes its library."""

    def run(self, model: Statement, request: Request, deliver: Deliver) -> Ended:
        """Search as asked, deliver solutions, and say how it ended, also when stopped."""


def within_limits(backend: Backend, model: Statement, request: Request, deliver: Deliver) -> Ended:
    """Run a backend, which is broken off in whatever it is at if it does not end by itself when it must."""

    def undisturbed(batch: IntArray) -> bool:
        with unstopped():
            return deliver(batch)

    block = stopping(request.should_stop, grace=GRACE)
    try:
        with block:
            return backend.run(model, request, undisturbed)
    except Stopped:
        return Ended(False, request.why_stopped())
    finally:
        request.clock.late = request.clock.late or block.place
