"""Who is evaluated: a solver with options, a function or a command; each makes runs for given seeds."""

import contextlib
import functools
import inspect
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cpqueens.answers.check import Checker
from cpqueens.answers.outcome import Status, StopReason
from cpqueens.answers.runs import Runs
from cpqueens.backends.base import Clock, Want
from cpqueens.backends.named import labelled
from cpqueens.crosscheck.external import DEFAULT_LIMIT, External
from cpqueens.crosscheck.heuristic import Attempt, Heuristic, judge
from cpqueens.errors import BackendFault, CpqueensError, ModelError
from cpqueens.kernels.jit import tiers
from cpqueens.lab.runfile import RunRecord
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import LARGEST_VARIABLES
from cpqueens.model import Model
from cpqueens.problems.catalog import find
from cpqueens.solving.collect import Callbacks
from cpqueens.solving.request import build_request, choose
from cpqueens.system.interrupts import Interrupt, listening
from cpqueens.system.platforms import children_seconds
from cpqueens.text.plaintext import first_repeated, one_line, shown, text_of


@dataclass(frozen=True)
class RunLimits:
    """The limits of each run.

    Attributes
    ----------
    time_limit, step_limit
        Seconds of wall time, and steps as the solver counts them; None without.
    """

    time_limit: float | None = None
    step_limit: int | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The limits as options of a solver."""
        return {k: v for k, v in vars(self).items() if v is not None}


def machine() -> str:
    """Return what the times of runs depend on, in a line."""
    return f"{platform.node()} ({platform.machine()}, Python {platform.python_version()})"


@contextlib.contextmanager
def processor_time() -> Iterator[Callable[[], float]]:
    """Measure processor seconds of this process and of children that ended within the block."""

    def now() -> float:
        return time.process_time() + children_seconds()

    began = now()
    yield lambda: now() - began


# ---- solvers ------------------------------------------------------------------------------------------


_SHORT = 0.01
"""Seconds of a run that is to load what it needs."""


@dataclass(frozen=True)
class SolverContender:
    """A backend or strategy by name (or as an object), with options: many seeds are one call.

    A contender can be sent to other processes. Its ``identity`` is what its runs depend on, so that runs of
    another one are told from its own; ``patience`` are the seconds after which so many runs hang.
    """

    name: str
    solver: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    together = True

    @property
    def identity(self) -> str:
        """Its name with all options, and the class of one that is an object."""
        kind = self.solver if isinstance(self.solver, str) else type(self.solver).__qualname__
        return f"{kind} {dict(sorted(self.options.items()))}"

    def patience(self, budget: RunLimits, runs: int) -> None:
        """Solvers keep to their limits."""

    def prepare(self, model: Model, budget: RunLimits) -> None:
        """Refuse an unknown solver, or an option that it has not."""
        want = Want.ONE if model.objective is None else Want.BEST
        _, backend, strategy = choose(model, self.solver, want)
        options = {**budget.options, **self.options}
        build_request(Checker.of(model), backend, strategy, want, Clock(None), Interrupt(), options)

    def make(self, model: Model, title: str, seeds: Sequence[int], budget: RunLimits) -> list[RunRecord]:
        """Make the runs in one call, one by one where some of them delivered what is no solution."""
        theirs = Callbacks()
        options = theirs.watched_in({**budget.options, **self.options})
        with tiers.compiled():
            self._warm_up(model, options, seeds)
            with processor_time() as used:
                try:
                    made = model.runs(self.solver, seeds, **options)
                except Exception as error:
                    if error is theirs.raised:
                        raise
                    if isinstance(error, CpqueensError) and not isinstance(error, BackendFault):
                        raise  # it cannot be asked at all
                    if len(seeds) == 1:
                        return [self._rejected(title, seeds[0], error)]
                    return [row for s in seeds for row in self.make(model, title, [s], budget)]
                seconds = used()
        # whether one call of one thread has made all runs
        lot = model.objective is None and hasattr(choose(model, self.solver, Want.ONE)[1], "run_many")
        return list(_rows(made, self.name, title, Checker.of(model), seconds, lot))

    def _warm_up(self, model: Model, options: Mapping[str, Any], seeds: Sequence[int]) -> None:
        """Make a run of one step that counts nowhere.

        Loading kernels and libraries, and what is made of a model once, is no single run's business. One run
        of a large model, of which little is kept, makes all of it anew: there is nothing to warm for it.
        """
        if isinstance(self.solver, str) and (len(seeds) > 1 or len(model.decisions) <= LARGEST_VARIABLES):
            model.kept(("warm", self.identity), lambda: self._one_step(model, options, seeds[0]))

    def _one_step(self, model: Model, options: Mapping[str, Any], seed: int) -> None:
        for least in ({"step_limit": 1}, {"time_limit": _SHORT}):  # not every solver counts steps
            with contextlib.suppress(Exception):  # what is wrong will happen again, and be told
                model.runs(self.solver, [seed], **{**options, **least})
                return

    def _rejected(self, title: str, seed: int, error: Exception) -> RunRecord:
        why = "invalid" if isinstance(error, BackendFault) else "raised"
        message = f"{type(error).__name__}: {one_line(text_of(error))}"
        return RunRecord(self.name, title, seed, Status.UNKNOWN, why, message, machine=machine())


def _rows(
    made: Runs, name: str, title: str, checker: Checker, seconds: float, together: bool
) -> Iterator[RunRecord]:
    """Yield the runs that were made in one call; they share out its processor time as they do its time.

    Of very short runs most of the call's time is none of theirs: it reads what is asked, and checks what they
    found. Where solvers have threads, processor time is the longer one.
    """
    total = float(made.seconds.sum())
    rate = seconds / total if total > 0 else 0.0
    if together:
        rate = min(rate, 1.0)
    objectives = _objectives(checker, made.matrix[made.solved])
    counted = made.statistics
    further = [item for item in counted.items() if item[0] not in _COLUMNS and item[1].ndim == 1]
    for k in range(len(made)):
        solved = bool(made.solved[k])
        yield RunRecord(
            name, title, int(made.seeds[k]), str(made.status[k]), str(made.stop_reason[k]),
            steps=int(made.steps[k]),
            evaluations=_count(counted, "evaluations", k),
            restarts=_restarts(counted, k),
            processor_seconds=float(made.seconds[k]) * rate,
            wall_seconds=float(made.seconds[k]),
            objective=next(objectives) if solved else None,
            solution=tuple(made.matrix[k].tolist()) if solved else None,
            machine=machine(),
            incumbents=made.incumbents[k] if made.incumbents else None,
            counts={name: int(values[k]) for name, values in further},
        )  # fmt: skip


_COLUMNS = ("evaluations", "restarts", "trajectory")
"""Counts that have a column of their own, or measure nothing."""


def _count(counted: Mapping[str, IntArray], name: str, k: int) -> int | None:
    return int(counted[name][k]) if name in counted else None


def _restarts(counted: Mapping[str, IntArray], k: int) -> int | None:
    attempts = _count(counted, "attempts", k)  # of Las Vegas search: each but the first is a restart
    return _count(counted, "restarts", k) if attempts is None else max(0, attempts - 1)


def _objectives(checker: Checker, rows: IntArray) -> Iterator[int | None]:
    if checker.model.objective is None:
        return iter([None] * len(rows))
    return iter(checker.objectives(rows)[:, 0].tolist())


# ---- functions and commands ---------------------------------------------------------------------------


@dataclass(frozen=True)
class AttemptContender:
    """A function or a command that answers for one seed at a time; every answer is judged."""

    inner: Heuristic | External
    name: str
    together = False

    @property
    def identity(self) -> str:
        """Its name and what it runs, with the content of the files that this names."""
        if isinstance(self.inner, External):
            argv = list(self.inner.argv)
            return f"{argv} {_digest(*(Path(part) for part in argv))}"
        function = inspect.unwrap(getattr(self.inner.function, "made_by", self.inner.function))
        try:
            source = inspect.getsourcefile(function)
        except TypeError:
            source = None
        return f"{self.name} {_digest(Path(source)) if source else ''}"

    def patience(self, budget: RunLimits, runs: int) -> float | None:
        """Return the limits with what `Heuristic` and `External` allow beyond it, and time to begin."""
        limit = budget.time_limit
        if isinstance(self.inner, External):
            limit = DEFAULT_LIMIT if limit is None else limit
        return None if limit is None else 1.1 * limit * runs + _BEGINNING

    def prepare(self, model: Model, budget: RunLimits) -> None:
        """Refuse a limit that it is not told."""
        if budget.step_limit is not None:
            raise ModelError(f"step_limit: {self.name} receives only a time limit")

    def make(self, model: Model, title: str, seeds: Sequence[int], budget: RunLimits) -> list[RunRecord]:
        """Make a run for each seed."""
        rows = []
        with listening() as interrupt:
            for seed in interrupt.until_seen(seeds):
                run = functools.partial(self.inner.attempt, model, seed, budget.time_limit)
                began = time.monotonic()
                with processor_time() as used:
                    made = interrupt.attempt(run)
                    seconds = used()
                broken_off = Attempt(seed, time.monotonic() - began, rejection=StopReason.INTERRUPTED)
                rows.append(self._judged(model, title, made or broken_off, seconds, interrupt.seen))
        return rows

    def _judged(
        self, model: Model, title: str, attempt: Attempt, seconds: float, interrupted: bool
    ) -> RunRecord:
        """Return what an attempt is worth; what fails after a signal does so because of it."""
        checker = Checker.of(model)
        row, why, message = judge(model, checker, attempt)
        if row is None and interrupted:
            why, message = StopReason.INTERRUPTED, ""
        found = row is not None
        value = None if row is None else next(_objectives(checker, row[None, :]))
        return RunRecord(
            self.name, title, attempt.seed,
            Status.FEASIBLE if found else Status.UNKNOWN,
            StopReason.SOLUTION_LIMIT if found else why, message,
            steps=attempt.steps,
            processor_seconds=seconds,
            wall_seconds=attempt.seconds,
            objective=value,
            solution=None if row is None else tuple(row.tolist()),
            machine=machine(),
            incumbents=None if value is None else ((attempt.seconds, value),),
        )  # fmt: skip


Contender = SolverContender | AttemptContender
"""Who is evaluated."""
_BEGINNING = 5.0
"""Seconds that reading a model, a file or a program may take beyond the limit of a run."""


def _digest(*paths: Path) -> str:
    """Return a digest of the files among some paths."""
    import hashlib

    found = hashlib.sha256()
    for path in paths:
        if path.is_file():
            found.update(path.read_bytes())
    return found.hexdigest()[:16]


@dataclass(frozen=True)
class FileFunction:
    """The function that ``FILE.py:FUNCTION`` names, which is read anew in each process.

    Raises
    ------
    ModelError
        When it is called or looked at: if there is none.
    """

    reference: str

    @property
    def made_by(self) -> Callable[..., Any]:
        """The function itself."""
        return _function(self.reference)

    @property
    def __name__(self) -> str:  # what the report calls it
        return self.made_by.__name__

    def __call__(self, model: Model, seed: int, time_limit: float | None) -> Any:
        """Run it."""
        return self.made_by(model, seed, time_limit)


@functools.cache
def _function(reference: str) -> Callable[..., Any]:
    return find(reference).function


def as_contender(given: Any, label: str | None = None) -> Contender:
    """Return what a user gives as a heuristic.

    Raises
    ------
    ModelError
        If it is none.
    """
    if isinstance(given, str) and ".py:" in given:
        given = FileFunction(given)
        given.made_by  # noqa: B018 - a file without this function is refused here
    if isinstance(given, str):
        return SolverContender(label or given, given)
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], Mapping):
        solver, options = given
        return SolverContender(label or labelled(solver, options), solver, dict(options))
    if isinstance(given, External):
        return AttemptContender(given, label or given.name)
    if hasattr(given, "run") and hasattr(given, "proves"):
        return SolverContender(label or given.name, given)
    if callable(given):
        inner = Heuristic(given, label)
        return AttemptContender(inner, inner.name)
    raise ModelError(
        "heuristic: a strategy's name, (name, {option: value}), a function f(model, seed, time_limit), "
        f"FILE.py:FUNCTION or an External command is needed, got {shown(given, 60)}"
    )


def as_contenders(given: Any) -> list[Contender]:
    """Return one or several heuristics, each with a name of its own.

    Parameters
    ----------
    given
        One, a list, or ``{name: heuristic}``.

    Raises
    ------
    ModelError
        If one is none, there is none, or two have one name.
    """
    if isinstance(given, Mapping):
        found = [as_contender(value, str(name)) for name, value in given.items()]
    else:
        found = [as_contender(one) for one in (given if isinstance(given, list) else [given])]
    twice = first_repeated(contender.name for contender in found)
    if twice is not None:
        raise ModelError(f"heuristic: {shown(twice)} twice; write {{name: heuristic}}")
    if not found:
        raise ModelError("heuristic: at least one is needed")
    return found
