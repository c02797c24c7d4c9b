"""The loop of a coordinator: parts are handed out, what comes back is booked, nothing waits for ever.

A part that fails three times in a session, alone in its task, is poison until the next session. A worker that
dies blames nobody unless nothing else was under way: whoever wants memory, or ends processes, may have meant
another. So a part whose worker died is tried again at the end, one at a time.
"""

import logging
import math
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from cpqueens.backends.backtracking.tally import estimated
from cpqueens.longrun.ledger import FAILURES, Ledger, listed
from cpqueens.longrun.partfiles import PartFiles
from cpqueens.longrun.pool import OUT_OF_MEMORY, Processes, TaskLost
from cpqueens.longrun.splitting import JobError, code_version
from cpqueens.longrun.work import Counted, Reader, examine, read_count
from cpqueens.system.interrupts import Interrupt, listening

_log = logging.getLogger("cpqueens")

Progress = Callable[[dict[str, Any]], object]
Doing = Callable[[str, Sequence[int]], list[Counted]]
"""A function of a module that does parts of a job, given as its text: on whatever machine."""

TASK_SECONDS = 2.0
"""What a task should take: parts are handed out by so many."""

LEASE = 300.0
"""Seconds after which a task whose worker does nothing is given to another."""

STANDS_STILL = "no answer"
"""What the message of a failure begins with where nobody died."""

_WINDOW = 4  # tasks in flight a worker
_COMMIT_SECONDS = 0.9
_LOOK_SECONDS = 0.1
_MOST_PARTS = 2000  # of a task
_DRAIN_SECONDS = 1.5 * TASK_SECONDS


@dataclass
class _Task:
    """Parts that were handed out together."""

    parts: list[int]
    handed: float
    lease: float
    spent: float = 0.0  # processor time of its worker when that was looked at last
    began: float = math.inf  # the same at the first look
    alone: bool = False  # whether nothing else was under way
    ended: str = ""  # why we ended its worker
    hung: bool = False  # whether that worked for too long


