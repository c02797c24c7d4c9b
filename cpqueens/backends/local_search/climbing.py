"""Strategies that climb over the whole neighbourhood of assignments."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from cpqueens.backends.base import COUNT, Parameter
from cpqueens.backends.local_search.lines import assigned
from cpqueens.backends.local_search.search import End, Search, final
from cpqueens.backends.local_search.strategies import Call
from cpqueens.kernels.jit.tiers import Fixed
from cpqueens.kernels.local import runs as codes, scan
from cpqueens.kernels.local.lines import climb_lines

_KEPT = 64  # settings, which one run after another has


def _scan(search: Search) -> Fixed:
    search.scan.value[:] = 0
    return search.scan


@lru_cache(_KEPT)
def _settings(ties: int, shoulder: int, max_sideways: int) -> Fixed:
    return Fixed(np.array([ties, shoulder, max_sideways], dtype=np.int64))


class Climbing:
    """A strategy that climbs once, from a random start."""

    ASSIGNMENT_ONLY = True
    PARAMETERS: Mapping[str, Parameter]
    after: int = codes.END
    """What a climb leads to where many runs are made."""

    @classmethod
    def setting(cls, options: Mapping[str, Any]) -> tuple[int, int, int]:
        """Return how ties are decided, what is done on a shoulder, and how many moves sideways it takes."""
        raise NotImplementedError

    @classmethod
    def run(cls, search: Search, options: Mapping[str, Any]) -> End:
        """Climb until solved or stopped, or until the climb ends."""
        search.start(kind=options["start"])
        return final(search.run(scan.climb, _scan(search), _settings(*cls.setting(options))))

    @classmethod
    def many(cls, search: Search, options: Mapping[str, Any], runs: int) -> Call:
        """Do the same for many runs."""
        kind, parameters, lines = options["start"], _settings(*cls.setting(options)), assigned(search)
        if lines is None:
            return Call(codes.climb_runs, (cls.after, _scan(search), parameters), kind)
        others = int((search.space.upper - search.space.lower).sum())
        return Call(climb_lines, (cls.after, others, parameters), kind, state=lines)


class HillClimbing(Climbing):
    """Hill climbing with a random neighbour on shoulders.

    All N(N-1) moves of one variable within its domain are scanned; of those not worse than the current
    state the best is kept, of equals the last one scanned. If there is none, the run ends in a local
    optimum. If the best is only equal (a shoulder), two readings exist: ``take-and-shake`` takes it and
    then gives one random variable a random value; ``jump`` goes to a random neighbour instead. With
    ``measure="surplus"`` a line with c queens counts c - 1, with ``"pairs"`` c (c - 1) / 2. Every
    constraint is counted, also the one that other strategies keep by swaps, and each neighbour costs O(1)
    by counters, where the text's state costs O(N^2).

    Source: "N-Queen Problem | Local Search using Hill climbing with random neighbour", GeeksforGeeks; its
    code takes and shakes, its text jumps, and neither has a limit on steps.
    """

    PARAMETERS: Mapping[str, Parameter] = {
        "measure": Parameter(str, "surplus", "how an AllDifferent is counted", ("surplus", "pairs")),
        "shoulder": Parameter(str, "take-and-shake", "the move on a shoulder", ("take-and-shake", "jump")),
        "start": Parameter(str, "independent", "the kind of start", ("independent", "permutation")),
    }

    @classmethod
    def setting(cls, options: Mapping[str, Any]) -> tuple[int, int, int]:
        """Return what the option says of shoulders."""
        return scan.LAST, scan.JUMP if options["shoulder"] == "jump" else scan.TAKE_AND_SHAKE, 0


class Sideways(Climbing):
    """Steepest descent with limited sideways moves.

    Of all moves of one variable a uniformly random one of the best is made, as long as it is not worse.
    Consecutive sideways moves are counted, an improvement resets the count, and the run gives up at
    ``max_sideways`` (8 queens: 14 % solved without, 94 % with 100). Three endings: solved, a local optimum,
    the sideways limit.

    Source: "Solving N-Queens (sort of)", JavaScript in Plain English (limit 10), and Russell and Norvig,
    "Artificial Intelligence: a modern approach" (limit 100). The first counts the start as a sideways move
    and does not test its last state; ours does neither.
    """

    PARAMETERS: Mapping[str, Parameter] = {
        "max_sideways": COUNT(100, "sideways moves in a row that are allowed"),
        "measure": Parameter(str, "pairs", "how an AllDifferent is counted", ("surplus", "pairs")),
        "start": Parameter(str, "permutation", "the kind of start", ("independent", "permutation")),
    }

    @classmethod
    def setting(cls, options: Mapping[str, Any]) -> tuple[int, int, int]:
        """Return random ties, and the option."""
        return scan.RANDOM, scan.GO_ON, options["max_sideways"]


class RandomRestart(Sideways):
    """Hill climbing that restarts from local optima and, unless sideways moves are allowed, shoulders.

    Source: Russell and Norvig, "Artificial Intelligence: a modern approach", section on hill climbing; what
    the GeeksforGeeks text on hill climbing with random neighbour compares itself with.
    """

    after = codes.START_AND_COUNT
    PARAMETERS: Mapping[str, Parameter] = {
        "max_sideways": COUNT(0, "sideways moves in a row that are allowed before a restart"),
        "measure": Parameter(str, "surplus", "how an AllDifferent is counted", ("surplus", "pairs")),
        "start": Parameter(str, "independent", "the kind of start", ("independent", "permutation")),
    }

    @classmethod
    def run(cls, search: Search, options: Mapping[str, Any]) -> End:
        """Climb again and again until solved or stopped."""
        while True:
            ended = super().run(search, options)
            if ended not in ("local_optimum", "plateau_limit"):
                return ended
            search.count_step()  # a restart is a step: where every start is a local optimum they must end too
            if search.limits.steps is not None and search.steps >= search.limits.steps:
                return "step_limit"
