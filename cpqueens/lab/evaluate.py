"""`evaluate`: is a heuristic right, how often, how fast, and what does it miss?

What heuristics are evaluated on: models, instances, and problems at several sizes.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from cpqueens.answers.symmetry import Group
from cpqueens.errors import CpqueensError, ModelError, UnsupportedConstraint, UnsupportedRequest
from cpqueens.files.modelfile import fingerprint
from cpqueens.lab import evaluated
from cpqueens.lab.contenders import Contender, RunLimits, as_contenders
from cpqueens.lab.evaluation import Evaluation
from cpqueens.lab.making import FIRST, Progress, RunMaker, Setting
from cpqueens.lab.performance import UNITS, Anytime, anytime, summed_up, targets
from cpqueens.lab.reference import Reference, coverage, prove
from cpqueens.lab.runfile import Ending, RunFile, RunRecord, RunTable
from cpqueens.longrun.pool import Processes
from cpqueens.longrun.splitting import code_version
from cpqueens.model import Model
from cpqueens.problems.catalog import Instance, Problem, find, load
from cpqueens.solving.request import as_integer, as_seeds, positive_integer, positive_seconds
from cpqueens.system.interrupts import listening
from cpqueens.system.requirements import need, versions
from cpqueens.text.foreign import explaining_keywords
from cpqueens.text.parameters import as_function, got, needed
from cpqueens.text.plaintext import first_repeated, one_line, shown


@dataclass(frozen=True)
class EvaluatedCase:
    """A model with its title, its size among the sizes, and the instance that it is of."""

    title: str
    size: int | None
    model: Model
    instance: Instance | None

    @property
    def maximizing(self) -> bool | None:
        """Whether its objective is maximised; None without one."""
        return None if self.model.objective is None else bool(self.model.goals[0].maximizing)

    @property
    def symmetries(self) -> Group:
        """Those that its problem declares."""
        return () if self.instance is None else self.instance.symmetries()


def cases_of(problem: Any, sizes: Any, parameters: Mapping[str, Any]) -> Iterator[EvaluatedCase]:
    """Yield the models that are evaluated on.

    Raises
    ------
    ModelError
        For what is no problem, sizes that are none, or a parameter that is not allowed.
    """
    if isinstance(problem, list):
        if not problem:
            raise ModelError("problem: at least one is needed")
        for one in problem:
            yield from cases_of(one, sizes, parameters)
        return
    needed(parameters, Mapping, "parameters: {name: value}")
    if isinstance(problem, Model | Instance) or (isinstance(problem, str) and problem.endswith(".json")):
        if sizes is not None or parameters:
            raise ModelError("sizes: a problem with parameters is needed, not a model")
        yield _case(load(problem) if isinstance(problem, str) else problem, None)
        return
    yield from _family(problem, sizes, parameters)


def _family(problem: Any, sizes: Any, parameters: Mapping[str, Any]) -> Iterator[EvaluatedCase]:
    """Yield the models of a problem with parameters, or of a function."""
    family = find(problem) if isinstance(problem, str) else problem
    if not callable(family) and not isinstance(family, Problem):
        told = got(problem, Model) or shown(problem)
        raise ModelError(f"problem: a name, a model or a function of the size is needed, got {told}")
    name, values = _sizes(family, sizes)
    if name in parameters:
        raise ModelError(f"sizes: {name} is among the parameters, too")
    for value in values:
        given = dict(parameters) if value is None else {**parameters, name: value}
        if isinstance(family, Problem):
            yield _case(family.instance(**given), value)
        else:
            model = family() if value is None else family(value, **parameters)
            yield _case(needed(model, Model, "problem: a function that returns a Model"), value)


def _sizes(family: Any, sizes: Any) -> tuple[str, Sequence[Any]]:
    """Return the parameter that sizes are of, and its values."""
    declared = list(family.parameters) if isinstance(family, Problem) else ["size"]
    if sizes is None:
        return "", [None]
    if isinstance(sizes, Mapping):
        if len(sizes) != 1:
            raise ModelError(f"sizes: one parameter is needed, got {len(sizes)}")
        ((name, values),) = sizes.items()
    else:
        name, values = next(iter(declared), ""), sizes
    if isinstance(values, np.ndarray | range):
        values = list(values)
    if not isinstance(values, list | tuple) or not values or not name:
        raise ModelError(f"sizes: a list of values of a parameter is needed, got {shown(sizes)}")
    return name, values


def _case(stated: Model | Instance, size: Any) -> EvaluatedCase:
    counted = int(size) if isinstance(size, int | np.integer) else None
    if isinstance(stated, Instance):
        return EvaluatedCase(stated.title, counted, stated.model, stated)
    return EvaluatedCase(
        stated.name if size is None else f"{stated.name}({shown(size)})", counted, stated, None
    )


Proved = tuple[EvaluatedCase, Reference, Mapping[str, Sequence[RunRecord]]]
"""A problem, what exact solvers proved of it, and the runs of each heuristic."""

MOST_PROCESSES = 64
MEMORY = 6 * 2**30
"""Bytes that each may take."""


@explaining_keywords
def evaluate(
    heuristic: Any,
    problem: Any,
    sizes: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    runs: int = 100,
    *,
    parameters: Mapping[str, Any] | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    step_limit: int | None = None,
    processes: int | None = None,
    executor: Executor | None = None,
    record: str | PathLike[str] | None = None,
    reference_time: float | None = None,
    progress: Callable[[Progress], object] | None = None,
    measures: Sequence[str] | None = None,
) -> Evaluation:
    """Run heuristics many times, check every answer, and say how often and how fast they succeed.

    >>> from cpqueens import evaluate
    >>> found = evaluate("local-search:sideways", "queens", sizes=[8], runs=50)
    >>> performance = found["local-search:sideways"]
    >>> performance.runs, performance.wrong, 0.8 < performance.rate.high
    (50, 0, True)

    Parameters
    ----------
    heuristic
        A solver or strategy by name, ``(name, {option: value})``, a function ``f(model, seed, time_limit) ->
        assignment or None``, ``"FILE.py:FUNCTION"``, or a `cpqueens.crosscheck.external.External` command
        that speaks JSON lines; several as a list or as ``{name: heuristic}``.
    problem
        A problem's name, a model, an instance or a problem of the catalogue, ``FILE.py:FUNCTION``, a model
        file, a function ``size -> Model``; several as a list.
    sizes
        Values of the problem's first parameter, or ``{parameter: values}``.
    runs
        The number of runs of each heuristic on each problem, with the seeds ``seed``, ``seed + 1``, ...
    parameters
        Further parameters of the problem.
    seed
        The first seed; the same seeds are given to all.
    time_limit, step_limit
        Limits for each run, in seconds and in steps. Runs that reach them are censored in the distributions.
    processes
        The number of processes for the runs: a function that exceeds its limit is ended, and a crash counts
        as a rejection. By default all runs are made in this process.
    executor
        Makes the runs instead: any `concurrent.futures.Executor` whose tasks can be pickled, such as the one
        of a cluster. It is not shut down.
    record
        A ledger, an SQLite file for the runs (`cpqueens runs show` reads it). Runs that are in it are not
        repeated; a ledger of another problem, heuristic, limit or version of this package is refused.
    reference_time
        Seconds for an exact solver to find all solutions of each problem, or to prove the optimum, as a
        reference; 0 for none; by default 2 seconds of processor time.
    progress
        Called with a `Progress` after each batch of runs.
    measures
        The measures of a run: ``steps``, ``evaluations``, ``restarts``, ``processor_seconds``,
        ``wall_seconds``, or other counts of solvers, such as ``anneals``, ``attempts`` or ``nodes``.

    Returns
    -------
    Evaluation
        After Ctrl-C, it has the runs that were made so far.

    Raises
    ------
    MissingLibrary
        If scipy is not installed, which computes the statistics.
    CpqueensError
        For everything that is refused before the first run, or a record that cannot be written. Failures of
        a heuristic are not raised; they are part of the report.
    """
    began = time.monotonic()
    with listening() as interrupt:
        need("scipy", "scipy.stats")
        budget = RunLimits(
            positive_seconds(time_limit, "time_limit"), positive_integer(step_limit, "step_limit")
        )
        contenders, cases = as_contenders(heuristic), list(cases_of(problem, sizes, parameters or {}))
        asked = _seeds(seed, runs)
        if reference_time != 0:
            positive_seconds(reference_time, "reference_time")
        as_function(progress, "progress: a function")
        if processes is not None and executor is not None:
            raise ModelError("processes: leave it out with an executor, which has its own")
        unable = _unable(contenders, cases, budget)
        work = _Work(contenders, cases, budget, asked, progress, unable, _units(measures))
        with _file(record, contenders, cases, budget) as file:
            number = positive_integer(processes, "processes", MOST_PROCESSES)
            rows, lost = work.runs(file, interrupt, number, executor)
        references = [
            prove(case.model, case.title, 0.0 if interrupt.poll() else reference_time) for case in cases
        ]
    found = work.evaluation(rows, lost, references)
    if lost and not found.runs:
        raise next(iter(lost.values()))
    return replace(found, seconds=time.monotonic() - began, interrupted=interrupt.seen)


def _unable(
    contenders: Sequence[Contender], cases: Sequence[EvaluatedCase], budget: RunLimits
) -> dict[tuple[str, str], CpqueensError]:
    """Return who cannot run on what, and why.

    Raises
    ------
    CpqueensError
        If somebody is not well-formed, or nobody can run on anything.
    """
    found: dict[tuple[str, str], CpqueensError] = {}
    for case in cases:
        for contender in contenders:
            try:
                contender.prepare(case.model, budget)
            except (UnsupportedConstraint, UnsupportedRequest) as error:
                found[contender.name, case.title] = error
                if len(found) == len(contenders) * len(cases):
                    raise
    return found


def _units(measures: Any) -> tuple[str, ...]:
    if measures is None:
        return UNITS
    if isinstance(measures, str) or not all(isinstance(name, str) for name in measures) or not measures:
        raise ModelError(f"measures: a list of names is needed, got {shown(measures, 60)}")
    return tuple(dict.fromkeys(measures))


def _seeds(first: Any, runs: Any) -> tuple[int, ...]:
    begin = as_integer(first, "seed", 0)
    return as_seeds(range(begin, begin + (positive_integer(runs, "runs") or 1)))


def _file(
    record: Any, contenders: Sequence[Contender], cases: Sequence[EvaluatedCase], budget: RunLimits
) -> AbstractContextManager[RunFile | None]:
    """Open the file of runs, if any."""
    if record is None:
        return nullcontext()
    identity = {
        "code": code_version(),
        "limits": vars(budget),
        "heuristics": {c.name: c.identity for c in contenders},
        "problems": {case.title: _known(case) for case in cases},
    }
    return closing(RunFile(record, identity))


def _known(case: EvaluatedCase) -> str:
    digest = fingerprint(case.model)
    if digest is None:
        raise ModelError(f"record: {case.title} cannot be written down, so its runs cannot be recognised")
    return digest[:16]


@dataclass(frozen=True)
class _Work:
    """What is evaluated on what."""

    contenders: Sequence[Contender]
    cases: Sequence[EvaluatedCase]
    budget: RunLimits
    seeds: tuple[int, ...]
    progress: Callable[[Progress], object] | None
    unable: Mapping[tuple[str, str], CpqueensError]
    units: tuple[str, ...]

    def __post_init__(self) -> None:
        twice = first_repeated(case.title for case in self.cases)
        if twice is not None:
            raise ModelError(f"problem: {shown(twice, 60)} twice; give each model its own name")

    def runs(
        self, file: RunFile | None, interrupt: Any, processes: int | None, executor: Executor | None
    ) -> tuple[dict[Any, RunRecord], dict[Any, CpqueensError]]:
        """Make the runs that are not there; return all by their keys, and why pairs could not run."""
        rows = {} if file is None else file.read()
        settings = [self._setting(c, case, rows) for case in self.cases for c in self.contenders]
        whole = len(self.seeds) * len(settings)
        there = whole - sum(len(setting.todo) for setting in settings)
        if file is not None:
            file.expect(len(rows) + sum(len(setting.todo) for setting in settings))
        state = [Progress(there, whole, "", first=there)]

        def take(made: list[RunRecord]) -> None:
            if file is not None:
                file.add([row for row in made if row.ending is not Ending.INTERRUPTED])
            rows.update((row.key, row) for row in made)
            state[0] = state[0].after(made)
            if self.progress is not None:
                self.progress(state[0])

        maker = RunMaker(list(settings), self.budget, take, interrupt)
        if executor is not None:
            maker.by(executor)
        elif processes is None or not any(s.todo for s in settings):
            maker.here()
        else:
            pool = Processes(processes, MEMORY, RunMaker.__module__)
            try:
                maker.by(pool)
            finally:
                pool.shutdown(cancel_futures=True)
        return rows, {(s.contender.name, s.title): s.lost for s in settings if s.lost}

    def _setting(self, contender: Contender, case: EvaluatedCase, rows: Mapping[Any, RunRecord]) -> Setting:
        name, lost = contender.name, self.unable.get((contender.name, case.title))
        todo = (s for s in self.seeds if not lost and (name, case.title, s) not in rows)
        size = FIRST if contender.together else 1
        return Setting(contender, case.model, case.title, deque(todo), size, lost)

    def evaluation(
        self,
        rows: Mapping[Any, RunRecord],
        lost: Mapping[Any, CpqueensError],
        references: Sequence[Reference],
    ) -> Evaluation:
        """Return what all runs say."""
        order = [
            (c.name, case.title, seed) for case in self.cases for c in self.contenders for seed in self.seeds
        ]
        table = RunTable([rows[key] for key in order if key in rows])
        groups = table.groups()
        proved = [
            (case, reference, {c.name: groups.get((c.name, case.title), ()) for c in self.contenders})
            for case, reference in zip(self.cases, references, strict=True)
        ]
        performances = [
            summed_up(
                name, case.title, case.size, len(self.seeds), mine, case.model.goals, reference,
                one_line(str(lost.get((name, case.title), ""))), self.units,
            )
            for case, reference, runs in proved for name, mine in runs.items()
        ]  # fmt: skip
        samples = [
            (name, case, reference, np.array(found, dtype=np.int64))
            for case, reference, runs in proved if case.maximizing is None
            for name, mine in runs.items()
            if (found := [row.solution for row in mine if row.solution is not None])
        ]  # fmt: skip
        occupancies = (
            evaluated.occupancy(name, case.title, case.model, found, reference.solutions)
            for name, case, reference, found in samples
        )
        return Evaluation(
            heuristics=tuple(c.name for c in self.contenders),
            problems=tuple(
                evaluated.ProblemHead(c.title, c.size, c.model.scope_text(), fingerprint(c.model))
                for c in self.cases
            ),
            budget=self.budget,
            seeds=(self.seeds[0], self.seeds[-1]),
            machines=tuple(dict.fromkeys(table.column("machine"))),
            versions=versions(),
            performances=tuple(performances),
            references=tuple(references),
            coverages=tuple(
                coverage(name, reference, found, case.symmetries) for name, case, reference, found in samples
            ),
            occupancies=tuple(found for found in occupancies if found is not None),
            anytimes=tuple(_anytimes(proved)),
            targets=tuple(
                one
                for case, reference, runs in proved
                if case.maximizing is not None
                for one in targets(runs, case.title, case.maximizing, reference.optimum)
            ),
            comparisons=tuple(evaluated.corrected(list(_comparisons(proved)))),
            runs=table,
            units=self.units,
        )


def _anytimes(proved: Sequence[Proved]) -> Iterator[Anytime]:
    for case, _, runs in proved:
        for mine in runs.values() if case.maximizing is not None else ():
            found = anytime(mine, bool(case.maximizing))
            if found is not None:
                yield found


def _comparisons(proved: Sequence[Proved]) -> Iterator[evaluated.Comparison]:
    for case, _, runs in proved:
        if case.maximizing is None:
            yield from evaluated.compare_runs(case.title, runs)
        else:
            yield from evaluated.compare_objectives(case.title, runs, case.maximizing)