@dataclass
class Session:
    """A session: the open parts of a ledger are done, until there are none or something ends that.

    Parameters
    ----------
    ledger
        Claimed by this process.
    do
        What does parts.
    workers
        Processes, or tasks that the executor does at a time.
    executor
        Who does them; by default processes of this machine.
    time_limit
        Wall seconds.
    lease
        Seconds without an answer, nor any work seen, after which a task is given to another worker.
    hang
        Seconds of a processor after which a part is taken for one that never ends; of such that another
        machine has, a lease.
    memory
        Bytes that a process may take, 0 for no limit.
    files
        Where solutions go, if they are listed.
    read
        Refuses what a result has beside its count, if it is not of what was asked for.

    Raises
    ------
    JobError
        If the ledger cannot be written, the executor is gone for good, or a worker has other code.
    """

    ledger: Ledger
    do: Doing
    workers: int
    executor: Executor | None = None
    time_limit: float | None = None
    lease: float = LEASE
    hang: float = math.inf
    memory: int = 0
    on_progress: Progress | None = None
    files: PartFiles | None = None
    read: Reader = read_count
    waiting: deque[list[int]] = field(default_factory=deque)  # of these each is a task of its own
    suspects: deque[int] = field(default_factory=deque)  # of these each is a task when nothing else is
    failures: Counter[int] = field(default_factory=Counter)
    poison: set[int] = field(default_factory=set)
    flying: dict[Future[list[Counted]], _Task] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.job = replace(self.ledger.job, code=code_version()).text  # what its workers must have
        self.solver = self.ledger.job.solver
        self.todo = deque(self.ledger.open_parts())
        again = [] if self.files is None else self.files.damaged()
        self.todo.extendleft(again)
        self.missing = set(self.todo)
        known = [found for found in self.ledger.results() if found.part not in self.missing]
        self.done, self.seconds = len(known), sum(r.seconds for r in known)
        self.count, self.squares = sum(r.count for r in known), sum(r.count**2 for r in known)
        self.committed = self.shown = time.monotonic()

    def run(self) -> str:
        """Have the parts done; return why it ended.

        That is ``exhausted``, ``interrupted``, ``time_limit`` or ``poison``.
        """
        poison = self.ledger.poison()
        if poison:
            said = "%s: tries parts again that failed too often before: %s"
            _log.warning(said, self.ledger.path, listed(poison))
        with listening() as interrupt, ExitStack() as until_done:
            if self.executor is not None:
                self.running = self.executor
            else:
                self.running = Processes(self.workers, self.memory)
                until_done.callback(self.running.shutdown, wait=False, cancel_futures=True)
            number = self.ledger.begin_session(self.workers, code_version())
            until_done.callback(self.ledger.end_session, number)
            return self._loop(interrupt)

    def _loop(self, interrupt: Interrupt) -> str:
        """Hand out parts until there are none, or a limit; return why it ended."""
        deadline = math.inf if self.time_limit is None else time.monotonic() + self.time_limit
        reason = ""
        while not reason:
            if interrupt.poll():
                reason = "interrupted"
            elif time.monotonic() >= deadline:
                reason = "time_limit"
            elif not (self.todo or self.waiting or self.suspects or self.flying):
                reason = "poison" if self.poison else "exhausted"
            else:
                self._hand_out()
                self._collect(_LOOK_SECONDS)
                self._look_after_leases()
        self._drain(_DRAIN_SECONDS if reason == "interrupted" else 0.0)
        self.ledger.commit()
        self._show(always=True)
        return reason

    def _hand_out(self) -> None:
        while len(self.flying) < _WINDOW * self.workers:
            alone = not (self.todo or self.waiting or self.flying)
            parts = self._next(alone)
            if not parts:
                return
            try:
                future = self.running.submit(self.do, self.job, parts)
            except (BrokenExecutor, RuntimeError, OSError) as error:
                raise JobError(f"the executor takes no tasks any more: {error}; resume later") from None
            self.flying[future] = _Task(parts, time.monotonic(), self.lease, alone=alone)

    def _next(self, alone: bool) -> list[int]:
        """Return the parts of the next task; none if there is nothing to be done beside what is under way."""
        if self.waiting:
            return self.waiting.popleft()
        if self.todo:
            return [self.todo.popleft() for _ in range(min(self._fitting(), len(self.todo)))]
        return [self.suspects.popleft()] if alone and self.suspects else []

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
            results = examine(future.result(), task.parts, self.read)
        except JobError:
            raise
        except BrokenExecutor as error:
            raise JobError(f"the executor is gone: {error}; resume later") from None
        except MemoryError as error:  # which may be that of others
            self._failed(task, f"{OUT_OF_MEMORY}: {error}", died=True)
            return
        except (Exception, CancelledError) as error:
            message = task.ended or f"{type(error).__name__}: {error}"
            self._failed(task, message, died=isinstance(error, TaskLost) and not task.hung)
            return
        for found in results:
            if self.files is not None:
                self.files.keep(found)
            self.ledger.add(found, self.solver)
            if found.part not in self.missing:
                continue
            self.missing.remove(found.part)
            self.done += 1
            self.seconds += found.seconds
            self.count += found.count
            self.squares += found.count**2

    def _failed(self, task: _Task, message: str, died: bool = False) -> None:
        """Try parts again, one by one: of several together nobody knows which it was."""
        parts = [part for part in task.parts if part in self.missing]
        if len(task.parts) > 1 or not parts:
            self.waiting.extend([part] for part in parts)
            return
        (part,) = parts
        if task.alone or not died:
            self.ledger.fail(part, message)
            self.failures[part] += 1
        if self.failures[part] >= FAILURES:
            self.poison.add(part)
        elif died:
            self.suspects.append(part)
        else:
            self.waiting.append([part])

    def _look_after_leases(self) -> None:
        now = time.monotonic()
        for future, task in list(self.flying.items()):
            if now - task.handed <= task.lease:
                continue
            task.handed = now
            if isinstance(self.running, Processes):
                self._look_after(self.running, future, task)
            elif self.hang < math.inf:
                future.cancel()
                del self.flying[future]
                self._failed(task, f"{STANDS_STILL} in {task.lease:g} s")
            else:  # whoever answers first counts, the other confirms
                task.lease *= 2  # it may be long: not every lease another worker is to begin it anew
                self.waiting.append(task.parts)

    def _look_after(self, processes: Processes, future: Future[Any], task: _Task) -> None:
        """End the process of a task that stands still, or has worked for too long."""
        if not future.running():
            return
        spent = processes.spent(future)
        task.began = min(task.began, spent)
        hung = spent - task.began > self.hang
        if processes.give_up(future, spent if hung else task.spent):
            task.ended = f"{STANDS_STILL} in {task.lease:g} s, or not in {self.hang:g} s of a processor"
            task.hung = hung
        else:
            task.spent = spent

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
