"""The exact engine on other people's models, against NuCS, Gecode, python-constraint2 and CP-SAT.

Run as ``python tests/benchmarks/bench_everyone.py [--rounds N] [--patience S] [--only PART]``; ``race.py``
says how it is measured. Every work builds its model and solves it, all hot. Ours is
``solver="backtracking"``, which calls no other solver, and checks every answer; ``auto`` has a column of its
own, which may hand over. NuCS runs its own examples with the heuristics that it recommends for them
(``nucs.examples``); where it has none, its column is empty. Gecode gets MiniZinc texts (`gecode_models`),
flattened before, with its own global constraints, for which we write a solver configuration; starting its
process counts. CP-SAT has one worker. python-constraint2 gets the same model through our backend for it,
which checks answers too; it propagates little and solves the small jobs. Preparing is stating a model,
lowering it and making the engine's arrays, nothing propagated yet. The last lines give the geometric mean of
the ratios to NuCS, the rows that miss "at most 1.5 times NuCS plus 5 ms" or "preparation within a third of
NuCS's time or 3 ms", and our search over that of Gecode (without the start of its process) in the geometric
mean over jobs on which that takes 20 ms or more.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kept
import large_models
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # the collection

from collection import (
    cryptarithms,
    designs,
    knapsacks,
    latin_squares,
    schedules,
    series,
    sudokus,
    tournaments,
)
from collection.instance import Question, ask
from collection.registry import INSTANCES
from cpqueens.models.graph_colouring import graph_colouring
from cpqueens.models.langford import langford
from cpqueens.models.latin_square import latin_square
from cpqueens.models.still_life import still_life
from cpqueens.models.travelling_salesman import GR17
from gecode_models import gecode_work, start_of_gecode
from peers import nucs, nucs_optimum, nucs_solver
from race import Absent, Entry, Work, arguments, measured, race, timed

from cpqueens import AllDifferent, GlobalCardinality, LexLessEqual, Model, ValuePrecede
from cpqueens.backends.backtracking.backend import Backtracking
from cpqueens.backends.base import Clock, Request, Want

Peer = Callable[[], object]

COMPILING = 240.0
"""Wall seconds for the first run of a peer that compiles, in a process of its own; it keeps its code."""

WANTED = {"enumerate": Want.ALL, "count": Want.COUNT, "solve": Want.ONE, "optimise": Want.BEST}
"""By question, as backends are asked."""

SHORT = 0.02
"""Seconds of search from which on jobs are compared with Gecode."""

# ---- models that the collection does not have --------------------------------------------------------------


def pigeonholes(things: int, holes: int) -> Model:
    """So many things in too few holes, one AllDifferent."""
    m = Model("pigeonholes")
    m += AllDifferent(m.intvar(0, holes - 1, shape=things, name="x"))
    return m


def schur_boxes(n: int) -> Model:
    """1..n in three boxes; as NuCS states it, also with a == b."""
    m = designs.schur(n)
    x = m["x"]
    m += LexLessEqual(x[:, 0], x[:, 1])
    return m


def one_direction(n: int) -> Model:
    """All-interval series as in CSPLib prob007, one of each series and its mirror images."""
    m = series.natural_all_interval(n)
    x, d = m["x"], m["d"]
    m.add(x[0] < x[1], d[-1] < d[0])
    return m


def magic_sequence(n: int) -> Model:
    """The magic sequence with the two redundant sums that NuCS adds."""
    m = series.magic_sequence(n)
    x = m["x"]
    m.add(x.sum() == n, (x * np.arange(n)).sum() == n)
    return m


def random_knapsack(items: int, seed: int) -> Model:
    """Weights and profits of 1..100, half of the weight fits."""
    draw = random.Random(seed)
    weights, profits = (tuple(draw.randint(1, 100) for _ in range(items)) for _ in range(2))
    return knapsacks.knapsack(sum(weights) // 2, weights, profits)


def idempotent(n: int, kind: int) -> Model:
    """QG6 and QG7 of CSPLib prob003, isomorphic ones cut as there."""
    m = Model(f"QG{kind}")
    x = m.intvar(0, n - 1, shape=(n, n), name="x")
    m += [AllDifferent(line) for square in (x, x.T) for line in square]
    m.add(x[np.arange(n), np.arange(n)] == np.arange(n), x[:, n - 1] >= np.arange(n) - 1)
    i, j = np.nonzero(~np.eye(n, dtype=bool))
    product = x[i, j] if kind == 6 else x[j, i]
    m.add(x[product, j] == x[i, product])
    return m


REQUESTS = """
001000000000001010001 000000010010100000001 010010000100000010000
001000100010000100000 000001010000100010000
"""
"""Of five nurses for three shifts on seven days, as in the OR-Tools guide to employee scheduling."""


def employees() -> Model:
    """One nurse a shift, one shift a day and nurse, 4 or 5 shifts each, most requests granted."""
    wanted = np.array([[int(c) for c in row] for row in REQUESTS.split()]).reshape(5, 7, 3)
    m = Model("employees")
    x = m.boolvar(shape=(5, 7, 3), name="x")
    m.add(x.sum(axis=0) == 1, x.sum(axis=2) <= 1, x.sum(axis=(1, 2)) >= 4, x.sum(axis=(1, 2)) <= 5)
    m.maximize(x[wanted == 1].sum())
    return m


def ordered_colours(size: int, colours: int) -> Model:
    """A Mycielski graph whose colours, which mean the same, first appear in their order."""
    m = graph_colouring("mycielski", size, colours)
    m += ValuePrecede(m["colour"], range(colours))
    return m


def triples(n: int) -> Model:
    """Langford's problem with three copies of each number, as CSPLib prob024 states it."""
    m = Model("Langford, three copies")
    gap = np.arange(2, n + 2)
    p = m.intvar(0, 3 * n - 1, shape=(3, n), name="p")
    m += [AllDifferent(p), p[1] == p[0] + gap, p[2] == p[1] + gap]
    return m


