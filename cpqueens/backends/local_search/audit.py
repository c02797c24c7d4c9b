"""Comparing the incremental state with a fresh computation; the first difference is an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.backends.local_search.meaning import Fresh, fresh_state

if TYPE_CHECKING:
    from cpqueens.backends.local_search.search import Search


class AuditError(AssertionError):
    """The incremental state differs from what it should be."""


def check_state(search: Search) -> None:
    """Compare every activity, violation, counter, error, index set and the cost with a fresh computation.

    Raises
    ------
    AuditError
        Naming step, last recorded move, constraint or variable, expected and found.
    """
    core = search.compiled.core
    fresh = fresh_state(search.compiled, core.x, core.weight, search.measure)
    where = f"step {search.steps}, {_last_move(search)}"
    _compare(where, "activity of constraint", fresh.activity, core.activity)
    _compare(where, "counter", fresh.count, core.count[: len(fresh.count)])
    _compare(where, "sum of occupants of counter", fresh.sum_of, core.sum_of[: len(fresh.sum_of)])
    _compare(where, "error of variable", fresh.errors, core.errors)
    _compare(where, "cost", np.array([fresh.cost]), np.array([search.cost]))
    _check_index(where, fresh, search)


def _last_move(search: Search) -> str:
    from cpqueens.kernels.search_info import RECORDED

    recorded = int(search.info[RECORDED])
    return f"event {search.events[recorded - 1].tolist()}" if recorded else "no event recorded"


def _compare(where: str, what: str, expected: Any, found: Any) -> None:
    wrong = np.flatnonzero(expected != found)
    if len(wrong):
        k = int(wrong[0])
        raise AuditError(f"{where}: {what} {k}: expected {int(expected[k])}, found {int(found[k])}")


def _check_index(where: str, fresh: Fresh, search: Search) -> None:
    core = search.compiled.core
    size = int(core.info[0])
    members = core.members[:size]
    expected = np.flatnonzero(fresh.errors > 0)
    if not np.array_equal(np.sort(members), expected):
        raise AuditError(f"{where}: conflicted variables: expected {expected.tolist()}, found {sorted(members)}")
    position = np.full(len(core.position), -1)
    position[members] = np.arange(size)
    _compare(where, "position of variable", position, core.position)
