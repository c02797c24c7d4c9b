"""Exchanges between lines, for permutations under equations of sums (magic squares).

Rows and columns are mended by swaps between two lines, and by pairs of swaps, looked up by differences.
Models without that structure, and starts from which nothing improves any more, are searched as by `auto`.

Source: Xie and Kang, "An evolutionary algorithm for magic squares", CEC 2003, for the moves; the look-up is
ours.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cpqueens.backends.base import Parameter
from cpqueens.backends.local_search import auto
from cpqueens.backends.local_search.search import End, Limits, Result, Search
from cpqueens.backends.local_search.slices import Sliced, permuted, slices
from cpqueens.backends.local_search.tracing import Recorder, watching
from cpqueens.kernels.jit.random import seed_state
from cpqueens.kernels.local import exchange as codes
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local.start import shuffle
from cpqueens.language.rows import IntArray
from cpqueens.lowered.structures.lines import LinesPermutation

PARAMETERS: Mapping[str, Parameter] = {
    "stall": Parameter(int, 2000, "steps without a smaller error that cause a new start"),
    "starts": Parameter(int, 10, "after which the search goes on as auto does on other models"),
}


def run(search: Search, options: Mapping[str, Any]) -> End:
    """Search like `auto`: the engine calls `solve_lines` before, where the pattern is found."""
    search.extra["strategy"] = "auto"
    return auto.run(search, {})


def solve_lines(
    pattern: LinesPermutation,
    seed: int,
    limits: Limits,
    options: Mapping[str, Any],
    recorder: Recorder | None = None,
) -> Result:
    """Search the pattern from random permutations; the reason is ``stalled`` if all starts got stuck."""
    n, random = pattern.size, seed_state(seed)
    x, place = np.arange(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    errors, info = np.zeros(len(pattern.lines), dtype=np.int64), np.zeros(codes.LENGTH, dtype=np.int64)
    seen, partner, found = (np.zeros(size, dtype=np.int64) for size in (2 * n, 4 * n, 4))
    state = codes.Lines(x, place, *_incidence(pattern), errors, seen, partner, info, random, found)
    starts = 0

    def advance(steps: int) -> int:
        return int(codes.exchange_search(steps, options["stall"], state))

    def now() -> tuple[IntArray, int]:
        return x + pattern.low, int(np.abs(errors).sum())

    watch = watching(recorder, info, now)
    reason: Sliced = "stalled"
    while reason == "stalled" and starts < options["starts"]:
        starts += 1
        shuffle(x, random)
        place[x] = np.arange(n)
        errors[:] = [x[line].sum() for line in pattern.lines]
        errors -= pattern.totals
        info[at.LEAST], info[at.STALL] = at.NEVER, 0
        if watch is not None:
            watch.shown("restart")
        reason = slices(advance, lambda: int(info[at.STEPS]), limits, watch)
    cost, layers, forced = int(np.abs(errors).sum()), {"sums": len(pattern.lines)}, int(info[codes.FORCED])
    return permuted(info, x + pattern.low, cost, reason, layers, starts - 1, forced_moves=forced)


def _incidence(pattern: LinesPermutation) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray]:
    """Return lines by cells, cells by lines (both compressed), and a common cell of each two lines."""
    count = len(pattern.lines)
    line_cells = np.concatenate(pattern.lines)
    line_of = np.repeat(np.arange(count), [len(line) for line in pattern.lines])
    line_start = np.searchsorted(line_of, np.arange(count + 1))
    order = np.lexsort((line_of, line_cells))
    cell_start = np.searchsorted(line_cells[order], np.arange(pattern.size + 1))
    cell_lines = line_of[order]
    cross = np.full((count, count), -1, dtype=np.int64)
    for k, line in enumerate(pattern.lines):
        for cell in line.tolist():
            cross[k, cell_lines[cell_start[cell] : cell_start[cell + 1]]] = cell
    return line_start, line_cells, cell_start, cell_lines, cross.ravel()
