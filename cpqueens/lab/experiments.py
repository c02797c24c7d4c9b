"""The classical texts reproduced: what each claims, what we measure with its 95 % interval, by which command.

Figures are of this package's own strategies. Mistakes that only a source's own program makes are measured on
programs written anew with them (`source_mistakes`), beside what was published of the source's.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from statistics import median
from typing import Any

import numpy as np

from cpqueens.answers.outcome import Outcome, StopReason
from cpqueens.answers.runs import Runs
from cpqueens.answers.statistics import Z95, wilson_interval
from cpqueens.kernels import tiers
from cpqueens.lab.runlength import Interval, RunLengths
from cpqueens.model import Model

Cells = list[list[str]]
Measure = Callable[[Runs], str]


@dataclass(frozen=True)
class Experiment:
    """One claim that is measured.

    Attributes
    ----------
    claim, published
        What the source says, and its figure.
    n
        Size of the board.
    solver, options
        What is run.
    measure
        What is told of the runs.
    share
        Of the runs asked for: dear ones are run less often.
    """

    claim: str
    published: str
    n: int
    solver: str
    measure: Measure
    options: Mapping[str, Any] = field(default_factory=dict)
    share: float = 1.0

    def command(self, runs: int) -> str:
        """Return the command that makes such runs."""
        words = " ".join([self.solver, *(f"{name}={value}" for name, value in self.options.items())])
        limit = f" --step-limit {LIMIT}"
        return f"cpqueens evaluate queens n={self.n} --solver '{words}' --runs {runs}{limit}"

    def row(self, runs: int) -> list[str]:
        """Run it, and return a row of the section's table."""
        number = max(20, round(runs * self.share))
        found = made(self.n, self.solver, number, tuple(self.options.items()))
        return [self.claim, self.published, self.measure(found), f"{number:,}", self.command(number)]


@dataclass(frozen=True)
class Section:
    """What is said of one source: experiments, further tables, how it was read, and its known mistakes.

    Tables are made of the number of runs that an experiment has.
    """

    name: str
    source: str
    experiments: Sequence[Experiment] = ()
    tables: Sequence[Callable[[int], tuple[str, Cells]]] = ()
    mistakes: Sequence[str] = ()
    readings: Sequence[str] = ()


@dataclass(frozen=True)
class Reproduced:
    """A section with its figures, and the seconds that they took."""

    section: Section
    tables: tuple[tuple[str, Cells], ...]
    seconds: float


HEAD = ["claim", "published", "here (95 % interval)", "runs", "command"]
LIMIT = 1_000_000
"""Steps of a run: some of the sources' algorithms have no end of their own."""


@cache
def board(n: int) -> Model:
    """Return n queens."""
    from cpqueens.problems.catalog import load

    return load("queens", [f"n={n}"]).model


@cache
def made(n: int, solver: str, runs: int, options: tuple[tuple[str, Any], ...]) -> Runs:
    """Return runs on n queens; several figures may be told of the same ones.

    Raises
    ------
    KeyboardInterrupt
        If a signal came before they were all made: no figure is told of fewer runs than it says.
    """
    with tiers.compiled():
        board(n).runs(solver, seeds=1, step_limit=LIMIT, **dict(options))  # what it loads is nobody's time
        found = board(n).runs(solver, seeds=runs, step_limit=LIMIT, **dict(options))
    if len(found) < runs:
        raise KeyboardInterrupt
    return found


def ended(outcome: Outcome) -> Outcome:
    """Return an outcome as it is.

    Raises
    ------
    KeyboardInterrupt
        If a signal ended it.
    """
    if outcome.stop_reason is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    return outcome


# ---- what is told of runs ------------------------------------------------------------------------------


def told(value: float, low: float, high: float) -> str:
    """Return an estimate with as many digits as its interval bears.

    >>> told(134.21, 128.9, 139.6), told(0.5, 0.48, 0.52), told(4.0, 4.0, 4.0)
    ('134 (129 to 140)', '0.50 (0.48 to 0.52)', '4.00 (4.00 to 4.00)')
    """
    if not math.isfinite(high):
        return f"at least {low:,.3g}"
    width = high - low
    digits = 2 if width <= 0 else min(4, max(0, math.ceil(-math.log10(width / 2))))
    return f"{value:,.{digits}f} ({low:,.{digits}f} to {high:,.{digits}f})"


def rate(runs: Runs) -> str:
    """Return the share of solved runs in per cent, with its Wilson interval."""
    solved, many = int(runs.solved.sum()), len(runs)
    low, high = wilson_interval(solved, many)
    return told(100 * solved / many, 100 * low, 100 * high) + " %"


def mean(values: Any) -> str:
    """Return a mean with its interval; nothing of fewer than two values."""
    if len(values) < 2:
        return "too few"
    middle = float(np.mean(values))
    spread = Z95 * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return told(middle, middle - spread, middle + spread)


def steps(runs: Runs) -> str:
    """Return the mean steps of all runs."""
    return mean(runs.steps)


def steps_if_solved(runs: Runs) -> str:
    """Return the mean steps of solved runs."""
    return mean(runs.steps[runs.solved])


