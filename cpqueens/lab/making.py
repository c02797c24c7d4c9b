"""Making runs: in this process or by an executor, round about over all that is evaluated."""

from __future__ import annotations

import functools
import pickle
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass, field, replace
from typing import Any

from cpqueens.answers.outcome import Status
from cpqueens.errors import CpqueensError, ModelError
from cpqueens.lab.contenders import Contender, RunLimits, machine
from cpqueens.lab.runfile import RunRecord
from cpqueens.longrun.pool import TaskLost
from cpqueens.longrun.splitting import JobError
from cpqueens.model import Model
from cpqueens.system.interrupts import Interrupt
from cpqueens.text.plaintext import one_line

_LOOK_EVERY = 0.1  # seconds between looks for signals
FIRST = 10
"""Runs of the first task."""
_TASK_SECONDS = 0.5  # what a task is to take: as long as a crash may cost, and progress may stand still
_MOST = 10_000  # runs of a task
_LONGEST = 30.0  # seconds in which a task of several runs must end: as long as it takes to see that one hangs


@dataclass(frozen=True)
class RunTask:
    """Runs that are asked for in one call; ``model`` is pickled where it goes to another process."""

    contender: Contender
    model: Model | bytes
    title: str
    seeds: tuple[int, ...]
    budget: RunLimits
    patience: float | None = None


def do(task: RunTask) -> list[RunRecord]:
    """Make the runs of a task."""
    model = _unpickled(task.model) if isinstance(task.model, bytes) else task.model
    return task.contender.make(model, task.title, task.seeds, task.budget)


@functools.lru_cache(maxsize=8)
def _unpickled(model: bytes) -> Model:
    found: Model = pickle.loads(model)
    return found


@dataclass
class Setting:
    """A heuristic on a problem: the seeds that are left, and how many are asked for next."""

    contender: Contender
    model: Model
    title: str
    todo: deque[int]
    size: int = 1
    lost: CpqueensError | None = None
    """Why the rest did not run, if it cannot."""
    cautious: bool = False
    """Whether a process died or hung: then every run is asked for alone."""
    _pickled: bytes = field(default=b"", repr=False)

    def task(self, budget: RunLimits, abroad: bool) -> RunTask:
        """Take the next seeds, for another process if ``abroad``."""
        number = min(self.size, len(self.todo))
        while number > 1 and (self.contender.patience(budget, number) or 0.0) > _LONGEST:
            number //= 2
        seeds = tuple(self.todo.popleft() for _ in range(number))
        total = self.contender.patience(budget, number)
        return RunTask(
            self.contender, self._sent() if abroad else self.model, self.title, seeds, budget, total
        )

    def _sent(self) -> bytes:
        if not self._pickled:
            try:
                self._pickled = pickle.dumps(self.model)
                pickle.dumps(self.contender)
            except (pickle.PicklingError, AttributeError, TypeError) as error:
                raise ModelError(
                    f"processes: {self.contender.name} on {self.title} cannot be sent to another process "
                    f"({one_line(str(error))}); a function must be one of a module, or FILE.py:FUNCTION"
                ) from None
        return self._pickled

    def learn(self, rows: Sequence[RunRecord]) -> None:
        """Choose how many runs the next task has."""
        if rows and not self.cautious:
            each = sum(row.wall_seconds for row in rows) / len(rows)
            self.size = max(1, min(_MOST, 10 * self.size, int(_TASK_SECONDS / max(each, 1e-9))))


@dataclass
class RunMaker:
    """Makes runs and hands each batch on; what the executor loses is a rejection."""

    settings: list[Setting]
    budget: RunLimits
    take: Callable[[list[RunRecord]], None]
    interrupt: Interrupt

    def here(self) -> None:
        """Make all runs in this process."""
        while (setting := self._next()) is not None:
            try:
                rows = do(setting.task(self.budget, abroad=False))
            except CpqueensError as error:
                self._refused(setting, error)
                continue
            setting.learn(rows)
            self.take(rows)

    def by(self, executor: Executor) -> None:
        """Have all runs made by an executor; a few tasks wait for each of its workers.

        Raises
        ------
        CpqueensError
            If nothing can be sent to it, or it broke.
        """
        window, under_way = 2 * int(getattr(executor, "_max_workers", 4)), dict[Future[Any], Any]()
        try:
            while True:
                while len(under_way) < window and (setting := self._next()) is not None:
                    task = setting.task(self.budget, abroad=True)
                    under_way[executor.submit(do, task)] = (setting, task)
                if not under_way or self.interrupt.poll():
                    return
                for future in wait(under_way, _LOOK_EVERY, FIRST_COMPLETED).done:
                    self._taken_in(future, *under_way.pop(future))
        except BrokenExecutor as error:
            raise CpqueensError(f"the executor broke: {one_line(str(error))}") from None
        finally:
            for future in under_way:
                future.cancel()

    def _next(self) -> Setting | None:
        """Return the next setting that has runs left, in turns, so that all see the same machine."""
        for _ in range(0 if self.interrupt.poll() else len(self.settings)):
            self.settings.append(self.settings.pop(0))
            if self.settings[-1].todo:
                return self.settings[-1]
        return None

    def _taken_in(self, future: Future[Any], setting: Setting, task: RunTask) -> None:
        try:
            rows = future.result()
        except TaskLost as error:
            self._died(setting, task, error)
        except (JobError, BrokenExecutor):  # a worker has other code, or there are none any more
            raise
        except CpqueensError as error:
            self._refused(setting, error)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise ModelError(f"processes: {setting.contender.name}: {one_line(str(error))}") from None
        except (Exception, CancelledError) as error:  # of a cluster that lost the worker, say
            self._died(setting, task, TaskLost("crashed", one_line(f"{type(error).__name__}: {error}", 200)))
        else:
            setting.learn(rows)
            self.take(rows)

    def _refused(self, setting: Setting, error: CpqueensError) -> None:
        """Book that a contender cannot run on a model; the evaluation goes on with the others."""
        setting.lost = error
        setting.todo.clear()

    def _died(self, setting: Setting, task: RunTask, error: TaskLost) -> None:
        """Book a run whose process died; of several, each is tried again alone."""
        if len(task.seeds) > 1:
            setting.todo.extendleft(reversed(task.seeds))
            setting.size, setting.cautious = 1, True
            return
        row = RunRecord(
            task.contender.name, task.title, task.seeds[0], Status.UNKNOWN, error.why, str(error),
            wall_seconds=task.patience or 0.0, machine=machine(),
        )  # fmt: skip
        self.take([row])


@dataclass
class Progress:
    """How far an evaluation is."""

    done: int
    of: int
    who: str
    began: float = field(default_factory=time.monotonic)
    first: int = 0

    @property
    def rate(self) -> float:
        """Runs a second so far, without those that were there."""
        return (self.done - self.first) / max(time.monotonic() - self.began, 1e-9)

    def __str__(self) -> str:
        left = f", {(self.of - self.done) / self.rate:.0f} s left" if self.rate > 0 else ""
        return f"{self.done:,} of {self.of:,} runs{left}, {self.rate:.3g} a second, {self.who}"

    def after(self, rows: Sequence[RunRecord]) -> Progress:
        """Return what is true after some more runs."""
        return replace(self, done=self.done + len(rows), who=rows[-1].heuristic if rows else self.who)
