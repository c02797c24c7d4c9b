"""Hill climbing with a random neighbour: success, steps, and the cost of a step with and without counters.

python examples/15_hill_climbing.py [attempts for each board, 300 by default]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from cpqueens.models.queens import queens

from cpqueens.backends.local_search.search import Search
from cpqueens.kernels.jit.decorators import inner_kernel, kernel
from cpqueens.kernels.jit.tiers import mode
from cpqueens.kernels.local.scan import FOUND, LAST, LEFT, best_neighbour
from cpqueens.lowered.forms import compile_model

LIMIT = 10_000  # steps of one attempt; on 6 x 6 some never end
READINGS = {
    "code": {"measure": "surplus", "shoulder": "take-and-shake"},
    "text": {"measure": "pairs", "shoulder": "jump"},
}


def success(n: int, attempts: int, reading: dict[str, Any]) -> str:
    """Return the success rate and the mean steps of a success as text."""
    runs = queens(n).runs("local-search:hill-climbing", attempts, step_limit=LIMIT, **reading)
    return f"{100 * runs.solved.mean():8.1f} % {runs.steps[runs.solved].mean():7.0f}"


@inner_kernel
def pairs(x: Any) -> Any:
    """Count attacking pairs by looking at every pair."""
    total = 0
    for i in range(x.shape[0]):
        for j in range(i):
            total += (x[i] == x[j] or abs(x[i] - x[j]) == i - j) + 0
    return total


@kernel
def scan_naively(x: Any) -> Any:
    """Evaluate all n (n - 1) neighbours from scratch, as the text's program does."""
    least = pairs(x)
    for i in range(x.shape[0]):
        own = x[i]
        for value in range(x.shape[0]):
            x[i] = value
            least = min(least, pairs(x))
        x[i] = own
    return least


@kernel
def scan_counted(s: Any, found: Any) -> Any:
    """Evaluate all neighbours by counters."""
    return best_neighbour(s, LAST, found)


def naive_cost(n: int) -> float:
    """Return the seconds of one naive step."""
    x = np.random.default_rng(n).permutation(n)
    return least_seconds(lambda: scan_naively(x))


def counted_cost(n: int) -> float:
    """Return the seconds of one step of the strategy: all neighbours by counters."""
    search = Search(compile_model(queens(n)), 1, assignment_only=True)
    search.start()
    found = np.zeros(FOUND, dtype=np.int64)
    found[LEFT] = 2**60  # evaluations: no limit
    return least_seconds(lambda: scan_counted(search.state, found))


def least_seconds(call: Callable[[], object]) -> float:
    """Return the smallest of three timings, without the first call, which compiles."""
    call()
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main(attempts: int = 300) -> None:
    """Print both tables."""
    print(f"{attempts} attempts each, step limit {LIMIT}: solved, mean steps of those")
    print(f"{'N':>4}" + "".join(f"{'reading of the ' + name:>20}" for name in READINGS))
    for n in (6, 8, 10, 12, 16):
        print(f"{n:4}" + "".join(f"{success(n, attempts, reading):>20}" for reading in READINGS.values()))
    print("\nmicroseconds for a step (all N (N - 1) neighbours)")
    print(f"{'N':>4}{'with counters':>16}{'/ N^2':>9}{'from scratch':>16}{'/ N^4':>9}{'ratio':>9}")
    for n in (32, 64, 128):
        with mode("compiled"):
            ours, theirs = 1e6 * counted_cost(n), 1e6 * naive_cost(n)
        print(f"{n:4}{ours:16.1f}{ours / n**2:9.4f}{theirs:16.0f}{theirs / n**4:9.5f}{theirs / ours:9.0f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
