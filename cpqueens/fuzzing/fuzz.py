"""Fuzzing: random tiny models on every backend against the exhaustive oracle."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from cpqueens import backends
from cpqueens.crosscheck import oracle
from cpqueens.crosscheck.codes import Code
from cpqueens.crosscheck.environment import versions
from cpqueens.crosscheck.participants import BackendParticipant, Participant, as_participants
from cpqueens.crosscheck.shrink import Budget, shrink, size
from cpqueens.errors import CpqueensError, ModelError
from cpqueens.fuzzing.examine import examine
from cpqueens.fuzzing.generate import random_model, usage
from cpqueens.fuzzing.subject import Subject
from cpqueens.language.describe import describe, describe_array
from cpqueens.model import Model
from cpqueens.system.interrupts import Interrupt, Interrupted, listening
from cpqueens.text.plaintext import shown

MOST_SOLUTIONS = 500
CLASSES = ("infeasible", "few", "many")
"""No solution; 1 to 20; 21 to 500. A third of the models each, as far as a few draws can bring it about."""
_DRAWS = 12
_HUGE_EVERY = 10
_SHRUNK_PER_KIND = 3

Progress = Callable[[int, int, int], None]
"""Called with the models done, the models in all and the failures so far."""


@dataclass(frozen=True)
class Failure:
    """One kind of failure: the first model that shows it, shrunk, and how often it was seen."""

    code: Code
    accused: str
    message: str
    index: int
    constraints: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    objective: str = ""
    size: tuple[int, int] = (0, 0)
    model: str = ""
    """The shrunk model's file."""
    seen: int = 1
    replay: str = ""

    @property
    def signature(self) -> tuple[str, str, str]:
        """What makes two failures one: code, accused and the kinds of the shrunk constraints."""
        kinds = sorted(text.partition("(")[0] for text in self.constraints)
        return str(self.code), self.accused, ",".join(kinds)


@dataclass(frozen=True)
class Examined:
    """What one model brought."""

    index: int
    kind: str  # one of CLASSES, or "more"
    usage: Mapping[tuple[str, str], int]
    answered: tuple[str, ...]
    failures: tuple[Failure, ...] = ()
    asked: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """How often (what, solver) was asked beyond the usual."""


@dataclass(frozen=True)
class FuzzReport:
    """All that a fuzzing run found."""

    seed: int
    models: int
    seconds: float
    solvers: tuple[str, ...]
    failures: tuple[Failure, ...]
    coverage: Mapping[tuple[str, str, str], int]
    """How often (kind, context, solver) was really exercised."""
    classes: Mapping[str, int]
    asked: Mapping[tuple[str, str], int]
    """How often (what, solver) was asked beyond the usual: resuming, hints, strategies, ..."""
    interrupted: bool = False
    """Whether a signal ended the run: the report is about the models done until then."""
    versions: Mapping[str, str] = field(default_factory=versions)
    schema: int = 1

    @property
    def exit_code(self) -> int:
        """That of the gravest failure; without one 130 if interrupted, else 0."""
        return min((f.code.exit_code for f in self.failures), default=130 if self.interrupted else 0)

    @property
    def rate(self) -> float:
        """Models an hour."""
        return 3600 * self.models / self.seconds if self.seconds else 0.0

    def __str__(self) -> str:
        from cpqueens.fuzzing.fuzztable import render

        return render(self)


def fuzz_model(seed: int, index: int) -> tuple[Model, str, oracle.Truth]:
    """Return the model with this number in the run with this seed, its class, and the truth about it."""
    wanted = CLASSES[index % len(CLASSES)]
    model, truth, kind = None, None, ""
    for draw in range(_DRAWS):
        candidate = random_model(Random(f"{seed}/{index}/{draw}"), huge=is_huge(index))
        found = oracle.solve(candidate)
        if found.count > MOST_SOLUTIONS and draw < _DRAWS - 1:
            continue
        model, truth, kind = candidate, found, class_of(found.count)
        if kind == wanted:
            break
    assert model is not None
    assert truth is not None
    return model, kind, truth


def is_huge(index: int) -> bool:
    """Say whether the model with this number has huge values."""
    return index % _HUGE_EVERY == _HUGE_EVERY - 1


