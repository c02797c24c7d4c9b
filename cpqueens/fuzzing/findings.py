"""One model of a fuzzing run: drawing it, examining it, shrinking what fails."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cpqueens.backends.clock import by_processor
from cpqueens.crosscheck.findings import Code
from cpqueens.crosscheck.plan import Participant
from cpqueens.crosscheck.shrink import Budget, shrink, size
from cpqueens.fuzzing.drawing import fuzz_model
from cpqueens.fuzzing.examine import examine
from cpqueens.fuzzing.subject import Subject
from cpqueens.fuzzing.usage import usage
from cpqueens.language.describe import describe, describe_array
from cpqueens.model import Model
from cpqueens.system.interrupts import Interrupted, listening

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
        return f"{model.label_of(v)} in {{{', '.join(map(str, model.domains[v].tolist()))}}}"
    return f"{model.label_of(v)} in {model.lower[v]}..{model.upper[v]}"


def _same(subject: Subject, code: Code, accused: str) -> Callable[[Model], bool]:
    def fails(model: Model) -> bool:
        return any((d.code, d.accused) == (code, accused) for d in examine(subject.about(model)))

    return fails
