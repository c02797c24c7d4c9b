"""Metamorphic checks: models that must have fitting answers, for models too large to enumerate.

Each relation derives other models from the given one and says what their answers have to do with its
answer. Two complete answers that do not fit prove that at least one is wrong, without knowing which
number is right (Chen, Cheung and Yiu 1998; for solvers: Akgun, Gent, Jefferson, Miguel, Nightingale 2018).
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.answers.outcome import Outcome
from cpqueens.answers.solution import Solution
from cpqueens.answers.symmetry import Group, as_group, orbit_sizes
from cpqueens.backends.base import Feature, Want
from cpqueens.crosscheck import derive
from cpqueens.crosscheck.findings import Code, Disagreement, NotCompared
from cpqueens.errors import CpqueensError, ModelError
from cpqueens.language.ranges import OutOfRange
from cpqueens.language.statement import Statement
from cpqueens.model import Model
from cpqueens.solving.request import choose, named_solver, positive_seconds
from cpqueens.solving.solve import count_solutions
from cpqueens.system.interrupts import EXIT_CODE, Interrupt, listening
from cpqueens.text.parameters import needed
from cpqueens.text.plaintext import shown


@dataclass(frozen=True)
class Answer:
    """What is compared: the count, the optimum or feasibility, None where the solver did not finish."""

    value: int | None
    solution: Solution | None = None
    text: str = ""


@dataclass
class Laboratory:
    """Asks one solver about derived models and remembers what it was about."""

    model: Model
    solver: str
    measure: str  # count, optimum or feasible
    time_limit: float | None
    random: Random
    symmetries: Group = ()
    runs: int = 0
    lost: list[NotCompared] = field(default_factory=list)

    def ask(self, model: Model, relation: str) -> Answer:
        """Return the solver's answer about a model; refusals are coverage loss."""
        self.runs += 1
        try:
            answer = MEASURES[self.measure](model, self.solver, self.time_limit)
        except CpqueensError as error:
            self.lost.append(NotCompared(self.solver, relation, str(error)))
            return Answer(None)
        if answer.value is None:
            self.lost.append(NotCompared(self.solver, relation, answer.text))
        return answer


def _options(time_limit: float | None) -> dict[str, Any]:
    own = {} if time_limit is None else {"time_limit": time_limit}
    return {"random_seed": 0, **own}  # with a seed a run takes over nothing from another one


def _unfinished(outcome: Outcome) -> str:
    return f"stopped by {outcome.stop_reason}"


def count_of(model: Model, solver: str, time_limit: float | None) -> Answer:
    """Return the number of solutions."""
    outcome = count_solutions(model, solver, **_options(time_limit))
    return Answer(outcome.count if outcome.complete else None, None, _unfinished(outcome))


def optimum_of(model: Model, solver: str, time_limit: float | None) -> Answer:
    """Return the proved optimum; for an infeasible model `_NOTHING`."""
    outcome = model.solve(solver, **_options(time_limit))
    if not outcome.complete:
        return Answer(None, outcome.solution, _unfinished(outcome))
    value = _NOTHING if outcome.objective is None else outcome.objective
    return Answer(value, outcome.solution)


def feasibility_of(model: Model, solver: str, time_limit: float | None) -> Answer:
    """Return 1 for a solution, 0 for a proof of none."""
    plain = model.copy()
    plain._clear_objectives()
    outcome = plain.solve(solver, **_options(time_limit))
    if outcome.solution is not None:
        return Answer(1, outcome.solution)
    return Answer(0 if outcome.complete else None, None, _unfinished(outcome))


_NOTHING = 2**62  # the optimum of an infeasible model, in comparisons only

MEASURES: dict[str, Callable[[Model, str, float | None], Answer]] = {
    "count": count_of,
    "optimum": optimum_of,
    "feasible": feasibility_of,
}

Relation = Callable[[Laboratory, Answer], Iterator[Disagreement]]


def _equal(lab: Laboratory, relation: str, derived: Model, expected: int | None) -> Iterator[Disagreement]:
    found = lab.ask(derived, relation)
    if None not in (found.value, expected) and found.value != expected:
        yield _broken(
            lab, relation, f"{_shown(expected)} expected from the model itself, {_shown(found.value)} found"
        )


def _shown(value: int | None) -> str:
    return "no solution" if value == _NOTHING else str(value)


def _broken(lab: Laboratory, relation: str, message: str) -> Disagreement:
    text = f"{relation}: {lab.measure} {message}"
    return Disagreement(Code.RELATION_BROKEN, lab.solver, text, details={"relation": relation})