def class_of(count: int) -> str:
    """Return the class of a model with so many solutions."""
    if count == 0:
        return "infeasible"
    return "few" if count <= 20 else "many" if count <= MOST_SOLUTIONS else "more"


def examine_one(
    seed: int, index: int, participants: Sequence[Participant], make: bool = True, deep: bool | None = None
) -> Examined:
    """Examine one model of a run and shrink what fails.

    Beyond the usual examinations a few of all others take turns; ``deep`` makes all of them, or none. Without
    ``make`` nothing is shrunk.

    Raises
    ------
    Interrupted
        If a signal came before all solvers had answered. Later, failures are merely shrunk no further.
    """
    model, kind, truth = fuzz_model(seed, index)
    subject = Subject(model, participants, seed=index, deep=deep, known=truth)
    with listening() as interrupt:
        found = interrupt.attempt(lambda: examine(subject))
        if found is None or interrupt.seen:
            raise Interrupted  # what a solver said that was told to stop is no evidence against it
    asked = dict(subject.asked)
    lost = {d.accused for d in found if d.code in (Code.UNSUPPORTED, Code.CRASH)}
    failures = tuple(_failure(subject, d, seed, index, make) for d in found)
    answered = tuple(p.name for p in subject.usual if p.name not in lost)
    return Examined(index, kind, dict(usage(model)), answered, failures, asked)


def _failure(subject: Subject, found: Any, seed: int, index: int, make: bool) -> Failure:
    from cpqueens.files.modelfile import dump_model

    model = subject.model
    if make:
        model = shrink(model, _same(subject, found.code, found.accused), Budget(tries=600, seconds=20))
    constraints = tuple(describe(model, p.constraint) for p in model.constraints)
    names = tuple(_variable(model, v) for v in model.decisions.tolist())
    goal = ""
    if model.objective is not None:
        goal = f"{'maximize' if model.maximizing else 'minimize'} {describe_array(model, model.objective)}"
    replay = replay_command(seed, index, [p.name for p in subject.participants])
    return Failure(
        found.code, found.accused, found.message, index, constraints, names, goal, size(model),
        dump_model(model), 1, replay,
    )  # fmt: skip


def replay_command(seed: int, index: int, solvers: Sequence[str]) -> str:
    """Return the command that examines one model of a run again."""
    return f"cpqueens fuzz --seed {seed} --only {index} --solvers {','.join(solvers)}"


def _variable(model: Model, v: int) -> str:
    if v in model.domains:
        return f"{model.name_of(v)} in {{{', '.join(map(str, model.domains[v].tolist()))}}}"
    return f"{model.name_of(v)} in {model.lower[v]}..{model.upper[v]}"


def _same(subject: Subject, code: Code, accused: str) -> Callable[[Model], bool]:
    def fails(model: Model) -> bool:
        return any((d.code, d.accused) == (code, accused) for d in examine(subject.about(model)))

    return fails


class Tally:
    """Puts the results of models together; failures of one kind are kept once."""

    def __init__(self) -> None:
        self.done = 0
        self.classes: Counter[str] = Counter()
        self.coverage: Counter[tuple[str, str, str]] = Counter()
        self.asked: Counter[tuple[str, str]] = Counter()
        self.failures: dict[tuple[str, str, str], Failure] = {}
        self.seen: Counter[tuple[str, str, str]] = Counter()
        self.shrunk: Counter[tuple[Code, str]] = Counter()

    def add(self, found: Examined) -> None:
        """Count one model."""
        self.done += 1
        self.classes[found.kind] += 1
        for (kind, context), times in found.usage.items():
            for solver in found.answered:
                self.coverage[kind, context, solver] += times
        for (what, solver), times in found.asked.items():
            self.asked[what, solver] += times
        for failure in found.failures:
            self.fail(failure)

    def fail(self, failure: Failure) -> None:
        """Count one failure."""
        self.shrunk[failure.code, failure.accused] += 1
        self.seen[failure.signature] += 1
        kept = self.failures.get(failure.signature)
        if kept is None or failure.size < kept.size:
            self.failures[failure.signature] = failure

    def report(self, seed: int, seconds: float, solvers: Sequence[str], interrupted: bool) -> FuzzReport:
        """Return the report of everything counted."""
        from dataclasses import replace

        kept = [replace(f, seen=self.seen[s]) for s, f in self.failures.items()]
        kept.sort(key=lambda f: (f.code.exit_code, f.accused, f.size))
        return FuzzReport(
            seed, self.done, seconds, tuple(solvers), tuple(kept), dict(self.coverage), dict(self.classes),
            dict(self.asked), interrupted,
        )  # fmt: skip


