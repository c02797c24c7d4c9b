"""Executors for tests of long runs: at once, twice, failing, lying."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cpqueens.cli.main import main
from cpqueens.longrun import splitting
from cpqueens.longrun.ledger import Ledger
from cpqueens.longrun.splitting import LongJob
from cpqueens.longrun.work import Counted, residues
from cpqueens.model import Model


def counted(part: int, count: int) -> Counted:
    return Counted(part, count, residues(count), 0.5, "here")


def job_of(model: Model, parts: int = 50, solver: str = "backtracking") -> LongJob:
    return splitting.job_of("count", model.name, model, solver, parts)[0]


def found_in(path: Path) -> Any:
    with closing(Ledger.open(path)) as ledger:
        return ledger.totals()


def run(*arguments: str) -> int:
    """Run the command line in this process; return its exit code."""
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    return int(left.value.code or 0)


class Here(Executor):
    """Does every task at once, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(self.call(fn, *args))
        except Exception as error:
            future.set_exception(error)
        return future

    def call(self, fn: Callable[..., Any], *args: Any) -> Any:
        return fn(*args)


class Stopping(Here):
    """Takes no more tasks after some."""

    def __init__(self, tasks: int) -> None:
        self.tasks = tasks

    def call(self, fn: Callable[..., Any], *args: Any) -> Any:
        self.tasks -= 1
        if self.tasks == -1:
            signal.raise_signal(signal.SIGINT)
        return fn(*args)


class Twice(Here):
    """Delivers every result two times, as at-least-once executors may."""

    def call(self, fn: Callable[..., Any], *args: Any) -> Any:
        return [*fn(*args), *fn(*args)]


class Poisoned(Here):
    """Fails whenever one part is among the task's."""

    def call(self, fn: Callable[..., Any], *args: Any) -> Any:
        if 3 in args[1]:
            raise RuntimeError("it eats all memory")
        return fn(*args)


class Lying(Here):
    """Miscounts one part, now and then."""

    def __init__(self) -> None:
        self.calls = 0

    def call(self, fn: Callable[..., Any], *args: Any) -> Any:
        self.calls += 1
        results = [*fn(*args), *fn(*args)]
        return (
            [counted(r.part, r.count + (k == 0)) for k, r in enumerate(results)]
            if self.calls == 2
            else results
        )


class Slow(Here):
    """Takes its time, over any limit of a hundredth of a second."""

    def call(self, fn: Callable[..., Any], *args: Any) -> Any:
        time.sleep(0.02)
        return fn(*args)
