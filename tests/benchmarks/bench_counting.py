"""Counting queens, of which no solution is seen, and listing them, against C and C++; threads; strategies.

Run as ``python tests/benchmarks/bench_counting.py``; ``--help`` names the options, ``race.py`` says how it is
measured and what ``--against "./program {n}"`` asks of a program that counts n queens. The programs in ``c/``
are compiled with gcc -O3 -march=native into a temporary folder: `symmetry_classes` counts one of each class
of eight, `listing` is the search of our strategy `bitmask`. Ours goes through `Model.count` and
`Model.enumerate` with the strategy that the row names, and checks every solution that it lists.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import kept
from cpqueens.models.queens import queens
from race import Absent, Work, against, arguments, race, show

SOURCES = Path(__file__).parent / "c"
NO_COMPILER = Absent("gcc is needed (Debian: apt-get install gcc)")
STRATEGIES = ("bitmask", "rowmask", "table", "check", "forward")


def build(folder: Path) -> dict[str, Path]:
    """Compile the C programs; return them by name, none without a compiler."""
    if shutil.which("gcc") is None:
        return {}
    programs = {}
    for source in sorted(SOURCES.glob("*.c")):
        programs[source.stem] = folder / source.stem
        command = ["gcc", "-O3", "-march=native", "-o", str(programs[source.stem]), str(source)]
        subprocess.run(command, check=True)
    return programs


def counted(n: int, solver: str) -> Work:
    """Count with one thread."""
    return lambda turn: queens(n).count(solver=solver, num_workers=1)


def listed(n: int, solver: str) -> Work:
    """List into one array, each solution checked, and read every value."""

    def work(turn: int) -> int:
        matrix = queens(n).enumerate(solver=solver, num_workers=1).solutions.matrix
        assert int(matrix.sum()) == len(matrix) * n * (n - 1) // 2
        return len(matrix)

    return work


def in_c(program: Path | None, n: int, expected: int, patience: float, *more: str) -> Work | Absent:
    """One of our C programs."""
    if program is None:
        return NO_COMPILER
    return against(" ".join([str(program), "{n}", *more]), n, patience, expected)


def bench_count(
    sizes: list[int], others: list[str], programs: dict[str, Path], rounds: int, patience: float
) -> None:
    """Print counts by meeting in the middle beside programs that count."""
    for n in sizes:
        expected = queens(n).count(solver="backtracking", num_workers=1)
        works: dict[str, Work | Absent] = {"cpqueens, backtracking (halves)": counted(n, "backtracking")}
        for command in others:
            works[f"--against {command}"] = against(command, n, patience, expected)
        if not others:
            works["C, symmetry_classes"] = in_c(programs.get("symmetry_classes"), n, expected, patience)
        show(f"count {n} queens", race(works, rounds), "one thread each; no solution is seen by any")


def bench_same_search(sizes: list[int], programs: dict[str, Path], rounds: int, patience: float) -> None:
    """Print the same search in Python, compiled by Numba, and in C."""
    program = programs.get("listing")
    for n in sizes:
        solver = "backtracking:bitmask"
        expected = queens(n).count(solver=solver, num_workers=1)
        works = {"cpqueens, bitmask": counted(n, solver)}
        entries = race({**works, "C, the same search": in_c(program, n, expected, patience, "count")}, rounds)
        show(f"count {n} queens one by one", entries)
        works = {"cpqueens, bitmask, checked": listed(n, solver)}
        entries = race({**works, "C, unchecked": in_c(program, n, expected, patience)}, rounds)
        show(f"list {n} queens into arrays", entries)


def bench_strategies(n: int, rounds: int) -> None:
    """Print the strategies of the exact engine on one board."""
    works = {f"backtracking:{name}": counted(n, f"backtracking:{name}") for name in STRATEGIES}
    show(f"count {n} queens one by one, by strategy", race(works, rounds), "divided by the first")


def wall(n: int, workers: int) -> float:
    """Return the seconds of the wall clock that a whole count takes."""
    started = time.perf_counter()
    queens(n).count(solver="backtracking", num_workers=workers)
    return time.perf_counter() - started


def bench_threads(n: int, rounds: int) -> None:
    """Print the wall time of one and of two threads."""
    pairs = [(wall(n, 1), wall(n, 2)) for _ in range(rounds)]
    one, two = (statistics.median(times) for times in zip(*pairs, strict=True))
    gains = sorted(a / b for a, b in pairs)
    print(
        f"\ncount {n} queens, wall clock: one thread {one:.2f} s, two {two:.2f} s: {one / two:.2f} times"
        f" ({gains[0]:.2f} to {gains[-1]:.2f})",
        flush=True,
    )
    told = {"one thread, s": one, "two threads, s": two, "gain": one / two}
    kept.keep_cells("wall clock of counts in threads", f"{n} queens", told)


def main() -> None:
    """Print the tables."""
    parser = arguments(__doc__, rounds=3)
    parser.add_argument("--sizes", type=int, nargs="*", default=[14, 15, 16], help="boards that are counted")
    parser.add_argument("--against", action="append", default=[], metavar="COMMAND", help="see race.py")
    parser.add_argument("--listing", type=int, nargs="*", default=[12, 14], help="boards for bitmask")
    parser.add_argument("--strategies", type=int, nargs="*", default=[11], help="boards for all strategies")
    parser.add_argument("--threads", type=int, nargs="*", default=[18], help="boards for one and two threads")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        programs = build(Path(folder))
        bench_count(options.sizes, options.against, programs, options.rounds, options.patience)
        bench_same_search(options.listing, programs, options.rounds, options.patience)
    for n in options.strategies:
        bench_strategies(n, options.rounds)
    for n in options.threads:
        bench_threads(n, options.rounds)


if __name__ == "__main__":
    main()
