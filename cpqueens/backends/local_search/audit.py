"""Comparing the incremental state with a fresh computation; the first difference is an error."""

from __future__ import annotations

from typing import Any

import numpy as np

from cpqueens.backends.local_search.layers import Arrays
from cpqueens.backends.local_search.meaning import Fresh, fresh_state
from cpqueens.kernels.local import arena
from cpqueens.kernels.local import info as at
from cpqueens.language.rows import IntArray


class AuditError(AssertionError):
    """The incremental state differs from what it should be."""


def check_state(arrays: Arrays, measure: int, events: Any) -> None:
    """Compare every activity, violation, counter, error, index set and the cost with a fresh computation.

    Raises
    ------
    AuditError
        Naming step, last recorded move, constraint or variable, expected and found.
    """
    part, info = arrays.part, arrays.part(arena.INFO)
    fresh = fresh_state(arrays, arrays.core.x, part(arena.WEIGHT), measure)
    recorded = int(info[at.RECORDED])
    last = f"event {events[recorded - 1].tolist()}" if recorded else "no event recorded"
    where = f"step {info[at.STEPS]}, {last}"
    _compare(where, "activity of constraint", fresh.activity, part(arena.ACTIVITY))
    _compare(where, "counter", fresh.count, part(arena.COUNT))
    _compare(where, "sum of occupants of counter", fresh.sum_of, part(arena.SUM_OF))
    _compare(where, "error of variable", fresh.errors, part(arena.ERRORS))
    _compare(where, "cost", np.array([fresh.cost]), info[[at.COST]])
    _check_index(where, fresh, part(arena.MEMBERS)[: int(info[at.SIZE])], part(arena.POSITION))


def _compare(where: str, what: str, expected: Any, found: Any) -> None:
    wrong = np.flatnonzero(expected != found)
    if len(wrong):
        k = int(wrong[0])
        raise AuditError(f"{where}: {what} {k}: expected {int(expected[k])}, found {int(found[k])}")


def _check_index(where: str, fresh: Fresh, members: IntArray, positions: IntArray) -> None:
    expected = np.flatnonzero(fresh.errors > 0)
    if not np.array_equal(np.sort(members), expected):
        raise AuditError(
            f"{where}: conflicted variables: expected {expected.tolist()}, found {sorted(members)}"
        )
    position = np.full(len(positions), -1)
    position[members] = np.arange(len(members))
    _compare(where, "position of variable", position, positions)