MOST_MODELS = 10**9
MOST_PROCESSES = 64
"""Each is an interpreter with all solvers loaded: hundreds would take the machine down."""


def fuzz(
    models: int = 2000,
    seed: int = 0,
    solvers: Sequence[Any] | str | None = None,
    *,
    processes: int = 2,
    only: int | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> FuzzReport:
    """Compare random tiny models on several solvers with an exhaustive oracle.

    Parameters
    ----------
    models
        How many.
    seed
        The same seed gives the same models.
    solvers
        As for `cross_check`; by default every installed backend. With ``processes`` they must be names.
    processes
        Child processes that work side by side and take crashes upon them; 0 works in this one.
    only
        Examine only the model with this number, in this process.
    seconds
        Begin no further models after this time.
    progress
        Called now and then with the numbers of models done and in all, and of failures.

    Returns
    -------
    FuzzReport
        Failures by kind, each shrunk, with the coverage of (kind, context, solver).

    Raises
    ------
    CpqueensError
        For an unknown solver, or a number that is not allowed.
    """
    for what, value, least, most in (
        ("models", models, 1, MOST_MODELS),
        ("processes", processes, 0, MOST_PROCESSES),
        ("seed", seed, 0, 2**62),
    ):
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ModelError(f"{what}: an integer from {least} to {most} is needed, got {shown(value)}")
    processes = min(processes, models)  # a child without a model would only be started and ended
    if solvers is None:
        solvers = backends.available()
    participants = as_participants(solvers)
    started = time.monotonic()
    tally = Tally()
    names = [p.name for p in participants]
    alone = only is not None or processes == 0
    if not alone and not all(isinstance(s, str) for s in solvers):
        raise ModelError("solvers: child processes know solvers by name only; use processes=0")
    for participant in participants:
        named = participant.solver if isinstance(participant, BackendParticipant) else "auto"
        if isinstance(named, str) and named != "auto":
            backends.split_name(named)  # a wrong name is refused here, not in every child
    with listening() as interrupt:
        try:
            if alone:
                indices = range(models) if only is None else range(only, only + 1)
                _in_this_process(seed, indices, participants, tally, seconds, progress, interrupt)
            else:
                from cpqueens.fuzzing.fuzzworkers import in_child_processes

                in_child_processes(seed, models, names, processes, tally, seconds, progress, interrupt)
        except KeyboardInterrupt:  # the second: hours of work may be done, which are reported all the same
            interrupt.note()
    return tally.report(seed, time.monotonic() - started, names, interrupt.seen)


def _in_this_process(
    seed: int,
    indices: Sequence[int],
    participants: Sequence[Participant],
    tally: Tally,
    seconds: float | None,
    progress: Progress | None,
    interrupt: Interrupt,
) -> None:
    started = time.monotonic()
    for index in interrupt.until_seen(indices):
        if seconds is not None and time.monotonic() - started > seconds:
            break
        found = interrupt.attempt(lambda index=index: examine_one(seed, index, participants))  # type: ignore[misc]
        if found is None:
            break
        tally.add(found)
        if progress is not None:
            progress(tally.done, len(indices), sum(tally.seen.values()))


def assert_agree(model: Model, solvers: Sequence[Any] | str | None = None, **options: Any) -> None:
    """Assert that all solvers agree on a model, for tests; options are those of `cross_check`.

    Raises
    ------
    AssertionError
        With the whole report, if anything disagrees or nothing was complete.
    """
    from cpqueens.crosscheck.crosscheck import cross_check

    report = cross_check(model, solvers, **options)
    if not report.agree or not any(s.complete for s in report.solvers):
        raise AssertionError(f"\n{report}")


__all__ = ["CpqueensError", "Failure", "FuzzReport", "assert_agree", "fuzz", "fuzz_model"]