def _same(name: str, derived: Callable[[Model, Random], Model | None]) -> Relation:
    """Return the relation that a derived model, if there is one, has the same answer."""

    def compare(lab: Laboratory, base: Answer) -> Iterator[Disagreement]:
        model = derived(lab.model, lab.random)
        if model is not None:
            yield from _equal(lab, name, model, base.value)

    return compare


def case_split(lab: Laboratory, base: Answer) -> Iterator[Disagreement]:
    """The domain of one variable cut in two: counts add up, the optimum is the best of the parts."""
    parts = derive.restricted(lab.model, lab.random)
    if not parts or base.value is None:
        return
    answers = [lab.ask(part, "case split").value for part in parts]
    if None in answers:
        return
    values = [a for a in answers if a is not None]
    joined = JOINED[lab.measure](values, lab.model.maximizing)
    if joined != base.value:
        shown = " and ".join(map(_shown, values))
        yield _broken(lab, "case split", f"{_shown(base.value)} in all, the parts have {shown}")


def _best(values: list[int], maximizing: bool) -> int:
    real = [v for v in values if v != _NOTHING]
    return _NOTHING if not real else max(real) if maximizing else min(real)


JOINED: dict[str, Callable[[list[int], bool], int]] = {
    "count": lambda values, _: sum(values),
    "feasible": lambda values, _: max(values),
    "optimum": _best,
}


def blocking(lab: Laboratory, base: Answer) -> Iterator[Disagreement]:
    """A known solution forbidden: one fewer."""
    if lab.measure != "count" or base.solution is None or base.value is None:
        return
    yield from _equal(lab, "blocked solution", derive.blocked(lab.model, base.solution), base.value - 1)


def fixing(lab: Laboratory, base: Answer) -> Iterator[Disagreement]:
    """A known solution fixed: feasible, one solution, its own objective."""
    if base.solution is None:
        return
    objective = None if lab.model.objective is None else base.solution[lab.model.objective]
    expected = {"count": 1, "feasible": 1, "optimum": objective}[lab.measure]
    yield from _equal(lab, "fixed solution", derive.fixed_at(lab.model, base.solution), expected)


def mirror_objective(lab: Laboratory, base: Answer) -> Iterator[Disagreement]:
    """min f = -max -f."""
    if lab.measure != "optimum" or base.value is None:
        return
    expected = base.value if base.value == _NOTHING else -base.value
    yield from _equal(lab, "min f = -max -f", derive.opposite(lab.model), expected)


def symmetric_images(lab: Laboratory, base: Answer) -> Iterator[Disagreement]:
    """The images of a solution under the declared symmetries are solutions."""
    if base.solution is None:
        return
    checker = Checker(lab.model)
    row = base.solution.values[None, :]
    for symmetry in lab.symmetries:
        if not checker.accepts(symmetry(row))[0]:
            text = f"the image of a solution under {symmetry.name} is none"
            yield Disagreement(
                Code.RELATION_BROKEN, "declared symmetries", text, details={"relation": "symmetry"}
            )


def orbits(lab: Laboratory, base: Answer) -> Iterator[Disagreement]:
    """The sizes of the orbits of the solutions found add up to the number of solutions."""
    if lab.measure != "count" or not lab.symmetries or not base.value or base.value > _ORBIT_CAP:
        return
    outcome = lab.model.enumerate(None, _lister(lab.solver), **_options(lab.time_limit))
    if not outcome.complete:
        return
    rows = outcome.solutions.matrix
    total = float((1 / orbit_sizes(rows, lab.symmetries)).sum())
    whole = int(np.rint(total))
    if abs(total - whole) > 1e-6 or len(rows) != base.value:
        yield _broken(lab, "orbit sizes", f"{base.value}, yet {len(rows)} solutions make {total:.3f} orbits")


def _in_range(lab: Laboratory, name: str, base: Answer) -> Iterator[Disagreement]:
    """Yield what a relation finds; a derived model whose numbers leave the range is not compared."""
    try:
        yield from RELATIONS[name](lab, base)
    except OutOfRange as error:
        lab.lost.append(NotCompared(lab.solver, name, str(error)))


_ORBIT_CAP = 100_000


def _lister(solver: str) -> str:
    if solver == "auto" or Feature.ENUMERATE in named_solver(solver)[1].features:
        return solver
    return "auto"


