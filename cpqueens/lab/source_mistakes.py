"""What the known mistakes of the sources cost: each source's program with and without them, measured.

The programs themselves are not at hand; `source_programs` has them written anew from what is known of them.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from cpqueens.answers.quality import wilson_interval
from cpqueens.lab.experiments import KINDS, FigureTable, made, told
from cpqueens.lab.source_programs import (
    MISSED,
    SOLVED,
    ClimbProgram,
    SidewaysProgram,
    SwapProgram,
    lengths,
    played,
)
from cpqueens.lab.source_tables import only
from cpqueens.language.rows import IntArray

LISTED = 1_500
"""Runs of the listing with aliased rows at most."""

_PROGRAM = "the source's program, measured by us"


def per_cent(some: int, of: int) -> str:
    """Return a share in per cent with its Wilson interval.

    >>> per_cent(2, 100)
    '2 [1, 7] %'
    """
    low, high = wilson_interval(some, of)
    return told(100 * some / of, 100 * low, 100 * high) + " %"


def aliased_rows(runs: int) -> FigureTable:
    """Return what becomes of the listing of random neighbours if all rows of a neighbour's board are one."""
    rows = [["rows of a neighbour's board", f"{_PROGRAM}: solved", "runs"]]
    for what, program, share in (
        ("one row, as in its JavaScript", ClimbProgram(aliased=True), 1.0),
        ("separate, as in its C++", ClimbProgram(), 0.25),
    ):
        number = max(20, round(share * min(LISTED, runs)))
        ends = [run.end for run in played(program, 8, number)]
        rows.append([what, per_cent(ends.count(SOLVED), number), f"{number:,}"])
    caption = "Its program as printed, with aliased rows and without (8 queens)"
    return FigureTable("aliased-rows", caption, rows, only("aliased-rows", runs))


_SIDEWAYS: tuple[tuple[str, SidewaysProgram], ...] = (
    ("none", SidewaysProgram(10)),
    ("the first state of each path counts as a sideways move", SidewaysProgram(10, counts_starts=True)),
    ("what its last try reached is not tested", SidewaysProgram(10, forgets_last=True)),
    ("columns of the start are rounded", SidewaysProgram(10, rounds=True)),
    ("these three", SidewaysProgram(10, True, True, True)),
    (
        "inferred, seen in no listing: the choice among the best moves is rounded as well",
        SidewaysProgram(10, rounds_choice=True),
    ),
)


def sideways_mistakes(runs: int) -> FigureTable:
    """Return what each mistake of the program with sideways moves costs."""
    number = min(10_000, 2 * runs)
    rows = [["mistake", f"{_PROGRAM}: solved", "missed", "runs"]]
    for what, program in _SIDEWAYS:
        ends = Counter(run.end for run in played(program, 8, number))
        rows.append([what, *(per_cent(ends[end], number) for end in (SOLVED, MISSED)), f"{number:,}"])
    caption = (
        "Its program with its mistakes, one by one. 8 queens, at most ten sideways moves in a row; missed is "
        "what was solved and reported as a failure"
    )
    return FigureTable("sideways-mistakes", caption, rows, only("sideways-mistakes", runs))


_SWAPS: tuple[tuple[str, SwapProgram], ...] = (
    ("none", SwapProgram()),
    ("only later rows are looked at", SwapProgram(later_only=True)),
    ("a biased shuffle after every pass", SwapProgram(each_pass=True)),
    ("both: its program with the trial board refreshed", SwapProgram(True, True)),
    ("all three: the trial board not refreshed, as its program is read", SwapProgram(True, True, True)),
)


def swap_mistakes(runs: int) -> FigureTable:
    """Return how many restarts each mistake of the survey's program costs."""
    sizes = {n: max(20, min(most, 2 * runs // n)) for n, most in ((8, 2000), (14, 600), (20, 300))}
    rows = [["mistake", *(f"{n} queens, {many:,} runs" for n, many in sizes.items())]]
    for what, program in _SWAPS:
        runs_of = (lengths(played(program, n, many)) for n, many in sizes.items())
        rows.append([what, *(KINDS["a run"](found) for found in runs_of)])
    caption = f"Restarts with the mistakes of the survey's program, one by one ({_PROGRAM})"
    return FigureTable("swap-mistakes", caption, rows, only("swap-mistakes", runs))


_WATCHED = (0, 10, 20)
"""Places in the course of temperatures: 100, 10.7 and 1.15."""


def acceptance(runs: int) -> FigureTable:
    """Return how often the two rules of annealing take a worse move."""
    from cpqueens.backends.local_search.rowwise import course

    number = max(20, runs // 20)
    tables = [_worse_moves(rule, number) for rule in ("coarse", "metropolis")]
    rows = [["temperature", "the survey's rule, ours", "the usual rule, ours", "runs"]]
    for place in _WATCHED:
        shares = (per_cent(int(taken[place]), int(worse[place])) for worse, taken in tables)
        rows.append([f"{course()[place]:.3g}", *shares, f"{number:,}"])
    caption = "Worse moves that are taken, by either rule (8 queens)"
    return FigureTable("acceptance", caption, rows, only("acceptance", runs))


def _worse_moves(rule: str, runs: int) -> tuple[IntArray, IntArray]:
    found = made(8, "local-search:annealing", runs, (("schedule", "rowwise"), ("rule", rule)))
    worse, taken = (np.asarray(found.statistics[name]).sum(axis=0) for name in ("worse", "accepted"))
    return worse, taken
