"""Compiling everything beforehand, shared among processes."""

from __future__ import annotations

from collections import Counter

import pytest

from cpqueens.cli import warming
from cpqueens.errors import CpqueensError
from cpqueens.kernels.exact import apart
from cpqueens.model import Model


def test_each_run_is_made_by_one_process() -> None:
    runs = [*warming.RUNS, *warming.FURTHER, *warming.MANY]
    assert all(sum(b(problem, solver) for b in warming.GROUPS) == 1 for problem, _, solver, _ in runs)


def all_names(whole: bool) -> Counter[str]:
    """Return the names of all runs, each as often as it is made."""
    runs = [*warming.RUNS, *(warming.FURTHER if whole else ())]
    expected = Counter(f"{solver} on {problem}" for problem, _, solver, _ in runs)
    expected += Counter(f"many runs of {solver} on {problem}" for problem, _, solver, _ in warming.MANY)
    expected += Counter(f"propagation of {name}" for name in apart.NAMES)
    expected["backtracking:halves on queens"] += 1
    return expected


@pytest.mark.parametrize("whole", [False, True])
def test_all_runs_are_made_once(whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled: `make test` begins with that."""
    made: list[object] = []
    monkeypatch.setattr(Model, "solve", lambda *_, **__: made.append("solve"))
    monkeypatch.setattr(Model, "runs", lambda *_, **__: made.append("runs"))
    monkeypatch.setattr(apart, "compile_apart", made.append)
    monkeypatch.setattr(warming, "count_solutions", lambda *_: made.append("count"))
    said = Counter(name for group in range(len(warming.GROUPS)) for name in warming.warm(group, whole))
    assert said == all_names(whole)
    assert len(made) == said.total()
    assert not whole or said.total() == warming.NUMBER


@pytest.mark.slow
@pytest.mark.parametrize("whole", [False, True])
def test_processes_together_make_all_runs(whole: bool) -> None:
    assert Counter(warming.compile_all(2, whole)) == all_names(whole)


@pytest.mark.slow
def test_a_process_that_dies_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "GROUPS", (*warming.GROUPS, lambda problem, solver: True))  # theirs lack it
    with pytest.raises(CpqueensError, match="has died"):
        list(warming.compile_all(3, whole=False))
