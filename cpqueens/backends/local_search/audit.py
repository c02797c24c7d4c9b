"""Comparing the incremental state with a fresh computation; the first difference is an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from cpqueens.backends.local_search.meaning import Fresh, fresh_state
from cpqueens.kernels import search_arena as arena

if TYPE_CHECKING:
    from cpqueens.backends.local_search.layers import Arrays
    from cpqueens.language.rows import IntArray


class Audited(Protocol):
    """What a search shows of itself."""

    arrays: Arrays
    measure: int
    events: Any

    @property
    def info(self) -> IntArray:
        """The scalars of the state."""

    @property
    def x(self) -> IntArray:
        """The current assignment."""

    @property
    def cost(self) -> int:
        """Weighted violation of the current assignment."""

    @property
    def steps(self) -> int:
        """Steps so far."""


class AuditError(AssertionError):
    """The incremental state differs from what it should be."""


def check_state(search: Audited) -> None:
    """Compare every activity, violation, counter, error, index set and the cost with a fresh computation.

    Raises
    ------
    AuditError
        Naming step, last recorded move, constraint or variable, expected and found.
    """
    part = search.arrays.part
    fresh = fresh_state(search.arrays, search.x, part(arena.WEIGHT), search.measure)
    where = f"step {search.steps}, {_last_move(search)}"
    _compare(where, "activity of constraint", fresh.activity, part(arena.ACTIVITY))
    _compare(where, "counter", fresh.count, part(arena.COUNT))
    _compare(where, "sum of occupants of counter", fresh.sum_of, part(arena.SUM_OF))
    _compare(where, "error of variable", fresh.errors, part(arena.ERRORS))
    _compare(where, "cost", np.array([fresh.cost]), np.array([search.cost]))
    _check_index(where, fresh, search)


def _last_move(search: Audited) -> str:
    from cpqueens.kernels.search_info import RECORDED

    recorded = int(search.info[RECORDED])
    return f"event {search.events[recorded - 1].tolist()}" if recorded else "no event recorded"


def _compare(where: str, what: str, expected: Any, found: Any) -> None:
    wrong = np.flatnonzero(expected != found)
    if len(wrong):
        k = int(wrong[0])
        raise AuditError(f"{where}: {what} {k}: expected {int(expected[k])}, found {int(found[k])}")


def _check_index(where: str, fresh: Fresh, search: Audited) -> None:
    size = int(search.info[0])
    members = search.arrays.part(arena.MEMBERS)[:size]
    expected = np.flatnonzero(fresh.errors > 0)
    if not np.array_equal(np.sort(members), expected):
        raise AuditError(
            f"{where}: conflicted variables: expected {expected.tolist()}, found {sorted(members)}"
        )
    position = np.full(len(search.x), -1)
    position[members] = np.arange(size)
    _compare(where, "position of variable", position, search.arrays.part(arena.POSITION))
