"""How long a run may take: the user's limit by the clock, all others by processor time."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

from cpqueens.system.stopping import GRACE, T, ThreadTime, unstopped


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

    def measure(self, meter: Callable[[], float] | None = None) -> None:
        """Begin a search whose processor seconds until now ``meter`` tells, from any thread: this thread's.

        Every backend of this package does so where its run begins. Of another one nothing is known but the
        clock, which `used` goes by then.
        """
        self._before = 0.0 if self._meter is None else self.used()
        self._meter, self._thread = meter or ThreadTime(), threading.get_ident()

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

    def expired(self, ahead: float = 0.0) -> bool:
        """Say whether a limit is reached, or the user's will be in so many seconds, at most half of it."""
        limit = self.time_limit
        if limit is not None and self.elapsed() + min(ahead, limit / 2) >= limit:
            return True
        return self.share is not None and self.used() >= self.share

    def foreign(self, call: str, function: Callable[[], T]) -> T:
        """Call another library, which is not broken off; note if it ends late."""
        with unstopped():
            result = function()
        if (self.remaining() or 0.0) < -GRACE:
            self.late = call
        return result

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
        work = _work.get()
        clock.by_processor = work is not None
        began = 0.0 if work is None else time.thread_time()
        try:
            yield clock
        finally:
            self.take(clock.used())
            if work is not None:
                work.count_once(clock.used(), time.thread_time() - began)


class _Worked(Share):
    """What a block has had of processors: its runs, and its own thread between them."""

    def __init__(self) -> None:
        super().__init__()
        self._thread, self._from = threading.get_ident(), time.thread_time()

    def count_once(self, used: float, own: float) -> None:
        """Leave out of the thread's time what a run, which this thread waited for, has told."""
        if threading.get_ident() == self._thread:
            self._from += min(used, own)

    def seconds(self) -> float:
        """Return the processor seconds of runs and thread."""
        own = time.thread_time() - self._from if threading.get_ident() == self._thread else 0.0
        return self.used + max(0.0, own)


_share: ContextVar[Share | None] = ContextVar("share", default=None)
_work: ContextVar[_Worked | None] = ContextVar("work", default=None)


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
    """Let limits in this block, which no user has set, go by the processor seconds that it has, see `now`."""
    work = _Worked()
    token = _work.set(work)
    try:
        with sharing(work):
            yield
    finally:
        _work.reset(token)


@contextmanager
def limited(seconds: float | None, otherwise: float) -> Iterator[float]:
    """Yield the seconds for a block: the user's by the clock, or else some by the processor; see `now`."""
    if seconds is not None:
        yield seconds
        return
    with by_processor():
        yield otherwise


def now() -> float:
    """Return the time by the clock; within `by_processor` the processor seconds that the block has had."""
    work = _work.get()
    return time.monotonic() if work is None else work.seconds()


def run_clock() -> AbstractContextManager[Clock]:
    """Measure a run that ends with what is left of the share here; without one, that nothing ends yet."""
    share = _share.get()
    return nullcontext(Clock(None)) if share is None else share.clock()
