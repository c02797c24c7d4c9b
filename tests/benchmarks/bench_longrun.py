"""What a ledger costs: counting queens in parts against counting at once, resumed, with two workers, on dask.

Run as ``python tests/benchmarks/bench_longrun.py``; ``--help`` names the options. Figures are processor
seconds of this process and all that it started; what is compared takes turns in one run. A ratio of wall time
says something on a quiet machine alone. For each size:

* `at once`: `Model.count` with ``backtracking:halves`` and two threads, in this process;
* `ledger`: `durable_count` with two workers, the start of their processes and all; `of which ours` is what
  the coordinator took, the ledger's own cost;
* `resumed`: the same, interrupted so many times on the way;
* `unlinked`: two processes that know nothing of each other, each counting everything: what one of them took
  over what the two workers took together is what is left of the gain of two.

In the end tasks a second that dask hands out here, and what the sizes say about 27 queens.
"""

from __future__ import annotations

import math
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import kept
from cpqueens.models.queens import queens
from race import WrongResult, arguments, positive, used

from cpqueens import durable_count

PUBLISHED = {
    14: 365_596, 15: 2_279_184, 16: 14_772_512, 17: 95_815_104, 18: 666_090_624, 19: 4_968_057_848,
    20: 39_029_188_884, 21: 314_666_222_712, 22: 2_691_008_701_644,
}  # fmt: skip
"""OEIS A000170."""
TARGET = 27
TASK_SECONDS = 30.0
"""Of a task of a job for many machines."""
COUNT = "from cpqueens.models.queens import queens; print(queens({n}).count(solver='backtracking:halves'))"


@dataclass(frozen=True)
class Cost:
    """Of one run: processor seconds of all, of this process alone, and seconds on the clock."""

    all: float
    ours: float
    wall: float


def cost(n: int, work: Callable[[], int]) -> Cost:
    """Do a job, which must find the published number.

    Raises
    ------
    WrongResult
        If it does not.
    """
    before, own, clock = used(), time.process_time(), time.perf_counter()
    found = work()
    spent = Cost(used() - before, time.process_time() - own, time.perf_counter() - clock)
    if found != PUBLISHED[n]:
        raise WrongResult(f"{n} queens: {found} found, {PUBLISHED[n]} published")
    return spent


def in_parts(n: int, interrupts: int = 0) -> int:
    """Count with a ledger and two workers, interrupted at equal shares of the parts."""
    with tempfile.TemporaryDirectory() as folder:
        for session in range(interrupts + 1):
            found = durable_count(
                queens(n),
                f"{folder}/run.db",
                workers=2,
                on_progress=stopping((session + 1) / (interrupts + 1)),
            )
        if not found.complete:
            raise WrongResult(f"{n} queens: stopped by {found.stop_reason}")
        return found.count


def stopping(share: float) -> Callable[[dict[str, Any]], None]:
    """Return what interrupts a run once a share of its parts is done; that of the whole does not."""
    left = [1] if share < 1 else []

    def note(state: dict[str, Any]) -> None:
        if left and share * state["total"] <= state["done"] < state["total"]:
            left.pop()
            signal.raise_signal(signal.SIGINT)

    return note