def steps_if_not(runs: Runs) -> str:
    """Return the mean steps of runs that were not solved."""
    return mean(runs.steps[~runs.solved])


def per_solution(name: str) -> Measure:
    """Return what tells the work of all runs divided by the solutions."""

    def measure(runs: Runs) -> str:
        work = np.asarray(runs.statistics[name], dtype=np.float64)
        none = np.zeros(len(runs), dtype=np.bool_)
        found: Interval = RunLengths(work, runs.solved, none, none).expected()
        return told(found.value, found.low, found.high)

    return measure


def counted(name: str) -> Measure:
    """Return what tells the mean of a count."""
    return lambda runs: mean(np.asarray(runs.statistics[name], dtype=np.float64))


_REPEATED = 7
"""Times that a search is repeated, whose median time counts."""

# ---- tables of single sources --------------------------------------------------------------------------


def backtracking_nodes(_runs: int = 0) -> tuple[str, Cells]:
    """Return the nodes of the first solution, as the source counts them."""
    rows = [["queens", "published", "here"]]
    for n, published in ((8, "114"), (12, "262")):
        found = ended(board(n).solve(solver="backtracking:check")).statistics["nodes"]
        rows.append([str(n), published, str(found)])
    return "Nodes to the first solution: the root and every safe placement (exact)", rows


def las_vegas_table(_runs: int = 0) -> tuple[str, Cells]:
    """Return the source's table, exact; cells in which it differs have the printed value beside them."""
    from cpqueens.lab.las_vegas_expectations import las_vegas_expectations
    from cpqueens.lab.las_vegas_table import PUBLISHED, cells

    exact = las_vegas_expectations(board(8))
    rows = [["stop", "p", "s", "e", "t"]]
    for stop, printed in PUBLISHED[8].items():
        ours = cells(exact[stop])
        marked = [
            ours[c] if ours[c] == printed.get(c, ours[c]) else f"{ours[c]} (printed {printed[c]})"
            for c in "pset"
        ]
        rows.append([str(stop), *marked])
    return "Las Vegas with backtracking, 8 queens, exact expectations in the source's layout", rows


def las_vegas_findings() -> list[str]:
    """Return where the printed table is wrong, with the evidence of its own row."""
    from cpqueens.lab.las_vegas_expectations import las_vegas_expectations
    from cpqueens.lab.las_vegas_table import findings

    return [str(finding) for finding in findings(8, las_vegas_expectations(board(8)))]


def representations(_runs: int = 0) -> tuple[str, Cells]:
    """Return nodes and processor seconds of all solutions by each representation of the same search."""
    rows = [["queens", "strategy", "solutions", "nodes", "processor ms"]]
    for n in (8, 10):
        for strategy in ("check", "table", "rowmask", "bitmask"):
            solver = f"backtracking:{strategy}"
            found, seconds = _repeated(partial(board(n).enumerate, solver=solver))
            nodes = f"{found.statistics['nodes']:,}"
            rows.append([str(n), strategy, str(found.count), nodes, f"{1000 * seconds:.1f}"])
    return (
        "All solutions by machine code: equal nodes, unequal time; check and table are searches of one tree "
        "like the others, and bitmask lists mirror images of one half",
        rows,
    )


def _repeated(search: Callable[[], Outcome]) -> tuple[Outcome, float]:
    """Return what a search says, and the median of its processor seconds in machine code."""
    seconds = []
    with tiers.compiled():
        ended(search())  # loads it
        for _ in range(_REPEATED):
            began = time.process_time()
            found = ended(search())
            seconds.append(time.process_time() - began)
    return found, median(seconds)


def overview(runs: int) -> tuple[str, Cells]:
    """Return all algorithms over sizes."""
    rows = [["algorithm", "queens", "solved %", "steps", "evaluations per solution", "ms per run"]]
    for solver, options in ALL.items():
        for n in (8, 12, 16):
            found = made(n, solver, runs, tuple(options.items()))
            evaluations = per_solution("evaluations")(found) if "evaluations" in found.statistics else ""
            spent = f"{1000 * float(found.seconds.mean()):.3g}"
            rows.append([solver, str(n), rate(found), mean(found.steps), evaluations, spent])
    for strategy in ("check", "bitmask", "forward"):
        for n in (8, 12, 16):
            solver = f"backtracking:{strategy}"
            one, seconds = _repeated(partial(board(n).solve, solver=solver))
            spent = f"{1000 * seconds:.3g}"
            rows.append(
                [f"backtracking:{strategy}", str(n), "always", f"{one.statistics['nodes']:,}", "", spent]
            )
    return (
        "All algorithms over sizes, by machine code; steps of backtracking and las-vegas are nodes, without "
        "an interval exact; ms are processor time of a whole call of backtracking, else a run's share",
        rows,
    )


ALL: Mapping[str, Mapping[str, Any]] = {
    "las-vegas": {},
    "local-search:annealing": {},
    "local-search:hill-climbing": {},
    "local-search:min-conflicts": {},
    "local-search:random-restart": {},
    "local-search:sideways": {"max_sideways": 100},
    "local-search:sosic-gu": {},
    "local-search:sosic-gu-4": {},
    "local-search:tabu": {},
}
"""The algorithms of the overview that make many runs."""