def golfers_of_nucs(groups: int, size: int, weeks: int) -> Model:
    """The golfers with the first week and the first group's members fixed."""
    m = Model("golfers")
    many = groups * size
    x = m.intvar(0, groups - 1, shape=(weeks, many), name="x")
    m.add(x[0] == np.arange(many) // size, x[1:, :size] == np.arange(size))
    m += [GlobalCardinality(week, range(groups), [size] * groups) for week in x]
    first, second = np.triu_indices(many, 1)
    m.add((x[:, first] == x[:, second]).sum(axis=0) <= 1)
    m += [LexLessEqual(x[w], x[w + 1]) for w in range(weeks - 1)]
    return m


# ---- NuCS: its own examples ----------------------------------------------------------------------------


def listing(build: Callable[[], tuple[Any, dict[str, Any]]]) -> Peer:
    """How many solutions NuCS lists."""

    def job() -> int:
        problem, search = build()
        return len([row.tolist() for row in nucs_solver(problem, **search).solve()])

    return job


def first(build: Callable[[], tuple[Any, dict[str, Any]]]) -> Peer:
    """Whether NuCS finds a solution."""

    def job() -> bool:
        problem, search = build()
        return next(nucs_solver(problem, **search).solve(), None) is not None

    return job


def example(module: str, name: str, *values: Any, **search: Any) -> Callable[[], tuple[Any, dict[str, Any]]]:
    """Return how to build a problem of NuCS's examples, with the keywords of its solver."""

    def build() -> tuple[Any, dict[str, Any]]:
        import importlib

        made = importlib.import_module(f"nucs.examples.{module}.{module}_problem")
        return getattr(made, name)(*values), {key: heuristic(value) for key, value in search.items()}

    return build


def heuristic(value: Any) -> Any:
    """Return a heuristic of NuCS by its name."""
    if not isinstance(value, str):
        return value
    from nucs.heuristics import heuristics

    return getattr(heuristics, value)


def golomb(n: int) -> Peer:
    """The shortest ruler, with the consistency algorithm that NuCS wrote for rulers."""

    def job() -> int:
        from nucs.examples.golomb import golomb_problem
        from nucs.solvers.consistency_algorithms import register_consistency_algorithm

        if not hasattr(golomb, "algorithm"):
            golomb.algorithm = register_consistency_algorithm(  # type: ignore[attr-defined]
                golomb_problem.golomb_consistency_algorithm
            )
        problem = golomb_problem.GolombProblem(n, True)
        solver = nucs_solver(problem, consistency_algorithm=golomb.algorithm)  # type: ignore[attr-defined]
        return nucs_optimum(solver, problem.length_idx)

    return job


def shop() -> int:
    """The makespan of ft06, with the search that NuCS recommends."""
    from nucs.examples.jobshop.jobshop_problem import JobShopProblem

    problem = JobShopProblem([[list(task) for task in job] for job in schedules.FT06])
    solver = nucs_solver(problem, searches=problem.recommended_searches())
    return nucs_optimum(solver, problem.makespan, prune=True)


def nurses() -> int:
    """The most requests granted."""
    from nucs.examples.employee_scheduling.employee_scheduling_problem import EmployeeSchedulingProblem
    from nucs.heuristics.heuristics import DOM_HEURISTIC_MAX_VALUE

    problem = EmployeeSchedulingProblem()
    solver = nucs_solver(
        problem, decision_variables=problem.requested_shifts, dom_heuristic=DOM_HEURISTIC_MAX_VALUE
    )
    return nucs_optimum(solver, problem.satisfied_request_nb, greatest=True)


def tour() -> int:
    """The shortest tour of gr17, with NuCS's own orders for it."""
    from nucs.examples.tsp.tsp_problem import TSPProblem
    from nucs.examples.tsp.tsp_var_heuristic import tsp_var_heuristic
    from nucs.heuristics.heuristics import DOM_HEURISTIC_MIN_COST, register_var_heuristic

    if not hasattr(tour, "order"):
        tour.order = register_var_heuristic(tsp_var_heuristic)  # type: ignore[attr-defined]
    rows = [[int(d) for d in line.split()] for line in GR17.strip().splitlines()]
    n = len(rows)
    costs = [[rows[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    problem = TSPProblem(costs)
    solver = nucs_solver(
        problem, decision_variables=list(range(2 * n)),
        var_heuristic=tour.order, var_heuristic_params=costs + costs,  # type: ignore[attr-defined]
        dom_heuristic=DOM_HEURISTIC_MIN_COST, dom_heuristic_params=costs + costs, last_conflict=True,
    )  # fmt: skip
    return nucs_optimum(solver, problem.total_cost, prune=True)


def nucs_knapsack(items: int, seed: int) -> Peer:
    """The greatest profit of `random_knapsack`."""

    def job() -> int:
        from nucs.examples.knapsack.knapsack_problem import KnapsackProblem
        from nucs.heuristics.heuristics import DOM_HEURISTIC_MAX_VALUE

        draw = random.Random(seed)
        weights, profits = ([draw.randint(1, 100) for _ in range(items)] for _ in range(2))
        data = {"capacity": sum(weights) // 2, "volumes": weights, "weights": profits}
        problem = KnapsackProblem(data)
        solver = nucs_solver(problem, dom_heuristic=DOM_HEURISTIC_MAX_VALUE)
        return nucs_optimum(solver, problem.weight, greatest=True)

    return job


def nucs_latin(n: int) -> Peer:
    """A first Latin square."""

    def job() -> bool:
        from nucs.problems.latin_square_problem import LatinSquareProblem

        return next(nucs_solver(LatinSquareProblem(range(n))).solve(), None) is not None

    return job


def nucs_alpha() -> int:
    """How many solutions the puzzle of the words has, with the order of NuCS's own program for it."""
    from nucs.examples.alphanumeric.alphanumeric_problem import AlphanumericProblem

    letters = [chr(c) for c in range(65, 91)]
    words = {"letters": letters, "domain": (1, 26), "word_sums": list(cryptarithms.ALPHA.items())}
    return len([row.tolist() for row in nucs_solver(AlphanumericProblem(words)).solve()])


def sudoku_of(clues: str) -> Callable[[], tuple[Any, dict[str, Any]]]:
    """Return how NuCS builds a sudoku."""
    return example("sudoku", "SudokuProblem", [[int(c) for c in clues[9 * i : 9 * i + 9]] for i in range(9)])


# ---- the table -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """One row: what is asked of our model, and NuCS's work for the same, if it has the problem."""

    name: str
    question: Question
    build: Callable[[], Model]
    nucs: Peer | None = None


def known(name: str, question: Question, peer: Peer | None = None) -> Job:
    """Return a row with a model of the collection."""
    return Job(name, question, INSTANCES[name].build, peer)


SERIES = "all_interval_series", "AllIntervalSeriesProblem"
LARGEST = {"dom_heuristic": "DOM_HEURISTIC_MAX_VALUE"}
SMALLEST = {"var_heuristic": "VAR_HEURISTIC_SMALLEST_DOMAIN"}

JOBS = (
    known("queens 10", "enumerate", listing(example("queens", "QueensProblem", 10))),
    known("queens 12", "enumerate", listing(example("queens", "QueensProblem", 12))),
    known("Langford 8", "enumerate",
          listing(example("langford", "LangfordProblem", 2, 8, **SMALLEST, **LARGEST))),
    Job("Langford 12", "count", lambda: langford(12)),
    Job("Langford 3 x 9", "enumerate", lambda: triples(9),
        listing(example("langford", "LangfordProblem", 3, 9, **SMALLEST, **LARGEST))),
    known("magic squares of order 4, normal", "enumerate",
          listing(example("magic_square", "MagicSquareProblem", 4, True))),
    known("magic square of order 5", "solve", first(example("magic_square", "MagicSquareProblem", 5))),
    known("alpha", "enumerate", nucs_alpha),
    known("DONALD + GERALD = ROBERT", "enumerate",
          listing(example("cryptarithmetic", "CryptarithmeticProblem",
                          {"letters": list("ABDEGLNORT"), "additions": [[["DONALD", "GERALD"], "ROBERT"]]}))),
    Job("Latin square of order 30", "solve", lambda: latin_square(30), nucs_latin(30)),
    Job("knapsack of 30", "optimise", lambda: random_knapsack(30, 1), nucs_knapsack(30, 1)),
    Job("knapsack of 50", "optimise", lambda: random_knapsack(50, 1)),
    known("Golomb ruler, 8 marks", "optimise", golomb(8)),
    Job("Golomb ruler, 9 marks", "optimise", lambda: series.golomb_ruler(9), golomb(9)),
    Job("Golomb ruler, 10 marks", "optimise", lambda: series.golomb_ruler(10), golomb(10)),
    Job("all-interval 10", "enumerate", lambda: one_direction(10),
        listing(example(*SERIES, 10, True, decision_variables=range(10)))),
    Job("all-interval 12", "enumerate", lambda: one_direction(12),
        listing(example(*SERIES, 12, True, decision_variables=range(12)))),
    Job("all-interval 50, one", "solve", lambda: one_direction(50),
        first(example(*SERIES, 50, True, decision_variables=range(50)))),
    Job("magic sequence of 100", "solve", lambda: magic_sequence(100),
        first(example("magic_sequence", "MagicSequenceProblem", 100, last_conflict=True))),
    Job("magic sequence of 200", "solve", lambda: magic_sequence(200),
        first(example("magic_sequence", "MagicSequenceProblem", 200, last_conflict=True))),
    known("BIBD (7, 7, 3, 3, 1)", "solve", first(example("bibd", "BIBDProblem", 7, 7, 3, 3, 1))),
    known("BIBD (8, 14, 7, 4, 3)", "solve", first(example("bibd", "BIBDProblem", 8, 14, 7, 4, 3))),
    Job("QG5 of order 10", "solve", lambda: latin_squares.quasigroup_5(10),
        first(example("quasigroup", "QuasigroupProblem", 5, 10, True, decision_variables=range(100),
                      dom_heuristic="DOM_HEURISTIC_SPLIT_LOW"))),
    Job("QG6 of order 8", "solve", lambda: idempotent(8, 6),
        first(example("quasigroup", "QuasigroupProblem", 6, 8, True, decision_variables=range(64),
                      dom_heuristic="DOM_HEURISTIC_SPLIT_LOW"))),
    Job("QG7 of order 8", "solve", lambda: idempotent(8, 7),
        first(example("quasigroup", "QuasigroupProblem", 7, 8, True, decision_variables=range(64),
                      dom_heuristic="DOM_HEURISTIC_SPLIT_LOW"))),
    Job("Schur's boxes, 100", "solve", lambda: schur_boxes(100),
        first(example("schur_lemma", "SchurLemmaProblem", 100))),
    known("sudoku, Inkala 2006", "enumerate", listing(sudoku_of(sudokus.INKALA_2006))),
    known("sudoku, Inkala 2012", "enumerate", listing(sudoku_of(sudokus.INKALA_2012))),
    known("sudoku, 17 clues (1)", "enumerate", listing(sudoku_of(sudokus.CLUES_17[0]))),
    Job("golfers 3-3-4", "solve", lambda: golfers_of_nucs(3, 3, 4),
        first(example("social_golfers", "SocialGolfersProblem", 3, 3, 4, True))),
    Job("league of 6", "solve", lambda: tournaments.league(6),
        first(example("sports_tournament_scheduling", "SportsTournamentSchedulingProblem", 6))),
    Job("employees", "optimise", employees, nurses),
    known("job shop ft06", "optimise", shop),
    *(Job(f"job shop {name}", "optimise", lambda name=name: large_models.shop(name))
      for name in ("la01", "la02", "la03", "la04", "la05")),
    known("travelling salesman, gr17", "optimise", tour),
    Job("pigeonholes, 30 in 29", "solve", lambda: pigeonholes(30, 29)),
    *(Job(f"Latin square of order {n}, 42 % holes", "solve",
          lambda n=n: latin_squares.with_holes(n, round(0.42 * n * n), 1)) for n in (20, 25, 30)),
    known("zebra", "enumerate"),
    known("Mycielski's graph 5, 4 colours", "solve"),
    Job("Mycielski's graph 6, 5 colours", "solve", lambda: ordered_colours(6, 5)),
    known("still life of 6", "optimise"),
    Job("still life of 8", "optimise", lambda: still_life(8)),
    known("queens' graph 7, 7 colours", "solve"),
    known("nonogram, hen", "enumerate"),
    known("project j301_1", "optimise"),
)  # fmt: skip


def asked(job: Job, solver: str, patience: float) -> Work:
    """Return our work; None where the time ended it."""
    options = {"num_workers": 1} if solver == "cpsat" else {}

    def work(turn: int) -> object:
        if job.question == "enumerate":
            outcome = job.build().enumerate(solver=solver, time_limit=patience, **options)
            return len(outcome.solutions.matrix) if outcome.complete else None
        return ask(job.build(), job.question, solver, time_limit=patience, **options)

    return work


def within(name: str, peer: Peer, patience: float) -> Work | Absent:
    """Return NuCS's work, compiled; it has no time limit of its own, an alarm ends it."""

    def work(turn: int) -> object:
        def late(number: int, frame: object) -> None:
            raise TimeoutError

        before = signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, patience)
        try:
            return peer()
        except (TimeoutError, SystemError):  # within machine code an alarm becomes the second
            return None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    kept = nucs(peer)
    if isinstance(kept, Absent):
        return kept
    compile_first(name)
    return work


def compile_first(name: str) -> None:
    """Run NuCS on a job once in a new process, where nothing but a signal that kills it ends it."""
    command = [sys.executable, __file__, "--compile", name]
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(command, timeout=COMPILING, check=False, capture_output=True)


def preparing(job: Job) -> float:
    """Return the processor seconds of stating a model and making the engine's arrays of it."""

    def work(turn: int) -> None:
        Backtracking()._prepare(job.build(), Request(WANTED[job.question], Clock(None)), time.monotonic())

    timed(work, range(1))
    return min(timed(work, range(k, k + 1))[0] for k in range(5))


@dataclass(frozen=True)
class Row:
    """What a line says, in seconds."""

    name: str
    ours: float
    prepared: float
    nucs: float | None
    gecode: float | None


def seconds_of(entry: Entry | Absent | None) -> float | None:
    """Return the time of an entry that there is."""
    return entry.seconds if isinstance(entry, Entry) else None


def rows(jobs: tuple[Job, ...], rounds: int, patience: float, folder: Path) -> Iterator[Row]:
    """Print a line for each job, and give it."""
    heads = ("ours", "prepare", "auto", "CP-SAT", "Gecode", "NuCS", "python-c2")
    print(f"{'ms':<36}{''.join(f'{head:>10}' for head in heads)}{'over NuCS':>11}")
    for k, job in enumerate(jobs):
        works: dict[str, Work | Absent] = {
            "ours": asked(job, "backtracking", patience),
            "auto": asked(job, "auto", patience),
            "CP-SAT": asked(job, "cpsat", patience),
        }
        gecode = gecode_work(job.name, job.question, patience, folder / str(k))
        if gecode is not None:
            works["Gecode"] = gecode
        if job.nucs is not None:
            works["NuCS"] = within(job.name, job.nucs, patience)
        works["python-c2"] = asked(job, "python-constraint", patience)
        entries = race(works, rounds)
        cells = [
            cell(entries.get(name)) for name in ("ours", "auto", "CP-SAT", "Gecode", "NuCS", "python-c2")
        ]
        prepared = preparing(job)
        cells.insert(1, f"{1000 * prepared:10.1f}")
        ours, theirs = entries["ours"], entries.get("NuCS")
        assert isinstance(ours, Entry)
        ratio = ours.seconds / theirs.seconds if isinstance(theirs, Entry) else None
        mark = "" if None not in (ours.found, getattr(theirs, "found", 0)) else " (unfinished)"
        print(f"{job.name:<36}{''.join(cells)}{'' if ratio is None else f'{ratio:11.3f}'}{mark}", flush=True)
        named = {
            "ours": "cpqueens, backtracking",
            "auto": "cpqueens, auto",
            "python-c2": "python-constraint2",
        }
        kept.keep_race(job.name, {named.get(name, name): one for name, one in measured(entries).items()})
        found = seconds_of(entries.get("Gecode"))
        yield Row(job.name, ours.seconds, prepared, seconds_of(theirs), found)


def cell(entry: Entry | Absent | None) -> str:
    """Return milliseconds, with a sign where nothing was found in time."""
    if not isinstance(entry, Entry):
        return f"{'-':>10}"
    return f"{'>' if entry.found is None else ''}{1000 * entry.seconds:.1f}".rjust(10)


def main() -> None:
    """Print the table."""
    parser = arguments(__doc__, rounds=3)
    parser.add_argument("--only", metavar="PART", default="", help="jobs whose names have this part")
    parser.add_argument("--compile", metavar="JOB", help=argparse.SUPPRESS)  # by NuCS, see `compile_first`
    options = parser.parse_args()
    if options.compile:
        (peer,) = [job.nucs for job in JOBS if job.name == options.compile and job.nucs is not None]
        peer()
        return
    jobs = tuple(job for job in JOBS if options.only in job.name)
    with tempfile.TemporaryDirectory() as folder:
        done = list(rows(jobs, options.rounds, options.patience, Path(folder)))
        start = start_of_gecode(Path(folder) / "nothing")
    against_nucs([(row, row.nucs) for row in done if row.nucs is not None])
    if start is not None:
        against_gecode([(row, row.gecode) for row in done if row.gecode is not None], start)


def geometric(ratios: list[float]) -> float:
    """Return the geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def against_nucs(rows: list[tuple[Row, float]]) -> None:
    """Print how we did against NuCS."""
    if not rows:
        return
    mean = geometric([row.ours / theirs for row, theirs in rows])
    late = [row.name for row, theirs in rows if row.ours > 1.5 * theirs + 0.005]
    long = [row.name for row, theirs in rows if row.prepared > max(theirs / 3, 0.003)]
    print(f"\ngeometric mean over NuCS, {len(rows)} jobs: {mean:.2f}")
    print(f"later than 1.5 times plus 5 ms: {', '.join(late) or 'none'}")
    print(f"preparation later than a third, and 3 ms: {', '.join(long) or 'none'}")


def against_gecode(rows: list[tuple[Row, float]], start: float) -> None:
    """Print how our search did against Gecode's, whose process takes ``start`` seconds for nothing."""
    pairs = [(max(row.ours - row.prepared, 1e-6), theirs - start) for row, theirs in rows]
    ratios = [ours / theirs for ours, theirs in pairs if theirs >= SHORT]
    if ratios:
        print(
            f"search over Gecode's, geometric mean of {len(ratios)} jobs from 20 ms: {geometric(ratios):.2f}"
        )


if __name__ == "__main__":
    main()
