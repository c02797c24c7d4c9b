"""The classical systems for queens with seeds, through `Model.runs`, against C++ on this machine.

Run as ``python tests/benchmarks/bench_classical.py``; ``--help`` names the options. ``c/classical.cpp`` has
the same systems as one writes them down, compiled with g++ -O2: neighbours are evaluated by counters of
queens per line or, afresh, by counting, as texts do. It says itself what its runs took, so that its start
does not count; of ours all counts that a warm `Model.runs` does, the checker included. Turns are interleaved,
each with seeds of its own; the median of the processor time of a run is printed. Runs differ in their number
of steps, from seed to seed and from generator to generator: the mean of each is printed too.

Then all solutions, one by one, in three representations.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import kept
from cpqueens.models.queens import queens
from race import arguments, positive

SOURCE = Path(__file__).parent / "c" / "classical.cpp"


class System(NamedTuple):
    """A system as both have it: its name in C++, and ours."""

    name: str
    solver: str
    options: Mapping[str, Any] = {}
    counts: bool = True  # whether it evaluates neighbours, which can be done afresh
    costly: int = 10  # it makes so many times fewer runs in a turn


SYSTEMS = {
    "hill climbing, surplus, take and shake": System("climb-code", "local-search:hill-climbing"),
    "hill climbing, pairs, jump": System(
        "climb-text", "local-search:hill-climbing", {"measure": "pairs", "shoulder": "jump"}
    ),
    "at most 100 sideways moves": System("sideways", "local-search:sideways"),
    "Sosic and Gu, QS1": System("sosic-gu", "local-search:sosic-gu", {}, False, 1),
    "annealing by rows, coarse rule": System(
        "rowwise", "local-search:annealing", {"schedule": "rowwise"}, True, 100
    ),
    "Las Vegas": System("las-vegas", "las-vegas", {}, False, 1),
}
COLUMNS = ("N", "ours", "C++", "ratio", "afresh", "ratio")
REPRESENTATIONS = ("check", "table", "rowmask")


class Turn(NamedTuple):
    """Seconds, steps and solved ones of a run, on average over a turn."""

    seconds: float
    steps: float
    solved: float


def ours(n: int, system: System, runs: int) -> Callable[[int], Turn]:
    """Return what makes the runs of a turn on a warm model."""
    model = queens(n)

    def turn(number: int) -> Turn:
        began = time.process_time()
        seeds = range(number * runs, (number + 1) * runs)
        made = model.runs(system.solver, seeds, **system.options)
        spent = time.process_time() - began
        return Turn(spent / runs, float(made.steps.mean()), float(made.solved.mean()))

    return turn


def in_cpp(program: Path, n: int, name: str, runs: int, *more: str) -> Callable[[int], Turn]:
    """Return what lets the program make the runs of a turn."""

    def turn(number: int) -> Turn:
        command = [str(program), name, str(n), str(runs), str(number), *more]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        return Turn(float(said[2]) / runs, int(said[1]) / runs, int(said[0]) / runs)

    return turn


def race(works: Sequence[Callable[[int], Turn]], rounds: int) -> list[Turn]:
    """Let all have their turns, after a warm-up; return the median of each field."""
    turns: list[list[Turn]] = [[] for _ in works]
    for number in range(rounds + 1):
        for work, mine in zip(works, turns, strict=True):
            mine.append(work(number))
    medians = [[statistics.median(values) for values in zip(*mine[1:], strict=True)] for mine in turns]
    return [Turn(*fields) for fields in medians]


def bench_systems(
    program: Path, chosen: Mapping[str, System], sizes: list[int], runs: int, rounds: int
) -> None:
    """Print the table of the systems with seeds."""
    print(f"microseconds of a run; up to {runs} a turn, median of {rounds} turns; below 1: ours is faster")
    head = "".join(f"{word:>{width}}" for word, width in zip(COLUMNS, (43, 10, 10, 7, 10, 7), strict=True))
    print(f"{head}   steps, solved: ours, C++")
    for label, system in chosen.items():
        for n in sizes:
            number = max(10, runs // system.costly)
            works = [ours(n, system, number), in_cpp(program, n, system.name, number)]
            if system.counts:
                works.append(in_cpp(program, n, system.name, max(2, number // 10), "afresh"))
            mine, theirs, *others = race(works, rounds)
            text = "".join(
                f"{1e6 * other.seconds:10.2f}{mine.seconds / other.seconds:7.2f}"
                for other in (theirs, *others)
            )
            counts = f"{mine.steps:.0f}, {mine.solved:.0%}; {theirs.steps:.0f}, {theirs.solved:.0%}"
            print(f"{label:40}{n:3}{1e6 * mine.seconds:10.2f}{text:34}   {counts}", flush=True)
            names = ("cpqueens, a run", "C++", "C++, counting afresh")[: len(works)]
            named = zip(names, (mine, theirs, *others), strict=True)
            kept.keep_race(f"{label}, {n} queens", {name: (turn.seconds, False) for name, turn in named})


def counted(n: int, solver: str) -> Callable[[int], Turn]:
    """Return what counts all solutions one by one on a warm model."""
    model = queens(n)

    def turn(number: int) -> Turn:
        began = time.process_time()
        found = model.count(solver=solver, num_workers=1)
        return Turn(time.process_time() - began, 0, found)

    return turn


def bench_counts(program: Path, chosen: Sequence[str], sizes: list[int], rounds: int) -> None:
    """Print the table of the searches for all solutions."""
    print("\nmilliseconds for all solutions, one by one")
    for name in chosen:
        for n in sizes:
            works = [counted(n, f"backtracking:{name}"), in_cpp(program, n, name, 1)]
            mine, theirs = race(works, rounds)
            assert mine.solved == theirs.solved, (mine, theirs)
            ratio = mine.seconds / theirs.seconds
            print(
                f"{name:40}{n:3}{1e3 * mine.seconds:10.2f}{1e3 * theirs.seconds:10.2f}{ratio:7.2f}",
                flush=True,
            )
            both = {"cpqueens, a run": (mine.seconds, False), "C++": (theirs.seconds, False)}
            kept.keep_race(f"all solutions by {name}, {n} queens", both)


def main() -> None:
    """Print the tables."""
    parser = arguments(__doc__, rounds=5)
    parser.add_argument("--sizes", type=int, nargs="*", default=[8, 14, 20], help="boards of the systems")
    parser.add_argument("--all", type=int, nargs="*", default=[12, 14], help="boards of all solutions")
    parser.add_argument(
        "--runs", type=positive, default=10_000, help="runs of a turn, of costly systems fewer"
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="systems whose name has this in it")
    options = parser.parse_args()
    if shutil.which("g++") is None:
        print("not measured: g++ is needed (Debian: apt-get install g++)")
        return
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "classical"
        subprocess.run(["g++", "-O2", "-o", str(program), str(SOURCE)], check=True)
        systems = {label: system for label, system in SYSTEMS.items() if options.only in label}
        if systems:
            bench_systems(program, systems, options.sizes, options.runs, options.rounds)
        representations = [name for name in REPRESENTATIONS if options.only in name]
        if representations:
            bench_counts(program, representations, options.all, options.rounds)


if __name__ == "__main__":
    main()