RELATIONS: dict[str, Relation] = {
    "renaming": _same("permuted variables", derive.permuted),  # and created in another order
    "shuffling": _same("shuffled constraints", derive.shuffled),
    "shifting": _same("shifted values", derive.shifted),  # by an offset for each variable
    "negating": _same("negated values", lambda model, _: derive.negated(model)),
    "tautology": _same("added tautology", derive.with_tautology),
    "duplication": _same(
        "duplicated constraint",
        lambda m, r: derive.duplicated(m, r) if m.constraints else None,
    ),
    "decomposition": _same("decomposed constraints", lambda model, _: derive.decomposed(model)),
    "case_split": case_split,
    "blocking": blocking,
    "fixing": fixing,
    "mirror_objective": mirror_objective,
    "symmetric_images": symmetric_images,
    "orbits": orbits,
}


@dataclass(frozen=True)
class MetamorphicReport:
    """What the relations said about one solver."""

    solver: str
    measure: str
    value: int | None
    relations: tuple[str, ...]
    disagreements: tuple[Disagreement, ...]
    not_compared: tuple[NotCompared, ...]
    runs: int
    seconds: float
    interrupted: bool = False
    """Whether a signal ended it: ``relations`` are those that were gone through until then."""

    @property
    def exit_code(self) -> int:
        """0, or that of a broken relation; 130 if interrupted, 3 if the model itself was not finished."""
        if self.disagreements:
            return min(d.code.exit_code for d in self.disagreements)
        if self.interrupted:
            return EXIT_CODE
        return 0 if self.value is not None else 3

    def __str__(self) -> str:
        about = f"{len(self.relations)} relations, {self.runs} runs, {self.seconds:.1f} s"
        value = "unknown" if self.value is None else _shown(self.value)
        head = f"{self.solver}: {self.measure} {value}; {about}{', interrupted' if self.interrupted else ''}"
        lines = [head, *map(str, self.disagreements)]
        lines += [f"not compared: {n.what} ({n.why})" for n in self.not_compared]
        if not self.disagreements:
            compared = bool(self.relations) and self.runs > 1 and self.value is not None
            lines.append("all relations that were compared hold" if compared else "nothing was compared")
        return "\n".join(lines)


def metamorphic(
    model: Model,
    solver: str = "auto",
    *,
    measure: str = "auto",
    time_limit: float | None = None,
    seed: int = 0,
    symmetries: Group = (),
) -> MetamorphicReport:
    """Check one solver by models whose answers must fit together.

    Parameters
    ----------
    measure
        ``count``, ``optimum`` or ``feasible``; ``auto`` is the optimum for a model with an objective, else
        the count.
    time_limit
        Seconds for each run; what does not finish is listed, not compared.
    seed
        Of the random choices (permutations, offsets, split).
    symmetries
        A group that maps solutions onto solutions, as declared for the problem.

    Raises
    ------
    CpqueensError
        For an unknown solver or measure.
    """
    needed(model, Statement, "a model")
    if measure == "auto":
        measure = "count" if model.objective is None else "optimum"
    if measure not in MEASURES or (measure == "optimum" and model.objective is None):
        raise ModelError(f"measure: count, feasible or (with an objective) optimum, got {shown(measure)}")
    choose(model, solver, Want.ONE)
    started = time.monotonic()
    limit = positive_seconds(time_limit, "time_limit")
    generator = Random(needed(seed, int, "seed: an integer"))
    lab = Laboratory(model, solver, measure, limit, generator, as_group(symmetries))
    with listening() as interrupt:
        base = _asked_first(lab, interrupt)
        found, done = _gone_through(lab, base, interrupt) if base.value is not None else ([], ())
    if interrupt.seen:
        missed = ", ".join([*RELATIONS][len(done) :])
        lab.lost.append(NotCompared(solver, missed or "the model itself", "not run to the end: interrupted"))
    return MetamorphicReport(
        solver,
        measure,
        base.value,
        done,
        tuple(found),
        tuple(lab.lost),
        lab.runs,
        time.monotonic() - started,
        interrupt.seen,
    )


def _asked_first(lab: Laboratory, interrupt: Interrupt) -> Answer:
    """Return the answer about the model itself, with a solution where there is one."""
    base = lab.ask(lab.model, "the model itself")
    if base.solution is None and base.value and not interrupt.seen:
        return Answer(base.value, feasibility_of(lab.model, lab.solver, lab.time_limit).solution)
    return base


def _gone_through(
    lab: Laboratory, base: Answer, interrupt: Interrupt
) -> tuple[list[Disagreement], tuple[str, ...]]:
    """Return what the relations say, and those that were gone through before a signal came."""
    found: list[Disagreement] = []
    for k, name in enumerate(RELATIONS):
        broken = interrupt.attempt(lambda name=name: list(_in_range(lab, name, base)))  # type: ignore[misc]
        found += broken or []
        if interrupt.seen:
            return found, (*RELATIONS,)[:k]
    return found, (*RELATIONS,)
