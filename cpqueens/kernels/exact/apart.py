"""Propagators that are compiled apart: each a file ``propagators/<name>.py`` with an entry of that name.

Within `search` they would make its machine code half a minute of work for everybody; so each is an object
of its own, compiled or loaded when a model first uses it, which `search` calls by address; in plain form by
its kind.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.domains import Memory
from cpqueens.kernels.jit.decorators import instruction

if TYPE_CHECKING:
    from cpqueens.kernels.jit.tiers import KernelEntry


class Turn(NamedTuple):
    """What wakes a propagator (`at.FIX`, `at.BOUND`, `at.DOMAIN` or several), and the queue it waits in."""

    events: int = at.DOMAIN
    queue: int = at.DEAR


TURNS = {
    "all_different_values": Turn(),
    "among": Turn(),
    "cardinality": Turn(),
    "circuit": Turn(),
    "cumulative": Turn(at.BOUND, at.DEAREST),
    "depots": Turn(),
    "different_values": Turn(),
    "distance_values": Turn(),
    "distances": Turn(at.BOUND),
    "equation_values": Turn(),
    "extreme_values": Turn(),
    "fractional_bound": Turn(at.BOUND),
    "function_values": Turn(),
    "inverse": Turn(),
    "lexicographic": Turn(at.BOUND, at.QUICK),
    "negative_table": Turn(),
    "no_overlap": Turn(at.BOUND, at.DEAREST),
    "nogoods": Turn(at.FIX | at.BOUND, at.DEAREST),
    "regular": Turn(),
    "remembered": Turn(at.FIX, at.DEAREST),
    "table": Turn(),
    "tour_bound": Turn(at.DOMAIN, at.DEAREST),
    "value_precede": Turn(),
}
"""By name what is compiled apart."""

NAMES = tuple(TURNS)

KINDS = {name: kinds.APART + k for k, name in enumerate(NAMES)}
"""From a propagator's name to its kind."""


def compile_apart(name: str) -> None:
    """Compile a propagator now, or load it."""
    from cpqueens.kernels.jit.tiers import WAIT, words_of  # here: code of kernels is no part of that

    none = np.zeros(0, dtype=np.int64)
    memory = Memory(none, none, none, none.astype(np.uint8))
    entry_of(KINDS[name]).address(words_of((memory, 0))[0], WAIT)


@cache
def entry_of(kind: int) -> "KernelEntry":
    """Return a propagator by its kind."""
    name = NAMES[kind - kinds.APART]
    found: KernelEntry = getattr(import_module(f"cpqueens.kernels.exact.propagators.{name}"), name)
    return found


@instruction
def run_apart(m: Memory, p: int, address: int) -> Any:
    """Run the propagator at ``p``, whose machine code is at ``address``; plain, it is found by its kind."""
    return entry_of(int(m.net[p + at.KIND])).plain(m, p)


def link(arguments: Sequence[Any], types: Sequence[str], spent: float) -> bool:
    """Write the addresses that a memory, the first argument, wants; say whether all are known.

    ``types`` are those of the arguments, ``spent`` the seconds that speak for machine code, see `tiers`.
    """
    m: Memory = arguments[0]
    if not m.stack[at.UNLINKED]:
        return True
    addresses, wanted = m.stack[at.ADDRESSES : at.HEADER], False
    for code in (addresses == at.WANTED).nonzero()[0].tolist():
        address = entry_of(kinds.APART + code).address((types[0], "int64"), spent)
        addresses[code], wanted = address or at.WANTED, wanted or not address
    m.stack[at.UNLINKED] = wanted
    return not wanted
