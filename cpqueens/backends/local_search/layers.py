"""Choosing a layer for each constraint and building the kernels' arrays.

* plain: AllDifferent with one variable per term, each variable once; linear relations of variables;
* rows: AllDifferent over linear terms of variables, or over their absolute values;
* deep: everything else, and everything that sees a definition.

An AllDifferent that is kept by the neighbourhood (its group) needs no counters and is left out.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cpqueens.backends.local_search.assembler import Assembler, Entry
from cpqueens.backends.local_search.deep import build_deep
from cpqueens.kernels.local.arena import OWNER, part
from cpqueens.kernels.local.deep import OWNER_ALL_DIFFERENT
from cpqueens.kernels.local.state import Core, Deep, Rows
from cpqueens.language.rows import IntArray
from cpqueens.lowered.columns import merged
from cpqueens.lowered.compiled import Compiled


@dataclass
class Arrays:
    """The kernels' arrays of a model; ``core.x`` and all other state are meaningless before a rebuild."""

    compiled: Compiled
    core: Core
    rows: Rows | None
    deep: Deep | None
    entries: list[Entry]
    bases: dict[int, int]  # AllDifferent -> counter of value 0

    def occupants(self, entry: Entry) -> IntArray:
        """Return what the counters of an AllDifferent call its terms: variables or numbers of terms."""
        if entry.layer == "plain":
            return merged(entry.terms)[1]
        if self.rows is not None and entry.layer == "rows":
            return np.flatnonzero(part(self.rows.static, OWNER) == entry.number)
        assert self.deep is not None
        owners = self.deep.terms.reshape(-1, 4)
        return np.flatnonzero((owners[:, 1] == OWNER_ALL_DIFFERENT) & (owners[:, 2] == entry.number))

    def part(self, which: int) -> IntArray:
        """Return a view of one part of the core arena, see ``cpqueens.kernels.local.arena``."""
        arena = self.core.arena
        view: IntArray = arena[arena[which] : arena[which + 1]]
        return view

    @cached_property
    def summary(self) -> dict[str, int]:
        """How many constraints each layer has."""
        counts = {"plain": 0, "rows": 0, "deep": 0}
        for entry in self.entries:
            counts[entry.layer] += 1
        return counts


def build_arrays(compiled: Compiled, kept: frozenset[int]) -> Arrays:
    """Build the arrays of all constraints but the ``kept`` AllDifferents; O(the model's size)."""
    assembler = Assembler(compiled, kept)
    deep = build_deep(assembler) if any(e.layer == "deep" for e in assembler.entries) else None
    return Arrays(compiled, assembler.core(), assembler.row_layer(), deep, assembler.entries, assembler.bases)
