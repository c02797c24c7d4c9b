"""The loop around a kernel's calls, with a kernel that does what the test says."""

from __future__ import annotations

import numpy as np
import pytest

from cpqueens.backends.local_search.engine import search_special
from cpqueens.backends.local_search.search import Limits, Paused, Result
from cpqueens.backends.local_search.slices import Alone, LoneWalk
from cpqueens.backends.local_search.specials import DEFAULTS, SPECIALS, Special, Task
from cpqueens.kernels.local import info as at
from cpqueens.language.rows import IntArray

FOUND, TOLD = at.LENGTH, at.LENGTH + 1


class Scripted(LoneWalk):
    """Counts steps; finds something better at some, and stalls at others, after which it may give up."""

    told = FOUND, TOLD
    layers = {"scripted": 1}
    optimising = True

    def __init__(self, finds: set[int], stalls: set[int] = frozenset(), gives_up: int = 10**9) -> None:  # type: ignore[assignment]
        super().__init__()
        self.finds, self.stalls, self.gives_up, self.begun = finds, stalls, gives_up, list[int]()
        self.info, self.kernel = np.zeros(at.LENGTH + 2, dtype=np.int64), self._step
        self.info[at.LEAST] = 1000

    def _step(self, most: int) -> int:
        for _ in range(most):
            self.info[at.STEPS] += 1
            step = int(self.info[at.STEPS])
            if step in self.finds:
                self.info[FOUND] += 1
                self.info[at.LEAST] -= 1
            if step in self.stalls:
                return at.STALLED
        return at.BUDGET

    @property
    def cost(self) -> int:
        return 7

    def present(self) -> IntArray:
        return np.array([0])

    def best(self) -> IntArray:
        return self.info[[FOUND]]

    def begin(self, run: Alone) -> Paused | None:
        self.begun.append(run.steps)
        return "gave_up" if run.steps >= self.gives_up else None


def searched(
    monkeypatch: pytest.MonkeyPatch,
    walk: Scripted,
    steps: int | None,
    share: int | None = None,
    enough: int = 10**9,
) -> tuple[Result, list[int]]:
    """Return the result, and what was delivered; so many solutions are enough."""
    share_of = None if share is None else lambda _: share
    monkeypatch.setitem(SPECIALS, "lines", Special(lambda *_: walk, share_of))  # type: ignore[misc]
    delivered: list[int] = []

    def deliver(batch: IntArray) -> bool:
        delivered.extend(batch[:, 0].tolist())
        return len(delivered) < enough

    task = Task("auto", 0, Limits(steps), {}, DEFAULTS)
    return search_special("lines", None, task, deliver), delivered


def test_what_was_found_is_told_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    result, delivered = searched(monkeypatch, Scripted({3, 5}), 20)
    assert (result.reason, result.steps, delivered) == ("step_limit", 20, [2])
    assert (result.cost, result.objective, result.x.tolist()) == (0, 998, [2])
    assert result.statistics["improvements"] == 2


def test_what_was_found_is_told_where_the_kernel_stalls(monkeypatch: pytest.MonkeyPatch) -> None:
    walk = Scripted({3}, {6, 9}, gives_up=9)
    result, delivered = searched(monkeypatch, walk, None)
    assert (result.reason, delivered, walk.begun) == ("gave_up", [1], [0, 6, 9])


def test_a_solution_that_is_enough_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    result, delivered = searched(monkeypatch, Scripted({2, 8}, {4, 10}), 20, enough=1)
    assert (result.reason, result.steps, delivered) == ("solved", 4, [1])


def test_without_a_solution_the_share_is_all(monkeypatch: pytest.MonkeyPatch) -> None:
    result, delivered = searched(monkeypatch, Scripted(set()), 20, share=12)
    assert (result.reason, result.steps, result.cost, delivered) == ("stalled", 12, 7, [])
    assert searched(monkeypatch, Scripted(set()), 20, share=20)[0].reason == "step_limit"


def test_with_a_solution_the_share_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    result, delivered = searched(monkeypatch, Scripted({2}, {5}), 20, share=12)
    assert (result.reason, result.steps, delivered) == ("step_limit", 20, [1])


def test_a_solution_at_the_share_s_last_step_keeps_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    result, delivered = searched(monkeypatch, Scripted({12}), 20, share=12)
    assert (result.reason, result.steps, delivered) == ("step_limit", 20, [1])
