"""Compare counting and listing with C on this machine, by ratio: ours and C take turns in one run.

Run as ``python tests/benchmarks/bench_counting.py``; ``--help`` names the options. The C programs in ``c/``
are compiled with gcc -O3 -march=native into a temporary folder. Each figure is the median of several runs of
processor time (the machine may be shared), each of C's a whole process, which starts in a millisecond.
"Cold" is a new process of ours with an empty cache, "new" one with compiled kernels at hand.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from cpqueens.backends.backtracking.halves import count
from cpqueens.kernels.bitmask import BitmaskSearch
from cpqueens.kernels.pattern import queens
from cpqueens.kernels.search import PatternSearch
from cpqueens.kernels.tables import CheckSearch, RowmaskSearch, TableSearch

SOURCES = Path(__file__).parent / "c"
START = """
from cpqueens.kernels.bitmask import BitmaskSearch
from cpqueens.kernels.pattern import queens
search = BitmaskSearch(queens(8))
while not search.exhausted:
    search.count()
assert search.solutions == 92
"""
START_HALVES = "from cpqueens.backends.backtracking.halves import count; assert count(8).count == 92"


def build(folder: Path) -> dict[str, Path]:
    """Compile the C programs; return them by name."""
    programs = {}
    for source in sorted(SOURCES.glob("*.c")):
        programs[source.stem] = folder / source.stem
        command = ["gcc", "-O3", "-march=native", "-o", str(programs[source.stem]), str(source)]
        subprocess.run(command, check=True)
    return programs


def run_c(program: Path, *arguments: object) -> tuple[int, float]:
    """Run a C program; return the first number that it prints and its processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [str(program), *map(str, arguments)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return int(output.split()[0]), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def timed(function: Callable[[], int]) -> tuple[int, float]:
    """Call a function; return its result and the processor seconds of this process."""
    started = time.process_time()
    result = function()
    return result, time.process_time() - started


def count_halves(n: int) -> int:
    """Count n queens by halves with one thread."""
    return count(n).count


def exhaust(search: PatternSearch, listing: bool = False) -> int:
    """Search to the end, counting or writing batches of 4096 solutions; return the number of solutions."""
    out = np.zeros((4096, search.pattern.n), dtype=np.uint8)
    while not search.exhausted:
        search.fill(out) if listing else search.count()
    return search.solutions


def row(what: str, ours: Callable[[], int], other: Callable[[], tuple[int, float]], repeats: int) -> float:
    """Print one line: both medians and their ratio; return the median of ours."""
    pairs = []
    for _ in range(repeats):
        (a, seconds), (b, seconds_c) = timed(ours), other()
        if a != b:
            raise SystemExit(f"{what}: {a} and {b} differ")
        pairs.append((seconds, seconds_c))
    mine, c = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(x / max(y, 1e-9) for x, y in pairs)
    print(f"{what:44} {mine:10.4f} {c:10.4f} {ratio:8.3f} {1 / ratio:8.1f}", flush=True)
    return mine


def start_up(code: str, repeats: int) -> tuple[float, float]:
    """Return seconds of a new process with an empty cache, and the median with a filled one."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        seconds = []
        for _ in range(repeats + 1):
            started = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], env=environment, check=True)
            seconds.append(time.perf_counter() - started)
    return seconds[0], statistics.median(seconds[1:])


def pace(n: int, workers: int, seconds: float) -> float:
    """Return the seconds of the wall clock that a whole count takes, by what is done after some seconds."""
    started = time.perf_counter()
    done = count(n, num_workers=workers, should_stop=lambda: time.perf_counter() - started > seconds)
    return (time.perf_counter() - started) * done.units_total / done.units_done


def threads(n: int, seconds: float, repeats: int) -> None:
    """Print the median pace of one and of two threads on n queens, in turns of at most some seconds."""
    pairs = [(pace(n, 1, seconds), pace(n, 2, seconds)) for _ in range(repeats)]
    one, two = (statistics.median(paces) for paces in zip(*pairs, strict=True))
    ratios = sorted(a / b for a, b in pairs)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"n = {n}: one thread {one:.1f} s, two {two:.1f} s (of the wall clock, the whole count by the share"
        f" done), {statistics.median(ratios):.2f} times ({ratios[0]:.2f} to {ratios[-1]:.2f}); peak memory so"
        f" far {peak:.2f} GiB",
        flush=True,
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[14, 15, 16], help="boards for halves")
    parser.add_argument("--plain", type=int, default=16, help="largest board for plain backtracking in C")
    parser.add_argument("--listing", type=int, nargs="*", default=[12, 13, 14], help="boards for bitmask")
    parser.add_argument("--threads", type=int, nargs="*", default=[], help="boards for one and two threads")
    parser.add_argument("--seconds", type=float, default=10.0, help="at most so long for each of --threads")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        programs = build(Path(folder))
        print(f"{'':44} {'ours s':>10} {'C s':>10} {'ours/C':>8} {'C/ours':>8}")
        count(12), exhaust(BitmaskSearch(queens(8))), exhaust(BitmaskSearch(queens(8)), listing=True)
        for n in options.sizes:
            for name in ("half_board", "symmetry_classes"):
                if name == "symmetry_classes" or n <= options.plain:
                    run = partial(count_halves, n)
                    row(f"n = {n}: halves, C {name}", run, partial(run_c, programs[name], n), options.repeats)
        for n in options.listing:
            for listing in (False, True):
                run = partial(lambda n, listing: exhaust(BitmaskSearch(queens(n)), listing), n, listing)
                arguments = () if listing else ("count",)
                what = f"n = {n}: bitmask {'lists' if listing else 'counts'}, C the same search"
                seconds = row(what, run, partial(run_c, programs["listing"], n, *arguments), options.repeats)
                if listing:
                    print(f"    {exhaust(BitmaskSearch(queens(n))) / seconds / 1e6:.2f} million solutions/s")
    print("\nrepresentations, n = 11, all solutions:")
    for kind in (BitmaskSearch, RowmaskSearch, TableSearch, CheckSearch):
        exhaust(kind(queens(4)))
        search = kind(queens(11))
        run = partial(lambda kind: exhaust(kind(queens(11))), kind)
        seconds = statistics.median(timed(run)[1] for _ in range(3))
        exhaust(search)
        print(f"    {kind.__name__:16} {search.nodes} nodes {seconds * 1e3:8.2f} ms")
    print("\n8 queens in a new process (imports included):")
    for name, code in (("bitmask", START), ("halves", START_HALVES)):
        cold, new = start_up(code, options.repeats)
        print(f"    {name:8} cold {cold:.2f} s, new {new:.2f} s")
    for n in options.threads:
        threads(n, options.seconds, options.repeats)


if __name__ == "__main__":
    main()
