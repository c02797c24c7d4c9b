"""The contract between the pipeline and a way to solve: one function that says whether it exhausted."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cpqueens.answers.outcome import StopReason as StopReason  # a part of the contract
from cpqueens.answers.profile import Tallies, Walked
from cpqueens.answers.trace import Trace, TraceRecorder
from cpqueens.backends.clock import Clock as Clock  # a part of the contract
from cpqueens.backends.known import Known, LearnedClauses
from cpqueens.language.rows import IntArray, Mask
from cpqueens.language.statement import Statement
from cpqueens.system.platforms import processors
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


COUNT = partial(Parameter, int, limits=(0, 2**31))
PERCENT = partial(Parameter, float, limits=(0, 100))
PROBABILITY = partial(Parameter, float, limits=(0, 1))
"""Parameters that are numbers, by default and meaning."""

PROFILE = Parameter(
    bool, False, "whether to record what each constraint costs and achieves: the outcome's profile"
)
"""Of the engines that can tell; see `cpqueens.answers.profile`."""

TRACE = Parameter(
    int, 0, "how many events of the search to keep in the outcome's trace, 0: none", limits=(0, 2**32)
)
"""Of every engine of this package that records; see `cpqueens.answers.trace`."""


class Bounds:
    """Keeps the best of all bounds that are told, from any thread, and passes each better one on.

    Parameters
    ----------
    maximizing
        Whether the objective is.
    told
        Called with ``{"bound": value}`` for each bound that is better than all before.
    """

    def __init__(self, maximizing: bool, told: Callable[[Mapping[str, Any]], None] | None = None) -> None:
        self._maximizing, self._told = maximizing, told
        self._one_at_a_time = threading.RLock()
        self.best: int | None = None

    def tell(self, value: int) -> None:
        """Take a proved bound: no solution is better than ``value``."""
        with self._one_at_a_time:
            better = self.best is None or (value < self.best if self._maximizing else value > self.best)
            if not better:
                return
            self.best = value
            if self._told is not None:
                self._told({"bound": value})

    def with_last(self, value: int | None) -> int | None:
        """Return the better one of the bound with which a solver ended and of what was told before."""
        if self.best is None or value is None:
            return self.best if value is None else value
        return min(value, self.best) if self._maximizing else max(value, self.best)


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
    may_grow: bool = False  # whether more workers may join, where neither workers nor a seed were given
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
    profiling: Any = None  # of a profiled run, what its searches tell what they do
    heard: Callable[[int], None] | None = None  # hears after each slice of a search its solutions so far
    known: Known | None = None  # what the same solver said of the model before it grew, as it holds of it now
    learned: list[LearnedClauses] | None = None  # takes what a search has learned, to be kept with the model

    @property
    def spare(self) -> int:
        """The processors beside one worker that may help."""
        return processors() - 1 if self.may_grow else 0

    @property
    def wants_few(self) -> bool:
        """Whether a search that ends after a few solutions should not go further than that."""
        return self.want is Want.ONE or self.solution_limit is not None

    def recorder(self, model: Statement) -> TraceRecorder | None:
        """Return a recorder if the run is to be recorded."""
        room = self.parameters.get("trace", 0)
        return TraceRecorder([model.label_of(v) for v in model.decisions.tolist()], room) if room else None

    def of_part(self) -> "Request":
        """Return what is asked for of a part of the model: nothing that is known of the whole holds there."""
        return replace(self, bounds=None, incumbent=None, heard=None, known=None, learned=None)

    def prove(self, bound: int) -> None:
        """Tell of a proved bound of the objective; only the best one is kept, and shown."""
        if self.bounds is not None:
            self.bounds.tell(bound)

    def should_stop(self, ahead: float = 0.0) -> bool:
        """Say whether the run must end now, or in so many seconds; cheap enough to ask often."""
        return self.interrupted() or self.cancel.is_set() or self.clock.expired(ahead)

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
    trace, tallies
        What it did, where it was asked to record it, and by constraint, where that was asked for.
    """

    exhausted: bool
    stop_reason: StopReason
    objective: int | None = None
    bound: int | None = None
    count: int | None = None
    closest: IntArray | None = None
    statistics: Mapping[str, Any] = field(default_factory=dict)
    trace: Trace | None = None
    tallies: Tallies | Walked | None = None


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

    ended: Mask
    stop_reason: NDArray[np.str_]
    solved: Mask
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
    """Run a backend, which is broken off in whatever it is at if it does not end by itself when it must.

    A search has a moment to end with all that it knows. What is worth nothing before it ends, such as the
    arrays of a search, has none: it is made within `stopping(request.should_stop)`, and broken off at once.
    """

    def undisturbed(batch: IntArray) -> bool:
        with unstopped():
            return deliver(batch)

    block = stopping(request.should_stop, grace=GRACE)
    try:
        return block.run(backend.run, model, request, undisturbed)
    except Stopped:
        return Ended(False, request.why_stopped())
    finally:
        request.clock.late = request.clock.late or block.place


# ---- solutions on their way from a search to the pipeline, in batches that grow -----------------------

LARGEST = 1024
"""Rows of a batch, at most."""

OLDEST = 0.05
"""Seconds for which a solution may wait, so that a first one is never held back."""


class Batches:
    """Collects solutions one by one and delivers them in batches of 1, 2, 4, ...

    Parameters
    ----------
    deliver
        Takes a batch, int64 of shape (batch, decision variables); answers whether to go on.
    decode
        Makes such a batch of the rows that were put.
    singly
        Deliver every solution at once, for improving ones.
    """

    def __init__(self, deliver: Deliver, decode: Callable[[list[Any]], IntArray], singly: bool) -> None:
        self.stopped = False
        self._deliver = deliver
        self._decode = decode
        self._singly = singly
        self._rows: list[Any] = []
        self._size = 1
        self._flushed = time.monotonic()

    def put(self, row: Any) -> None:
        """Take one solution; hand over a batch when it is full or old. After a stop nothing is taken."""
        if self.stopped:
            return
        self._rows.append(row)
        if self._singly or len(self._rows) >= self._size:
            self.flush()
        else:
            self.flush_old()

    def flush_old(self) -> None:
        """Hand over what has waited long enough."""
        if self._rows and time.monotonic() - self._flushed > OLDEST:
            self.flush()

    def flush(self) -> None:
        """Hand over what is there; `stopped` is set if the receiver wants no more."""
        rows, self._rows = self._rows, []
        if not rows or self.stopped:
            return
        self.stopped = True  # also if the receiver raises
        self.stopped = not self._deliver(self._decode(rows))
        self._size = min(2 * self._size, LARGEST)
        self._flushed = time.monotonic()
