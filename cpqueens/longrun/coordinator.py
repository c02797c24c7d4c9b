"""The one process that hands out the parts of a job and writes its ledger."""

from __future__ import annotations

import math
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cpqueens.backends.backtracking.tally import estimated
from cpqueens.errors import ModelError
from cpqueens.files.modelfile import dump_model
from cpqueens.longrun.job import JobError, LongJob, code_version
from cpqueens.longrun.ledger import Ledger, Totals
from cpqueens.longrun.partfiles import PartFiles
from cpqueens.longrun.pool import Processes
from cpqueens.longrun.splitting import MOST, Splitting, partition_digest, split, splitting_of
from cpqueens.longrun.work import Counted, count_parts
from cpqueens.model import Model
from cpqueens.solving.request import positive_integer, positive_seconds
from cpqueens.system.interrupts import Interrupt, listening
from cpqueens.text.needed import needed

Progress = Callable[[dict[str, Any]], object]

PARTS = 1000
"""Parts of a job, at least, where the model has so many."""

TASK_SECONDS = 2.0
"""What a task should take: parts are handed out by so many."""

LEASE = 300.0
"""Seconds after which a task whose worker does nothing is given to another."""

_WINDOW = 4  # tasks in flight a worker
_COMMIT_SECONDS = 0.9
_LOOK_SECONDS = 0.1
_MOST_PARTS = 2000  # of a task
_DRAIN_SECONDS = 1.5 * TASK_SECONDS


@dataclass(frozen=True)
class DurableCount:
    """What a ledger says of a count, and why the coordinator ended.

    Attributes
    ----------
    totals
        See `cpqueens.longrun.ledger.Totals`.
    stop_reason
        ``exhausted``, ``interrupted``, ``time_limit`` or ``poison``.
    """

    totals: Totals
    stop_reason: str

    @property
    def count(self) -> int:
        """Solutions counted so far."""
        return self.totals.count

    @property
    def complete(self) -> bool:
        """Whether that is all of them."""
        return self.totals.complete


def durable_count(
    model: Model,
    store: str | Path,
    *,
    solver: str = "backtracking",
    workers: int | None = None,
    executor: Executor | None = None,
    parts: int | None = None,
    time_limit: float | None = None,
    lease: float = LEASE,
    title: str | None = None,
    on_progress: Progress | None = None,
    changed_code: bool = False,
) -> DurableCount:
    """Count all solutions with a ledger, so that a kill at any moment loses seconds; resume by the same call.

    Parameters
    ----------
    model
        Any model without an objective.
    store
        The ledger, an SQLite file that is made, or continued.
    solver
        Counts the parts. Queens on 13 x 13 and more are split and counted by halves by ``backtracking``.
    workers
        Processes on this machine (by default as many as processors); with an ``executor``, how many tasks it
        does at a time.
    executor
        Any `concurrent.futures.Executor` that runs functions of the package ``cpqueens``, such as that of a
        ``dask.distributed`` client. It is left open.
    parts
        How many parts there should be, at least; only at the beginning.
    time_limit
        Wall seconds.
    lease
        Seconds without an answer, nor any work seen, after which a task is given to another worker.
    title
        What the job is called in reports.
    on_progress
        Called with ``count``, ``done``, ``total``, ``remaining`` (seconds), ``estimate`` and ``interval``.
    changed_code
        Go on with a ledger that other code began.

    Raises
    ------
    JobError
        If the ledger is of another job or other code, in use, or cannot be written; if a worker has other
        code.
    CpqueensError
        For everything that is refused before the search.

    Examples
    --------
    >>> import tempfile
    >>> from cpqueens.longrun.coordinator import durable_count
    >>> from cpqueens.models.queens import queens
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = durable_count(queens(6), f"{folder}/run.db", workers=1, parts=6)
    >>> found.count, found.complete
    (4, True)
    """
    return _durable(
        "count", model, store, solver=solver, workers=workers, executor=executor, parts=parts,
        time_limit=time_limit, lease=lease, title=title, on_progress=on_progress, changed_code=changed_code,
    )  # fmt: skip


