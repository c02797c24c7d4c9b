"""The strategies by name, each found by a lazy import path: a module, or a class in one."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from cpqueens.backends.base import PROFILE, TRACE, Parameter
from cpqueens.kernels.jit.tiers import Fixed
from cpqueens.language.rows import IntArray
from cpqueens.text.parameters import SHARES

if TYPE_CHECKING:
    from cpqueens.backends.local_search.search import End, Search

_HERE = "cpqueens.backends.local_search."

STRATEGIES: dict[str, str] = {
    "auto": _HERE + "auto",
    "adaptive": _HERE + "walking:Adaptive",
    "annealing": _HERE + "annealing",
    "exchange": _HERE + "permutations:LinesWalk",
    "hill-climbing": _HERE + "climbing:HillClimbing",
    "jump": _HERE + "jump:Jump",
    "min-conflicts": _HERE + "walking:MinConflicts",
    "random-restart": _HERE + "climbing:RandomRestart",
    "reversal": _HERE + "permutations:PathWalk",
    "sideways": _HERE + "climbing:Sideways",
    "sosic-gu": _HERE + "sosic_gu",
    "sosic-gu-4": _HERE + "permutations:ShiftedWalk",
    "tabu": _HERE + "walking:Tabu",
}

COMMON: Mapping[str, Parameter] = {
    "audit": Parameter(str, "final", "compare the state with a fresh computation", ("final", "step", "full")),
    "profile": PROFILE,
    "trace": TRACE,
    "neighbourhood": Parameter(
        str, "derived", "swaps where the model allows, or not", ("derived", "assignment")
    ),
    "relax": Parameter(
        SHARES,
        [],
        "auto: names of variables which keep their values, each with so many per cent, in every "
        "second large neighbourhood of a solution; all others are free there",
    ),
}
"""What local search can be told whatever the strategy."""


class Call(NamedTuple):
    """A kernel that makes many runs of a strategy.

    Attributes
    ----------
    kernel
        Called as ``kernel(steps, state, lot, starts, *arguments)``.
    start
        The kind of start, see `Search.start`.
    extra
        What the figure is called that only this strategy counts.
    tables
        Counts with a row a run, which the kernel writes.
    state
        What the kernel takes in place of the search's own state.
    share
        Steps after which a run is to be made singly, as it does more than the kernel from then on.
    """

    kernel: Callable[..., None]
    arguments: tuple[Any, ...] = ()
    start: str = "independent"
    extra: str | None = None
    tables: Mapping[str, IntArray] = {}
    state: Fixed | None = None
    share: int | None = None


class Strategy(Protocol):
    """What a strategy's module or class has.

    ``run`` searches until it is solved or must end, and says why it ended. A strategy goes on for ever, with
    new starts, unless its doc says by which rule it ends. ``ASSIGNMENT_ONLY = True``, where it is there,
    gives up derived swaps. ``many(search, options, runs)``, where it has it, returns the `Call` that makes so
    many runs, each as ``run`` would, or None if it cannot on this model.
    """

    PARAMETERS: Mapping[str, Parameter]

    def run(self, search: Search, options: Mapping[str, Any]) -> End:
        """Search."""


@cache
def get_strategy(name: str) -> Strategy:
    """Return the strategy's module or class; KeyError if there is none of this name."""
    module, _, inside = STRATEGIES[name].partition(":")
    found = importlib.import_module(module)
    return cast(Strategy, getattr(found, inside) if inside else found)
