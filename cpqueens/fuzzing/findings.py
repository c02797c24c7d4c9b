"""One model of a fuzzing run: drawing it, examining it, shrinking what fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from random import Random
from typing import Any

from cpqueens.backends.clock import by_processor
from cpqueens.crosscheck import as_written, oracle
from cpqueens.crosscheck.findings import Code
from cpqueens.crosscheck.observe import Participant
from cpqueens.crosscheck.shrink import Budget, shrink, size
from cpqueens.files.modelfile import dump_model
from cpqueens.fuzzing.examine import examine
from cpqueens.fuzzing.generate import usage, written_model
from cpqueens.fuzzing.subject import Subject
from cpqueens.fuzzing.written import Script
from cpqueens.language.wording import describe, describe_array
from cpqueens.model import Model
from cpqueens.system.interrupts import Interrupted, listening
from cpqueens.system.requirements import versions
from cpqueens.text.plaintext import counted

# ---- drawing: a third without solutions, a third with few, a third with many -----------------------------

MOST_SOLUTIONS = 500

CLASSES = ("infeasible", "few", "many")
"""No solution; 1 to 20; 21 to 500. A third of the models each, as far as some draws can bring it about."""

BLOCK = 30
"""Models that are drawn together: what one place does not ask for, another one may."""

_HUGE_EVERY = 10
_DRAWS = 12
"""Draws per model after which a class that hardly ever comes about is no longer asked for."""


_OPTIONS: tuple[dict[str, Any], ...] = ({"cancelling": True}, {}, {"holed": True, "constraints": 1})
"""Of usual models, which take turns."""

Drawn = tuple[Model, str, oracle.Solved, Script | None]
"""A model, its class, the truth about it, and what was said to it."""


def fuzz_model(seed: int, index: int) -> Drawn:
    """Return the model with this number in the run with this seed: the same whatever was asked before."""
    return _quota(seed, index // BLOCK, is_huge(index)).at(index)


def is_huge(index: int) -> bool:
    """Say whether the model with this number has huge values."""
    return index % _HUGE_EVERY == _HUGE_EVERY - 1


def class_of(count: int) -> str:
    """Return the class of a model with so many solutions, "more" beyond all."""
    if count == 0:
        return "infeasible"
    return "few" if count <= 20 else "many" if count <= MOST_SOLUTIONS else "more"


class Quota:
    """Places for models with neighbouring numbers; each draw goes to the first that asks for its class."""

    def __init__(self, seed: int, number: int, huge: bool) -> None:
        numbers = range(number * BLOCK, (number + 1) * BLOCK)
        self._open = {index: CLASSES[index % len(CLASSES)] for index in numbers if is_huge(index) == huge}
        self._filled: dict[int, Drawn] = {}
        self._name, self._huge = f"{seed}/{number}/{'huge' if huge else 'usual'}", huge
        self.draws, self._patience = 0, _DRAWS * len(self._open)

    def at(self, index: int) -> Drawn:
        """Return the model with this number, after as many draws as it takes."""
        while index not in self._filled:
            self._draw()
        return self._filled[index]

    def _draw(self) -> None:
        random = Random(f"{self._name}/{self.draws}")
        self.draws += 1
        options = {"huge": True} if self._huge else _OPTIONS[self.draws % len(_OPTIONS)]
        model, script = written_model(random, soft=True, **options)
        truth = oracle.solve(model) if script is None else as_written.solve(model, script)
        kind = class_of(truth.count)
        anything = self.draws > self._patience and kind in CLASSES
        place = next((index for index, wanted in self._open.items() if anything or wanted == kind), None)
        if place is not None:
            del self._open[place]
            self._filled[place] = model, kind, truth, script


_quota = lru_cache(maxsize=4)(Quota)


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
    kind: str  # one of drawing.CLASSES
    usage: Mapping[tuple[str, str], int]
    answered: tuple[str, ...]
    failures: tuple[Failure, ...] = ()
    asked: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """How often (what, solver) was asked beyond the usual."""


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
    model, kind, truth, script = fuzz_model(seed, index)
    subject = Subject(model, participants, seed=index, deep=deep, known=truth, script=script)
    with listening() as interrupt:
        with by_processor():  # no limit here is a user's
            found = interrupt.attempt(lambda: examine(subject))
        if found is None or interrupt.seen:
            raise Interrupted  # what a solver said that was told to stop is no evidence against it
    asked = dict(subject.asked)
    lost = {d.accused for d in found if d.code in (Code.UNSUPPORTED, Code.CRASH)}
    failures = tuple(_failure(subject, d, seed, index, make) for d in found)
    answered = tuple(p.name for p in subject.usual if p.name not in lost)
    return Examined(index, kind, dict(usage(model)), answered, failures, asked)


def _failure(subject: Subject, found: Any, seed: int, index: int, make: bool) -> Failure:
    model = subject.model
    if make:

        def fails(smaller: Model) -> bool:
            found_there = examine(subject.about(smaller))
            return any((d.code, d.accused) == (found.code, found.accused) for d in found_there)

        model = shrink(model, fails, Budget(tries=600, seconds=20))
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
        return f"{model.label_of(v)} in {{{', '.join(map(str, model.domains[v].tolist()))}}}"
    return f"{model.label_of(v)} in {model.lower[v]}..{model.upper[v]}"


# ---- what the models of a run brought: the report, and the tally that it is made of ----------------------

CONTEXTS = ("plain", "reified", "negated", "soft", "defined", "scaled", "constant")


def render(report: FuzzReport) -> str:
    """Return the report as text: classes, coverage, failures."""
    shares = ", ".join(f"{n} {name}" for name, n in sorted(report.classes.items()))
    lines = [
        f"{report.models} models ({shares}), seed {report.seed}, {report.seconds:.1f} s, "
        f"{report.rate:,.0f} models an hour{', interrupted' if report.interrupted else ''}",
        f"solvers: {', '.join(report.solvers)}",
        "",
        *coverage_lines(report.coverage, report.solvers),
        "",
        *asked_lines(report.asked),
        "",
    ]
    for failure in report.failures:
        lines += failure_lines(failure)
    nothing = "no disagreement" if report.models else "nothing was examined"
    lines.append(f"{counted(len(report.failures), 'kind')} of disagreement" if report.failures else nothing)
    return "\n".join(lines)


def coverage_lines(coverage: Mapping[tuple[str, str, str], int], solvers: tuple[str, ...]) -> list[str]:
    """Return a table of how often each (kind, context) ran on the solver that ran it least."""
    pairs = {(kind, context) for kind, context, _ in coverage}
    kinds = sorted({kind for kind, _ in pairs}, key=lambda k: ((k, "defined") in pairs, k))
    width = max(map(len, kinds), default=4)
    lines = ["fewest hits on any solver".ljust(width) + "".join(c.rjust(10) for c in CONTEXTS)]
    for kind in kinds:
        cells = []
        for context in CONTEXTS:
            hits = min((coverage.get((kind, context, s), 0) for s in solvers), default=0)
            cells.append((str(hits) if hits or (kind, context) in pairs else "").rjust(10))
        lines.append(kind.ljust(len(lines[0]) - 10 * len(CONTEXTS)) + "".join(cells))
    return lines


def asked_lines(asked: Mapping[tuple[str, str], int]) -> list[str]:
    """Return what was asked beyond the usual, and how often of whom."""
    whats = sorted({what for what, _ in asked})
    width = max(map(len, whats), default=0)
    times = {
        what: [f"{solver} {n}" for (w, solver), n in sorted(asked.items()) if w == what] for what in whats
    }
    return [f"{what.ljust(width)}  {', '.join(said)}" for what, said in times.items()]


def failure_lines(f: Failure) -> list[str]:
    """Return one failure in words."""
    lines = [
        f"{f.code} accused: {f.accused}, seen {counted(f.seen, 'time')}, first in model {f.index}",
        f"  {f.message}",
    ]
    lines += [f"  {text}" for text in (*f.variables, *f.constraints, f.objective) if text]
    lines.append(f"  replay: {f.replay}")
    return lines


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
        return render(self)


# ---- adding up -------------------------------------------------------------------------------------------


class FuzzTally:
    """Puts the results of models together; failures of one kind are kept once."""

    def __init__(self) -> None:
        self.done = 0
        self.classes: Counter[str] = Counter()
        self.coverage: Counter[tuple[str, str, str]] = Counter()
        self.asked: Counter[tuple[str, str]] = Counter()
        self.failures: dict[tuple[str, str, str], Failure] = {}
        self.seen: Counter[tuple[str, str, str]] = Counter()

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
        self.seen[failure.signature] += 1
        kept = self.failures.get(failure.signature)
        if kept is None or failure.size < kept.size:
            self.failures[failure.signature] = failure

    def report(self, seed: int, seconds: float, solvers: Sequence[str], interrupted: bool) -> FuzzReport:
        """Return the report of everything counted."""
        kept = [replace(f, seen=self.seen[s]) for s, f in self.failures.items()]
        kept.sort(key=lambda f: (f.code.exit_code, f.accused, f.size))
        return FuzzReport(
            seed, self.done, seconds, tuple(solvers), tuple(kept), dict(self.coverage), dict(self.classes),
            dict(self.asked), interrupted,
        )  # fmt: skip