def durable_enumerate(
    model: Model,
    store: str | Path,
    *,
    solver: str = "backtracking",
    workers: int | None = None,
    executor: Executor | None = None,
    parts: int | None = None,
    time_limit: float | None = None,
    lease: float = LEASE,
    title: str | None = None,
    on_progress: Progress | None = None,
    changed_code: bool = False,
) -> DurableCount:
    """List all solutions into files beside a ledger; resume by the same call.

    The files ``<store>.solutions/part-*.npy`` are one a part, in lexicographic order within and among them,
    and the same bytes in every run. A file that is lost or damaged is listed again at the next call.
    `cpqueens.longrun.partfiles.merge` makes one file of them.

    Parameters
    ----------
    model
        Any model without an objective.
    store
        The ledger; the files lie beside it.
    solver, workers, executor, parts, time_limit, lease, title, on_progress, changed_code
        As for `durable_count`.

    Raises
    ------
    JobError
        As for `durable_count`; also if a part was listed again with other solutions.
    CpqueensError
        For everything that is refused before the search.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from cpqueens.longrun.coordinator import durable_enumerate
    >>> from cpqueens.models.queens import queens
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = durable_enumerate(queens(4), f"{folder}/run.db", workers=1, parts=4)
    ...     files = sorted(path.name for path in Path(f"{folder}/run.db.solutions").iterdir())
    >>> found.count, files[0]
    (2, 'part-0000000.npy')
    """
    return _durable(
        "enumerate", model, store, solver=solver, workers=workers, executor=executor, parts=parts,
        time_limit=time_limit, lease=lease, title=title, on_progress=on_progress, changed_code=changed_code,
    )  # fmt: skip


def _durable(
    kind: str,
    model: Model,
    store: str | Path,
    *,
    solver: str,
    workers: int | None,
    executor: Executor | None,
    parts: int | None,
    time_limit: float | None,
    lease: float,
    title: str | None,
    on_progress: Progress | None,
    changed_code: bool,
) -> DurableCount:
    needed(model, Model, "a model")
    if model.objective is not None:
        raise ModelError("a model with an objective has no count; drop the objective")
    many = positive_integer(workers, "workers", 1024) or os.cpu_count() or 1
    wanted = positive_integer(parts, "parts", MOST)
    limit = positive_seconds(time_limit, "time_limit")
    ledger, splitting = _ledger(kind, model, Path(store), solver, wanted, title, changed_code)
    with closing(ledger):
        ledger.claim()
        files = PartFiles.of(ledger, splitting) if kind == "enumerate" else None
        with listening() as interrupt, _executor(executor, many) as running:
            runner = _Runner(ledger, running, many, interrupt, on_progress, lease, files)
            session = ledger.begin_session(many, code_version())
            try:
                reason = runner.run(math.inf if limit is None else time.monotonic() + limit)
            finally:
                ledger.end_session(session)
        if reason == "exhausted":
            splitting_of(ledger.job)  # the parts are still those that the job began with
            if files is not None and files.damaged():
                raise JobError(
                    f"{store}: files of parts were changed while it ran; the same command mends them"
                )
        return DurableCount(ledger.totals(), reason)


def _ledger(
    kind: str,
    model: Model,
    path: Path,
    solver: str,
    wanted: int | None,
    title: str | None,
    changed_code: bool,
) -> tuple[Ledger, Splitting]:
    """Return the ledger of this job, begun or continued, and its parts."""
    begun = Ledger.open(path) if path.exists() and path.stat().st_size else None
    if begun is not None:
        wanted = wanted or begun.job.wanted
    asked = wanted or PARTS
    splitting = split(model, solver, asked, kind)
    job = LongJob(
        kind, title or model.name, dump_model(model), solver, splitting.name, asked,
        len(splitting), partition_digest(splitting), code_version(),
    )  # fmt: skip
    if begun is None:
        return Ledger.create(path, job), splitting
    if begun.job.digest != job.digest:
        raise JobError(f"{path}: holds another job, {begun.job.title!r}; give another file")
    if begun.job.code != job.code and not changed_code:
        raise JobError(
            f"{path}: begun by cpqueens {begun.job.code}, this is {job.code}; give changed_code=True "
            "(--changed-code) if its results are to be believed all the same"
        )
    return begun, splitting


@contextmanager
def _executor(given: Executor | None, workers: int) -> Iterator[Executor]:
    if given is not None:
        yield given
        return
    own = Processes(workers)
    try:
        yield own
    finally:
        own.shutdown(wait=False, cancel_futures=True)


@dataclass
class _Task:
    """Parts that were handed out together."""

    parts: list[int]
    handed: float
    spent: float = 0.0  # processor time of its worker when that was looked at last


