"""Strategies that walk with restarts: settings of the walk kernel, from adaptive search to tabu search."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from cpqueens.backends.base import COUNT, PERCENT, PROBABILITY, Parameter
from cpqueens.backends.local_search.search import End, Paused, Search
from cpqueens.backends.local_search.strategies import Call
from cpqueens.kernels.jit.tiers import Fixed
from cpqueens.kernels.local import info as at, walk as codes
from cpqueens.kernels.local.runs import walk_runs
from cpqueens.language.rows import IntArray

ALWAYS = 1 << 32
MOST_MOVES = 1 << 18  # evaluated in a step, so that limits are seen
_PROBABILITIES = ("plateau", "noise", "random_choice")


def probability(value: float) -> int:
    """Return a probability as the kernels take it, out of 2**32."""
    return min(ALWAYS, max(0, round(value * ALWAYS)))


class Walk(NamedTuple):
    """How to walk; see the names of the parameters in ``cpqueens.kernels.local.walk``.

    Probabilities are fractions here. ``stall`` counts steps without a new least cost, with weights (``bump``)
    without a local minimum of less violation than before. Where there are more than ``sample`` moves, so many
    random ones are evaluated (0: always all).
    """

    choice: int = codes.RANDOM_CONFLICTED
    sample: int = MOST_MOVES
    plateau: float = 1.0
    noise: float = 0.0
    freeze: int = 0
    tenure: int = 0
    tenure_spread: int = 0
    reset_limit: int = 0
    reset_size: int = 0
    stall: int = 0
    bump: int = 0
    random_choice: float = 0.0

    def parameters(self) -> IntArray:
        """Return the kernel's parameter array."""
        p = np.zeros(codes.LENGTH, dtype=np.int64)
        for name, value in self._asdict().items():
            p[getattr(codes, name.upper())] = probability(value) if name in _PROBABILITIES else value
        return p


@lru_cache(64)
def _fixed(setting: Walk) -> Fixed:
    return Fixed(setting.parameters())


def walk_once(search: Search, setting: Walk, steps: int = at.NEVER) -> Paused:
    """Walk from the current assignment; ``stalled`` after ``setting.stall`` steps without progress."""
    return search.run(codes.walk, _fixed(setting), steps=steps)


def walk_anew(search: Search, setting: Walk, steps: int = at.NEVER) -> End | None:
    """Walk from a new start; None where the search does not end: it has stalled, or made so many steps."""
    search.reset_weights()
    search.start()
    ended = walk_once(search, setting, steps)
    return None if ended == "stalled" or ended == "budget" else ended


def walk_with_restarts(search: Search, settings: Iterator[Walk]) -> End:
    """Walk with one setting after the other, each from a new start; there must be settings for ever."""
    while True:
        ended = walk_anew(search, next(settings))
        if ended is not None:
            return ended


def walk_many(settings: Sequence[Walk], unit: int = 0) -> Call:
    """Return the same for many runs, whose starts take the settings in turn.

    Above 0, ``unit`` times the numbers of `luby` takes the place of their ``stall``.
    """
    table = np.array([setting.parameters() for setting in settings])
    return Call(walk_runs, (table, unit, np.zeros(codes.LENGTH, dtype=np.int64)))


class Walking:
    """A strategy that walks, with restarts, until it is solved or stopped."""

    PARAMETERS: Mapping[str, Parameter]

    @classmethod
    def setting(cls, search: Search, options: Mapping[str, Any]) -> Walk:
        """Return how it walks."""
        raise NotImplementedError

    @classmethod
    def run(cls, search: Search, options: Mapping[str, Any]) -> End:
        """Walk until solved or stopped."""
        return walk_with_restarts(search, repeat(cls.setting(search, options)))

    @classmethod
    def many(cls, search: Search, options: Mapping[str, Any], runs: int) -> Call:
        """Do the same for many runs."""
        return walk_many([cls.setting(search, options)])


class Adaptive(Walking):
    """Adaptive Search: the variable with the largest projected error, its best move, freezing, partial reset.

    A variable without an improving move is frozen; when more than ``reset_limit`` variables have been
    frozen, a part of all variables moves at random. Equal moves are taken with probability ``plateau``.

    Source: Codognet and Diaz, "Yet another local search method for constraint solving", SAGA 2001.
    """

    PARAMETERS: Mapping[str, Parameter] = {
        "freeze": COUNT(5, "steps for which a variable without a good move is frozen"),
        "reset_limit": COUNT(0, "frozen variables before a reset, 0: a fifth of the variables"),
        "reset_percent": PERCENT(5.0, "percentage of the variables that a reset moves"),
        "plateau": PROBABILITY(0.94, "probability of taking an equal move"),
        "restart": COUNT(0, "steps without progress before a new start, 0: 10000 + 1000 per variable"),
    }

    @classmethod
    def setting(cls, search: Search, options: Mapping[str, Any]) -> Walk:
        """Return how it walks."""
        n = search.size
        return Walk(
            choice=codes.WORST, plateau=options["plateau"], freeze=options["freeze"],
            reset_limit=options["reset_limit"] or n // 5 + 1,
            reset_size=max(1, round(n * options["reset_percent"] / 100)),
            stall=options["restart"] or 10_000 + 1000 * n,
        )  # fmt: skip


class MinConflicts(Walking):
    """Min-conflicts: a random variable in conflict, its best move, ties at random.

    Equal moves are taken; with probability ``noise`` also the best worse one, which plain min-conflicts
    lacks.

    Source: Minton, Johnston, Philips and Laird, "Minimizing conflicts: a heuristic repair method for
    constraint satisfaction and scheduling problems", Artificial Intelligence 58, 1992 (AAAI 1990).
    """

    PARAMETERS: Mapping[str, Parameter] = {
        "noise": PROBABILITY(0.01, "probability of taking a best move that is worse"),
        "sample": COUNT(MOST_MOVES, "moves evaluated per step, random ones of more; 0: all"),
        "restart": COUNT(0, "steps without progress before a new start, 0: 1000 + 20 per variable"),
    }

    @classmethod
    def setting(cls, search: Search, options: Mapping[str, Any]) -> Walk:
        """Return how it walks."""
        stall = options["restart"] or 1000 + 20 * search.size
        return Walk(noise=options["noise"], sample=options["sample"], stall=stall)


class Tabu(Walking):
    """Tabu search: the variable with the largest error, its best move even if worse, moved variables tabu.

    A move to a new least cost is always allowed. Short random tenures work best on permutation problems.

    Source: Glover, "Tabu search, part I", ORSA Journal on Computing 1, 1989.
    """

    PARAMETERS: Mapping[str, Parameter] = {
        "tenure": COUNT(0, "steps for which a moved variable is tabu, at least"),
        "tenure_spread": COUNT(2, "plus a random number below this"),
        "noise": PROBABILITY(0.01, "probability of moving any variable instead of the worst"),
        "restart": COUNT(0, "steps without progress before a new start, 0: 10000 + 100 per variable"),
    }

    @classmethod
    def setting(cls, search: Search, options: Mapping[str, Any]) -> Walk:
        """Return how it walks."""
        return Walk(
            choice=codes.WORST, noise=1.0, tenure=options["tenure"], tenure_spread=options["tenure_spread"],
            random_choice=options["noise"], stall=options["restart"] or 10_000 + 100 * search.size,
        )  # fmt: skip
