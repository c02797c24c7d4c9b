"""Kernels for permutations of one structure each, which are strategies of their own, too."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cpqueens.backends.base import COUNT, PERCENT, PROBABILITY, Parameter
from cpqueens.backends.local_search.search import End, Paused, Search, StrategyError
from cpqueens.backends.local_search.slices import Alone, PermutationWalk
from cpqueens.backends.local_search.strategies import get_strategy
from cpqueens.backends.together import COUNTED, Together
from cpqueens.kernels.jit.random import seed_state
from cpqueens.kernels.jit.tiers import Fixed
from cpqueens.kernels.local import exchange as exchanges, info as at, reversal as reversals, units
from cpqueens.kernels.local.start import EXTRA, shuffle
from cpqueens.language.rows import IntArray
from cpqueens.lowered.structures.lines import LinesPermutation
from cpqueens.lowered.structures.path import PathPermutation
from cpqueens.lowered.structures.shifted_permutation import ShiftedPermutation


class LinesWalk(PermutationWalk):
    """Exchanges between lines, for permutations under equations of sums (magic squares).

    Rows and columns are mended by swaps between two lines, and by pairs of swaps, looked up by differences.
    Models without that structure, and starts from which nothing improves any more, are searched as by `auto`.

    Source: Xie and Kang, "An evolutionary algorithm for magic squares", CEC 2003, for the moves; the
    look-up is ours.
    """

    PARAMETERS: Mapping[str, Parameter] = {
        "stall": COUNT(2000, "steps without a smaller error that cause a new start"),
        "starts": COUNT(10, "after which the search goes on as auto does on other models"),
    }

    restarts = at.EXTRA
    counts = {"forced_moves": exchanges.FORCED}

    def __init__(self, pattern: LinesPermutation, seed: int, options: Mapping[str, Any]) -> None:
        super().__init__()
        n, self.random = pattern.size, seed_state(seed)
        self.pattern, self.layers = pattern, {"sums": len(pattern.lines)}
        self.stall, self.starts = options["stall"], options["starts"]
        self.x, self.place = x, place = np.arange(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        self.errors = errors = np.zeros(len(pattern.lines), dtype=np.int64)
        self.info = info = np.zeros(exchanges.LENGTH, dtype=np.int64)
        info[at.EXTRA] = -1  # before the first start
        seen, partner = np.zeros(2 * n, dtype=np.int64), np.zeros(4 * n, dtype=np.int64)
        found = np.zeros(4, dtype=np.int64)
        state = exchanges.Lines(
            x, place, *_incidence(pattern), errors, seen, partner, info, self.random, found
        )
        self.kernel = lambda steps: exchanges.exchange_search(steps, self.stall, state)

    @property
    def cost(self) -> int:
        """By how much all sums are wrong."""
        return int(np.abs(self.errors).sum())

    def present(self) -> IntArray:
        """Return the present assignment."""
        return self.x + self.pattern.low

    def begin(self, run: Alone) -> Paused | None:
        """Start from a random permutation, at first and where nothing was better for long."""
        info = self.info
        if info[at.EXTRA] >= 0 and info[at.STALL] < max(1, self.stall):
            return None
        if info[at.EXTRA] + 1 >= self.starts:
            return "stalled"
        info[at.EXTRA] += 1
        shuffle(self.x, self.random)
        self.place[self.x] = np.arange(len(self.x))
        self.errors[:] = [self.x[line].sum() for line in self.pattern.lines]
        self.errors -= self.pattern.totals
        info[at.LEAST], info[at.STALL] = at.NEVER, 0
        if run.observer is not None:
            run.observer.walked(run.steps, self.present(), self.cost)
        return None

    @staticmethod
    def run(search: Search, options: Mapping[str, Any]) -> End:
        """Search like `auto`: the engine takes a `LinesWalk` before, where the pattern is found."""
        search.extra["strategy"] = "auto"
        return get_strategy("auto").run(search, {})


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


class PathWalk(PermutationWalk):
    """Reversals of segments, for all-interval series and other permutations along a path of differences.

    Source: Lin, "Computer solutions of the traveling salesman problem", Bell System Technical Journal 44,
    1965, for the move; that the largest missing difference is what counts is from the all-interval series
    of Codognet and Diaz, "Yet another local search method for constraint solving", SAGA 2001 (problem 7 of
    CSPLib).
    """

    PARAMETERS: Mapping[str, Parameter] = {
        "shake_percent": PERCENT(8.0, "random reversals, in percent of variables, where none helps"),
    }

    def __init__(self, path: PathPermutation, seed: int, options: Mapping[str, Any]) -> None:
        super().__init__()
        n, random = len(path.order), seed_state(seed)
        self.path, self.layers = path, {"path": 1}
        self.y = np.arange(n, dtype=np.int64)
        shuffle(self.y, random)
        place = np.argsort(self.y).astype(np.int64)
        self.count = np.bincount(np.abs(np.diff(self.y)), minlength=n).astype(np.int64)
        self.info = np.zeros(at.LENGTH, dtype=np.int64)
        shake = max(2, round(n * options["shake_percent"] / 100))
        self.kernel = lambda steps: reversals.reversal_search(
            steps, shake, self.y, place, self.count, self.info, random
        )

    @property
    def cost(self) -> int:
        """How many differences do not occur."""
        return int((self.count[1:] == 0).sum())

    def present(self) -> IntArray:
        """Return the present assignment."""
        values = np.zeros(len(self.y), dtype=np.int64)
        values[self.path.order] = self.y + self.path.low
        return values

    @staticmethod
    def run(search: Search, options: Mapping[str, Any]) -> End:
        """Refuse: the engine takes a `PathWalk` where the pattern is found."""
        raise StrategyError("reversal needs a permutation along a path of absolute differences; use auto")


class ShiftedWalk(PermutationWalk):
    """Almost conflict-free start, then repair: QS4, for permutations under AllDifferents over x[i] + o[i].

    Each variable tries random free values; only the last few stay in conflict and are swapped with partners
    that lower the conflicts; equal swaps are taken and, on small boards, all partners compared, so that no
    size gets stuck.

    Source: Sosic and Gu, "3,000,000 queens in less than one minute", SIGART Bulletin 2(2), 1991.
    """

    PARAMETERS: Mapping[str, Parameter] = {
        "tries": COUNT(5, "tries of the start per variable"),
        "noise": PROBABILITY(0.02, "probability of taking a best swap that is worse"),
        "restart": COUNT(0, "steps without progress before a new start, 0: 50 + 10 per variable"),
    }

    restarts = units.RESTARTS
    counts = {"misplaced_by_start": units.MISPLACED}

    def __init__(self, pattern: ShiftedPermutation, seed: int, options: Mapping[str, Any]) -> None:
        super().__init__()
        self.pattern, self.layers = pattern, {"units": len(pattern.offsets)}
        state = _state(pattern)
        state.random[:] = seed_state(seed)
        self.x, self.info = state.x, state.info
        fixed, settings = Fixed(state), _settings(pattern.size, options)
        self.kernel = lambda steps: units.units_search(steps, *settings, fixed)

    @property
    def cost(self) -> int:
        """How many are too many on a line, all variables while a start is being made."""
        return int(self.info[at.COST]) if self.info[units.SEARCHING] else self.pattern.size

    def present(self) -> IntArray:
        """Return the present assignment."""
        values = self.x.astype(np.int64)
        values += self.pattern.low
        return values

    @property
    def is_shown(self) -> bool:
        """Whether the start is made."""
        return bool(self.info[units.SEARCHING])

    @staticmethod
    def run(search: Search, options: Mapping[str, Any]) -> End:
        """Refuse: the engine takes a `ShiftedWalk` where the pattern is found."""
        raise StrategyError(
            "sosic-gu-4 needs a permutation under AllDifferents over x[i] + constant; use auto"
        )


def solve_shifted_many(pattern: ShiftedPermutation, options: Mapping[str, Any]) -> Together:
    """Return what makes many runs of `ShiftedWalk`; their assignments begin with 0."""
    state = _state(pattern)
    return Together(
        units.units_runs, Fixed(state), _settings(pattern.size, options), lambda: int(state.info[at.STEPS]),
        {**COUNTED, "misplaced_by_start": EXTRA},
    )  # fmt: skip


def _state(pattern: ShiftedPermutation) -> units.Placing:
    """Return the state of a search that has not begun."""
    x = np.arange(pattern.size, dtype=np.int32)
    count, work = np.zeros(pattern.counters, dtype=np.int32), np.zeros(pattern.size + 64, dtype=np.int32)
    info, random = np.zeros(units.LENGTH, dtype=np.int64), np.zeros(4, dtype=np.int64)
    return units.Placing(x, pattern.offsets, count, work, info, random)


def _settings(n: int, options: Mapping[str, Any]) -> tuple[int, int, int]:
    """Return the kernel's tries, stall and noise."""
    noise = min(1 << 32, round(options["noise"] * (1 << 32)))
    return options["tries"], options["restart"] or 50 + 10 * n, noise
