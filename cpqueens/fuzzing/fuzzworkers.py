"""Child processes for fuzzing: a crash, a hang or a full memory costs one model, not the run."""

import contextlib
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait

from cpqueens.crosscheck.findings import Code
from cpqueens.crosscheck.participants import as_participants
from cpqueens.fuzzing.findings import BLOCK, Failure, FuzzTally, Progress, examine_one, replay_command
from cpqueens.system.children import Patience, Worker
from cpqueens.system.interrupts import Interrupt

_LOOK_EVERY = 0.2  # seconds between looks for signals and silence
HANG = 120.0
"""Seconds of a processor after which one model is given up (compilation of kernels included)."""
MEMORY = 6 * 2**30
RECYCLED = 20_000
"""Models after which a process is replaced, so that a slow leak in a library does not matter."""


def work(connection: Connection, seed: int, solvers: Sequence[str]) -> None:
    """Examine the batches that come in; runs in a child process, which ends when the parent has no more."""
    participants = as_participants(solvers)
    shrunk = 0
    while True:
        batch = connection.recv()
        for index in batch:
            connection.send(("begin", index))
            # the first failures of a kind are shrunk, later ones only counted
            found = examine_one(seed, index, participants, make=shrunk < 40)
            shrunk += len(found.failures)
            connection.send(("done", found))
        connection.send(("ready", None))


@dataclass
class Child:
    """One child process and what it is at."""

    worker: Worker
    patience: Patience
    batch: deque[int] = field(default_factory=deque)
    current: int | None = None
    done: int = 0


def in_child_processes(
    seed: int,
    models: int,
    solvers: Sequence[str],
    processes: int,
    tally: FuzzTally,
    seconds: float | None,
    progress: Progress | None,
    interrupt: Interrupt,
) -> None:
    """Distribute the models over child processes and count what comes back.

    A model on which a child fell silent is tried again at the end, alone, before anybody is accused.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    pool = Pool(seed, solvers, tally, lambda: progress and progress(tally.done, models, tally.seen.total()))
    pool.run(deque(range(models)), processes, deadline, interrupt)
    pool.alone = True
    pool.run(deque(pool.suspects), 1, None, interrupt)


class Pool:
    """Child processes that examine models of one run."""

    def __init__(
        self, seed: int, solvers: Sequence[str], tally: FuzzTally, note: Callable[[], object]
    ) -> None:
        self.seed, self.solvers, self.tally, self.note = seed, list(solvers), tally, note
        self.todo: deque[int] = deque()
        self.suspects: list[int] = []
        self.alone = False
        """Whether each model is tried for the second time, by one child."""

    def run(self, todo: deque[int], processes: int, deadline: float | None, interrupt: Interrupt) -> None:
        """Examine all models of ``todo``, or until the deadline has passed or a signal came."""
        self.todo = todo
        children = [self._start() for _ in range(processes if todo else 0)]
        try:
            for child in children:
                self._feed(child)
            while (self.todo or any(child.batch for child in children)) and not interrupt.poll():
                ready = wait([child.worker.connection for child in children], timeout=_LOOK_EVERY)
                if deadline is not None and time.monotonic() > deadline:
                    self.todo.clear()
                for k, child in enumerate(children):
                    children[k] = self._looked_after(child, child.worker.connection in ready)
                self.note()
        finally:
            for child in children:
                child.worker.end()

    def _start(self) -> Child:
        worker = Worker("cpqueens.fuzzing.fuzzworkers:work", (self.seed, self.solvers), MEMORY)
        return Child(worker, Patience(HANG, worker.pid))

    def _feed(self, child: Child) -> None:
        batch = [self.todo.popleft() for _ in range(min(BLOCK, len(self.todo)))]
        child.batch.extend(batch)
        child.patience.begin()
        if batch:
            with contextlib.suppress(ConnectionError):  # it died: that is seen when it is listened to
                child.worker.connection.send(batch)

    def _looked_after(self, child: Child, speaks: bool) -> Child:
        """Return the child, or another in its place if it died, hangs, or has done enough."""
        if speaks:
            alive = self._receive(child)
            return child if alive and child.done < RECYCLED else self._replaced(child, hung=False)
        hung = child.current is not None and child.patience.is_over()
        return self._replaced(child, hung=True) if hung else child

    def _receive(self, child: Child) -> bool:
        """Take in what a child says; False if it died."""
        try:
            while child.worker.connection.poll():
                kind, value = child.worker.connection.recv()
                child.patience.begin()
                if kind == "begin":
                    child.current = value
                elif kind == "done":
                    self.tally.add(value)
                    child.batch.popleft()
                    child.current = None
                    child.done += 1
                else:
                    self._feed(child)
        except (EOFError, ConnectionError):
            return False
        return True

    def _replaced(self, child: Child, hung: bool) -> Child:
        """End a child, book what it died of, and let another go on behind that model."""
        code = child.worker.end(0.0 if hung else 1.0)  # who closed its end may die of what it dies of
        if child.current is not None:
            child.batch.popleft()
            if hung and not self.alone:
                self.suspects.append(child.current)
            else:
                self.tally.fail(self._death(child.current, hung, code))
        elif child.batch and child.done == 0:
            raise RuntimeError(f"a child process died before its first model (exit code {code})")
        self.todo.extendleft(reversed(child.batch))
        new = self._start()
        self._feed(new)
        return new

    def _death(self, index: int, hung: bool, code: int | None) -> Failure:
        message = f"the process died with exit code {code}"
        if hung:
            message = f"no answer for {HANG:.0f} s, also when tried again alone"
        replay = replay_command(self.seed, index, self.solvers)
        return Failure(Code.HANG if hung else Code.CRASH, "process", message, index, replay=replay)
