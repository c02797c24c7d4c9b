"""Settings of the walk kernel, and walking with restarts: the common part of several strategies."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import repeat
from typing import Any

import numpy as np

from cpqueens.backends.local_search.search import End, Paused, Search, final
from cpqueens.backends.local_search.strategies import Call
from cpqueens.kernels.jit.tiers import Fixed
from cpqueens.kernels.local import walk as codes
from cpqueens.kernels.local.runs import walk_runs
from cpqueens.language.rows import IntArray

ALWAYS = 1 << 32
MOST_MOVES = 1 << 18  # evaluated in a step, so that limits are seen
_PROBABILITIES = ("plateau", "noise", "random_choice")


def probability(value: float) -> int:
    """Return a probability as the kernels take it, out of 2**32."""
    return min(ALWAYS, max(0, round(value * ALWAYS)))


@dataclass(frozen=True)
class Walk:
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
        for name, value in asdict(self).items():
            p[getattr(codes, name.upper())] = probability(value) if name in _PROBABILITIES else value
        return p


def walking_with(
    setting: Callable[[Search, Mapping[str, Any]], Walk],
) -> tuple[Callable[[Search, Mapping[str, Any]], End], Callable[[Search, Mapping[str, Any], int], Call]]:
    """Return ``run`` and ``many`` of a strategy that walks, with restarts, until it is solved or stopped."""
    return (
        lambda search, options: walk_with_restarts(search, repeat(setting(search, options))),
        lambda search, options, _runs: walk_many([setting(search, options)]),
    )


@lru_cache(64)
def _fixed(setting: Walk) -> Fixed:
    return Fixed(setting.parameters())


def walk_once(search: Search, setting: Walk) -> Paused:
    """Walk from the current assignment; ``stalled`` after ``setting.stall`` steps without progress."""
    return search.run(codes.walk, _fixed(setting))


def walk_with_restarts(search: Search, settings: Iterator[Walk]) -> End:
    """Walk with one setting after the other, each from a new start; there must be settings for ever."""
    while True:
        search.reset_weights()
        search.start()
        ended = walk_once(search, next(settings))
        if ended != "stalled":
            return final(ended)


def walk_many(settings: Sequence[Walk], unit: int = 0) -> Call:
    """Return the same for many runs, whose starts take the settings in turn.

    Above 0, ``unit`` times the numbers of `luby` takes the place of their ``stall``.
    """
    table = np.array([setting.parameters() for setting in settings])
    return Call(walk_runs, (table, unit, np.zeros(codes.LENGTH, dtype=np.int64)))
