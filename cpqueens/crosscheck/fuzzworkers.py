"""Child processes for fuzzing: a crash, a hang or a full memory costs one model, not the run."""

from __future__ import annotations

import contextlib
import multiprocessing
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from cpqueens.crosscheck.codes import Code
from cpqueens.crosscheck.fuzz import Examined, Failure, examine_one, replay_command
from cpqueens.crosscheck.participants import as_participants

if TYPE_CHECKING:
    from cpqueens.crosscheck.fuzz import Progress, Tally

BATCH = 25
HANG = 120.0
"""Seconds after which one model is given up (compilation of kernels in a fresh process included)."""
MEMORY = 6 * 2**30
RECYCLED = 20_000
"""Models after which a process is replaced, so that a slow leak in a library does not matter."""


def work(connection: Connection, seed: int, solvers: Sequence[str]) -> None:
    """Examine the batches that come in; runs in a child process until the parent has no more."""
    _limit_memory()
    with contextlib.suppress(EOFError, ConnectionError, KeyboardInterrupt):  # the parent has gone
        _work(connection, seed, solvers)


def _work(connection: Connection, seed: int, solvers: Sequence[str]) -> None:
    participants = as_participants(solvers)
    shrunk: dict[tuple[str, str], int] = {}
    while True:
        batch = connection.recv()
        if batch is None:
            return
        for index in batch:
            connection.send(("begin", index))
            # the first failures of a kind are shrunk, later ones only counted
            found = examine_one(seed, index, participants, make=sum(shrunk.values()) < 40)
            for failure in found.failures:
                key = (str(failure.code), failure.accused)
                shrunk[key] = shrunk.get(key, 0) + 1
            connection.send(("done", found))
        connection.send(("ready", None))


def _limit_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        return  # no such limit on this system: memory is then the system's business


@dataclass
class Child:
    """One child process and what it is at."""

    process: Any
    connection: Connection
    batch: deque[int] = field(default_factory=deque)
    current: int | None = None
    since: float = field(default_factory=time.monotonic)
    done: int = 0


def in_child_processes(
    seed: int,
    models: int,
    solvers: Sequence[str],
    processes: int,
    tally: Tally,
    seconds: float | None,
    progress: Progress | None,
) -> None:
    """Distribute the models over child processes and count what comes back."""
    started = time.monotonic()
    todo = deque(range(models))
    children = [_start(seed, solvers) for _ in range(processes)]
    try:
        for child in children:
            _feed(child, todo)
        while todo or any(child.batch for child in children):
            ready = wait([child.connection for child in children], timeout=1.0)
            if seconds is not None and time.monotonic() - started > seconds:
                todo.clear()
            for k, child in enumerate(children):
                if child.connection in ready:
                    alive = _receive(child, todo, tally)
                else:
                    alive = time.monotonic() - child.since < HANG or child.current is None
                if not alive or child.done >= RECYCLED:
                    hung = not alive and child.connection not in ready
                    children[k] = _replace(child, hung, seed, solvers, todo, tally)
            if progress is not None:
                progress(tally.done, models, sum(tally.seen.values()))
    finally:
        for child in children:
            _stop(child)


def _start(seed: int, solvers: Sequence[str]) -> Child:
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs, seed, list(solvers)), daemon=True)
    process.start()
    theirs.close()
    return Child(process, mine)


def _feed(child: Child, todo: deque[int]) -> None:
    batch = [todo.popleft() for _ in range(min(BATCH, len(todo)))]
    child.batch.extend(batch)
    child.since = time.monotonic()
    if batch:
        child.connection.send(batch)


def _receive(child: Child, todo: deque[int], tally: Tally) -> bool:
    """Take in what a child says; False if it died."""
    try:
        while child.connection.poll():
            kind, value = child.connection.recv()
            child.since = time.monotonic()
            if kind == "begin":
                child.current = value
            elif kind == "done":
                found: Examined = value
                tally.add(found)
                child.batch.popleft()
                child.current = None
                child.done += 1
            else:
                _feed(child, todo)
    except (EOFError, ConnectionError):
        return False
    return True


def _replace(
    child: Child, hung: bool, seed: int, solvers: Sequence[str], todo: deque[int], tally: Tally
) -> Child:
    """End a child, book what it died of, and let another go on behind that model."""
    if not hung:
        child.process.join(1)  # it closed its end: let it die, so that its exit code is its own
    _stop(child)
    if child.current is not None:
        tally.fail(_death(child, hung, seed, solvers))
        child.batch.popleft()
    elif child.batch and child.done == 0:
        code = child.process.exitcode
        raise RuntimeError(f"a child process died before its first model (exit code {code})")
    todo.extendleft(reversed(child.batch))
    new = _start(seed, solvers)
    _feed(new, todo)
    return new


def _death(child: Child, hung: bool, seed: int, solvers: Sequence[str]) -> Failure:
    code, index = child.process.exitcode, child.current
    assert index is not None
    message = f"no answer for {HANG:.0f} s" if hung else f"the process died with exit code {code}"
    replay = replay_command(seed, index, solvers)
    return Failure(Code.HANG if hung else Code.CRASH, "process", message, index, replay=replay)


def _stop(child: Child) -> None:
    child.connection.close()
    if child.process.is_alive():
        child.process.terminate()
        child.process.join(2)
    if child.process.is_alive():
        child.process.kill()
    child.process.join()
