"""What the known mistakes of the sources cost: each source's program with and without them, measured.

The programs themselves are not at hand; `source_programs` has them written anew from what is known of them.
"""

from __future__ import annotations

import random
from collections import Counter

import numpy as np

from cpqueens.answers.statistics import wilson_interval
from cpqueens.lab.experiments import Cells, made, mean, told
from cpqueens.lab.source_programs import FAILED, MISSED, SOLVED, SidewaysProgram, SwapProgram, climb, outcomes
from cpqueens.language.rows import IntArray

LISTED = 1_500
"""Runs in which the listing with aliased rows was seen to solve nothing."""


def per_cent(some: int, of: int) -> str:
    """Return a share in per cent with its Wilson interval.

    >>> per_cent(2, 100)
    '2 (1 to 7) %'
    """
    low, high = wilson_interval(some, of)
    return told(100 * some / of, 100 * low, 100 * high) + " %"


def aliased_rows(runs: int) -> tuple[str, Cells]:
    """Return what becomes of A1's listing if all rows of a neighbour's board are one."""
    number = min(LISTED, 4 * runs)
    rng = random.Random(0)
    rows = [["rows of a neighbour's board", "published", "runs", "solved", "share (95 % interval)"]]
    for aliased, many in ((True, number), (False, max(10, number // 15))):
        solved = [climb(8, rng, aliased) for _ in range(many)].count(SOLVED)
        published = "0 of 1,500" if aliased else "96.9 %"
        what = "one row, as in its JavaScript" if aliased else "separate, as in its C++"
        rows.append([what, published, f"{many:,}", f"{solved:,}", per_cent(solved, many)])
    return "Its program as printed, with aliased rows and without (8 queens)", rows


_SIDEWAYS: tuple[tuple[str, str, SidewaysProgram], ...] = (
    ("none", "58 %, of ours", SidewaysProgram(10)),
    ("the first state of each path counts as a sideways move", "", SidewaysProgram(10, counts_starts=True)),
    ("what its last try reached is not tested", "2 % missed", SidewaysProgram(10, forgets_last=True)),
    ("columns of the start are rounded", "", SidewaysProgram(10, rounds=True)),
    ("all three", "", SidewaysProgram(10, True, True, True)),
)


def sideways_mistakes(runs: int) -> tuple[str, Cells]:
    """Return what each mistake of A2's program costs."""
    number = min(20_000, 10 * runs)
    rows = [["mistake", "published", "solved", "missed", "runs"]]
    for what, published, program in _SIDEWAYS:
        ends = Counter(outcomes(program, 8, number))
        assert sum(ends[end] for end in (SOLVED, MISSED, FAILED)) == number
        shares = (per_cent(ends[end], number) for end in (SOLVED, MISSED))
        rows.append([what, published, *shares, f"{number:,}"])
    return (
        "Its program with its mistakes, one by one: 8 queens, at most ten sideways moves in a row; missed is "
        "what was solved and reported as a failure",
        rows,
    )


_SWAPS: tuple[tuple[str, SwapProgram], ...] = (
    ("none", SwapProgram()),
    ("only later rows are looked at", SwapProgram(later_only=True)),
    ("a biased shuffle after every pass", SwapProgram(each_pass=True)),
    ("both", SwapProgram(True, True)),
    ("both, and a stale count", SwapProgram(True, True, True)),
)


def swap_mistakes(runs: int) -> tuple[str, Cells]:
    """Return how many restarts each mistake of the survey's program costs."""
    sizes = {n: max(20, min(most, 3 * runs // n)) for n, most in ((8, 2000), (14, 600), (20, 300))}
    rows = [["mistake", *(f"N={n}" for n in sizes)]]
    for what, program in _SWAPS:
        rows.append([what, *(mean(_restarts(program, n, many)) for n, many in sizes.items())])
    rows.append(["published of its program", "9.4", "55", "93"])
    said = ", ".join(f"{many:,} at N={n}" for n, many in sizes.items())
    return f"Restarts of its program with its mistakes, one by one (runs: {said})", rows


def _restarts(program: SwapProgram, n: int, runs: int) -> list[int]:
    return [program.restarts(n, random.Random(seed)) for seed in range(runs)]


_WATCHED = (0, 10, 20)
"""Places in the course of temperatures: 100, 10.7 and 1.15."""
_ACCEPTED = {"coarse": ("10.0 %", "9.1 %", "2.7 %"), "metropolis": ("98.4 %", "85.8 %", "24.4 %")}
"""As published for 8 queens."""


def acceptance(runs: int) -> tuple[str, Cells]:
    """Return how often A8's two rules take a worse move."""
    from cpqueens.backends.local_search.rowwise import course

    rows = [["temperature", "its rule", "published", "the usual one", "published"]]
    tables = {rule: _worse_moves(rule, max(20, runs // 20)) for rule in _ACCEPTED}
    for k, place in enumerate(_WATCHED):
        cells = [f"{course()[place]:.3g}"]
        for rule, (worse, taken) in tables.items():
            cells += [per_cent(int(taken[place]), int(worse[place])), _ACCEPTED[rule][k]]
        rows.append(cells)
    return "Worse moves that are taken, by its rule and by the usual one (8 queens)", rows


def _worse_moves(rule: str, runs: int) -> tuple[IntArray, IntArray]:
    found = made(8, "local-search:annealing", runs, (("schedule", "rowwise"), ("rule", rule)))
    worse, taken = (np.asarray(found.statistics[name]).sum(axis=0) for name in ("worse", "accepted"))
    return worse, taken