@dataclass
class _Runner:
    """The loop of one session."""

    ledger: Ledger
    executor: Executor
    workers: int
    interrupt: Interrupt
    on_progress: Progress | None
    lease: float
    files: PartFiles | None = None
    waiting: deque[list[int]] = field(default_factory=deque)  # of these each is a task of its own
    flying: dict[Future[list[Counted]], _Task] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.job = self.ledger.job.text
        self.solver = self.ledger.job.solver
        self.todo = deque(self.ledger.open_parts())
        again = [] if self.files is None else self.files.damaged()
        self.todo.extendleft(again)
        known = self.ledger.results()
        self.done, self.seconds = len(known) - len(again), sum(r.seconds for r in known)
        self.count, self.squares = sum(r.count for r in known), sum(r.count**2 for r in known)
        self.committed = self.shown = time.monotonic()

    def run(self, deadline: float) -> str:
        """Hand out parts until there are none, or a limit; return why it ended."""
        reason = ""
        while not reason:
            if self.interrupt.poll():
                reason = "interrupted"
            elif time.monotonic() >= deadline:
                reason = "time_limit"
            elif not (self.todo or self.waiting or self.flying):
                reason = "poison" if self.ledger.poison() else "exhausted"
            else:
                self._hand_out()
                self._collect(_LOOK_SECONDS)
                self._look_after_leases()
        self._drain(_DRAIN_SECONDS if reason == "interrupted" else 0.0)
        self.ledger.commit()
        self._show(always=True)
        return reason

    def _hand_out(self) -> None:
        while (self.todo or self.waiting) and len(self.flying) < _WINDOW * self.workers:
            if self.waiting:
                parts = self.waiting.popleft()
            else:
                parts = [self.todo.popleft() for _ in range(min(self._fitting(), len(self.todo)))]
            try:
                future = self.executor.submit(count_parts, self.ledger.job.text, parts)
            except (BrokenExecutor, RuntimeError, OSError) as error:
                raise JobError(f"the executor takes no tasks any more: {error}; resume later") from None
            self.flying[future] = _Task(parts, time.monotonic())

    def _fitting(self) -> int:
        """Return how many parts a task should have: one at first, so that we know what a part takes."""
        if self.done == 0:
            return 1
        by_time = int(TASK_SECONDS / max(self.seconds / self.done, 1e-6))
        share = math.ceil(len(self.todo) / (_WINDOW * self.workers))  # so that all end at about the same time
        return max(1, min(by_time, share, _MOST_PARTS))

    def _collect(self, seconds: float) -> None:
        finished, _ = wait(self.flying, timeout=seconds, return_when=FIRST_COMPLETED)
        for future in finished:
            task = self.flying.pop(future)
            self._book(future, task)
        if time.monotonic() - self.committed > _COMMIT_SECONDS:
            self.committed = time.monotonic()
            self.ledger.commit()
        self._show()

    def _book(self, future: Future[list[Counted]], task: _Task) -> None:
        try:
            results = future.result()
        except JobError:
            raise
        except (Exception, CancelledError) as error:
            self._failed(task, f"{type(error).__name__}: {error}")
            return
        for found in results:
            if self.files is not None:
                self.files.keep(found)
            self.ledger.add(found, self.solver)
            self.done += 1
            self.seconds += found.seconds
            self.count += found.count
            self.squares += found.count**2

    def _failed(self, task: _Task, message: str) -> None:
        """Try parts again, one by one: of several together nobody knows which it was."""
        if len(task.parts) == 1:
            self.ledger.fail(task.parts[0], message)
        given_up = set(self.ledger.poison())
        self.waiting.extend([part] for part in task.parts if part not in given_up)

    def _look_after_leases(self) -> None:
        now = time.monotonic()
        for future, task in list(self.flying.items()):
            if now - task.handed <= self.lease:
                continue
            task.handed = now
            if not isinstance(self.executor, Processes):
                self.waiting.append(task.parts)  # whoever answers first counts, the other confirms
            elif future.running() and not self.executor.give_up(future, task.spent):
                task.spent = self.executor.spent(future)

    def _drain(self, seconds: float) -> None:
        """Take in what is under way and ends soon; what has not begun is not begun."""
        for future in list(self.flying):
            if future.cancel():
                del self.flying[future]
        end = time.monotonic() + seconds
        while self.flying and time.monotonic() < end:
            self._collect(_LOOK_SECONDS)

    def _show(self, always: bool = False) -> None:
        now = time.monotonic()
        if self.on_progress is None or (now - self.shown < _LOOK_SECONDS and not always):
            return
        self.shown = now
        total = self.ledger.job.parts
        state: dict[str, Any] = {"count": self.count, "done": self.done, "total": total}
        if self.done:
            state["remaining"] = (total - self.done) * self.seconds / self.done / self.workers
        found = estimated(self.done, total, self.count, self.squares)
        if found is not None:
            state |= {"estimate": found[0], "interval": found[1]}
        self.on_progress(state)
