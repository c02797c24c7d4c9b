"""Compiling everything beforehand, shared among processes."""

from __future__ import annotations

from collections import Counter

import pytest

from cpqueens.cli import warming
from cpqueens.errors import CpqueensError
from cpqueens.kernels.exact import apart


def test_each_run_is_made_by_one_process() -> None:
    runs = [*warming.RUNS, *warming.FURTHER, *warming.MANY]
    assert all(sum(b(problem, solver) for b in warming.GROUPS) == 1 for problem, _, solver, _ in runs)


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_processes_together_make_all_runs(whole: bool) -> None:
    runs = [*warming.RUNS, *(warming.FURTHER if whole else ())]
    expected = Counter(f"{solver} on {problem}" for problem, _, solver, _ in runs)
    expected += Counter(f"many runs of {solver} on {problem}" for problem, _, solver, _ in warming.MANY)
    expected += Counter(f"propagation of {name}" for name in apart.NAMES)
    expected["backtracking:halves on queens"] += 1
    assert Counter(warming.compile_all(2, whole)) == expected
    assert not whole or expected.total() == warming.NUMBER


@pytest.mark.slow
def test_a_process_that_dies_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "GROUPS", (*warming.GROUPS, lambda problem, solver: True))  # theirs lack it
    with pytest.raises(CpqueensError, match="has died"):
        list(warming.compile_all(3, whole=False))
