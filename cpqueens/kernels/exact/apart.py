"""Propagators that are compiled apart: each a file ``propagators/<name>.py`` with an entry of that name.

Within `search` they would make its machine code half a minute of work for everybody; so each is an object
of its own, compiled or loaded when a model first uses it, which `search` calls by address.
"""

from functools import cache
from importlib import import_module

import numpy as np

from cpqueens.kernels.exact import kinds
from cpqueens.kernels.exact.domains import Memory
from cpqueens.kernels.jit.tiers import WAIT, KernelEntry, words_of

NAMES = (
    "absolute_values",
    "all_different_values",
    "among",
    "cardinality",
    "circuit",
    "cumulative",
    "depots",
    "different_values",
    "distance_values",
    "distances",
    "equation_values",
    "extreme_values",
    "fractional_bound",
    "function_values",
    "inverse",
    "lexicographic",
    "negative_table",
    "no_overlap",
    "nogoods",
    "regular",
    "remembered",
    "table",
    "tour_bound",
    "value_precede",
)


_KINDS = {name: kinds.APART + k for k, name in enumerate(NAMES)}


def kind_of(name: str) -> int:
    """Return the kind of the propagator with a name."""
    return _KINDS[name]


def compile_apart(name: str) -> None:
    """Compile a propagator now, or load it."""
    none = np.zeros(0, dtype=np.int64)
    memory = Memory(none, none, none, none.astype(np.uint8))
    entry_of(kind_of(name)).address(words_of((memory, 0))[0], WAIT)


@cache
def entry_of(kind: int) -> KernelEntry:
    """Return a propagator by its kind."""
    name = NAMES[kind - kinds.APART]
    found: KernelEntry = getattr(import_module(f"cpqueens.kernels.exact.propagators.{name}"), name)
    return found