def unlinked(n: int) -> int:
    """Have two processes count everything at the same time."""
    command = [sys.executable, "-c", COUNT.format(n=n)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    counts = [int(process.communicate()[0]) for process in both]
    return counts[0] if counts[0] == counts[1] else -1


def measured(n: int, rounds: int, interrupts: int) -> dict[str, Cost]:
    """Return the medians of all works on one size, which take turns."""
    works: dict[str, Callable[[], int]] = {
        "at once": lambda: queens(n).count(solver="backtracking:halves", num_workers=2),
        "ledger": lambda: in_parts(n),
        "resumed": lambda: in_parts(n, interrupts),
        "unlinked": lambda: unlinked(n),
    }
    found: dict[str, list[Cost]] = {name: [] for name in works}
    cost(14, lambda: queens(14).count(solver="backtracking:halves"))  # kernels are there
    for _ in range(rounds):
        for name, work in works.items():
            found[name].append(cost(n, work))
    return {name: middle(costs) for name, costs in found.items()}


def middle(costs: list[Cost]) -> Cost:
    """Return the median of each figure."""
    return Cost(*(statistics.median(getattr(c, name) for c in costs) for name in ("all", "ours", "wall")))


def row(n: int, costs: dict[str, Cost], interrupts: int) -> None:
    """Print a size."""
    once, ledger, resumed, two = (costs[name] for name in ("at once", "ledger", "resumed", "unlinked"))
    each = (resumed.all - ledger.all) / interrupts
    named = {"ledger, two workers": ledger, "at once, two threads": once, "resumed, two workers": resumed}
    kept.keep_race(f"count {n} queens", {name: (cost.all, False) for name, cost in named.items()})
    print(
        f"{n:4}{once.all:10.2f}{ledger.all:10.2f}{ledger.all / once.all:8.2f}{ledger.ours:10.2f}"
        f"{100 * ledger.ours / ledger.all:7.1f} %{each:12.2f}{100 * each / ledger.all:7.1f} %"
        f"{two.all / 2 / ledger.all:14.2f}{two.wall / 2 / ledger.wall:8.2f}",
        flush=True,
    )


def tasks_a_second(tasks: int) -> None:
    """Print how many empty tasks dask hands out here, with two worker processes."""
    try:
        import distributed
    except ImportError:
        print("dask: not measured: pip install distributed")
        return
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        executor = client.get_executor(pure=False)
        before, clock = time.process_time(), time.perf_counter()
        for future in [executor.submit(abs, -k) for k in range(tasks)]:
            future.result()
        spent, wall = time.process_time() - before, time.perf_counter() - clock
    print(
        f"\ndask: {tasks:,} empty tasks in {wall:.1f} s, {tasks / wall:,.0f} a second; scheduler and client "
        f"took {1000 * spent / tasks:.2f} ms of a processor each: with tasks of {TASK_SECONDS:g} s that is "
        f"enough for {TASK_SECONDS * tasks / spent:,.0f} cores"
    )


def extrapolated(seconds: dict[int, float], memory: int) -> None:
    """Print core-hours as measured, and what the growth between sizes of one parity makes of 27 queens."""
    print("\n   n  core-hours")
    for n, spent in seconds.items():
        kept.keep_cells("core-hours", f"{n} queens", {"core-hours": spent / 3600})
    for n, spent in seconds.items():
        print(f"{n:4}  {spent / 3600:10.6f}")
    largest = max(seconds)
    if largest - 2 not in seconds:
        return
    growth = math.sqrt(seconds[largest] / seconds[largest - 2])
    hours = seconds[largest] * growth ** (TARGET - largest) / 3600
    print(
        f"{TARGET} queens, if each further size takes {growth:.1f} times as long as here from {largest - 2} "
        f"to {largest}: {hours:,.0f} core-hours ({hours / 8766:,.0f} core-years), "
        f"{3600 * hours / TASK_SECONDS:,.0f} tasks of {TASK_SECONDS:g} s. A worker took at most "
        f"{memory / 1024:,.0f} MiB at {largest}; its tables grow with the size, and the kernel counts up to "
        f"{max(PUBLISHED)}.\nPublished: 28.4 days on eight RTX 5090 (arXiv 2511.12009)."
    )


def main() -> None:
    """Print all tables."""
    parser = arguments(__doc__, 1)
    parser.add_argument("--sizes", type=positive, nargs="+", default=[16, 17, 18], choices=sorted(PUBLISHED))
    parser.add_argument("--interrupts", type=positive, default=2, help="of a resumed run (2)")
    parser.add_argument("--tasks", type=positive, default=3000, help="empty tasks for dask (3000)")
    given = parser.parse_args()
    print(
        f"{'n':>4}{'at once':>10}{'ledger':>10}{'ratio':>8}{'of which ours':>19}{'one resumption':>21}"
        f"{'unlinked: cpu':>14}{'wall':>8}"
    )
    spent: dict[int, float] = {}
    for n in sorted(set(given.sizes)):
        costs = measured(n, given.rounds, given.interrupts)
        row(n, costs, given.interrupts)
        spent[n] = costs["at once"].all  # what grows: the start of workers does not
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    tasks_a_second(given.tasks)
    extrapolated(spent, memory)


if __name__ == "__main__":
    main()
