"""Answers are those of the model as it was solved, whatever becomes of it afterwards."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from cpqueens import Grid, Model, Or, Sequence, maximum
from tests.each import each


def _solved() -> Any:
    m = Model(view=Sequence("x"))
    x = m.intvar(0, 3, shape=3, name="x")
    m.add(x.sum() <= 4, name="few")
    m += Or(x[0] >= 1, x[1] >= 3)
    m.add_soft(x[0] <= 1, x[1] >= 1, weight=2, name="wish")
    m.maximize(x @ [3, 2, 1], maximum(x) // (4 - x[2]))
    return m.enumerate(solver="backtracking", optimal=True)


def _answers(found: Any) -> dict[str, Any]:
    """Return everything that an outcome says of itself and its solutions."""
    s = found.solution
    return {
        "text": str(found), "repr": repr(found), "html": found._repr_html_(),
        "sheet": found.solutions._repr_html_(),
        "objectives": found.objectives, "violated": found.violated, "penalty": found.penalty,
        "check": str(s.check()), "drawn": str(s), "svg": s._repr_svg_(), "plain": s.as_dict(),
        "frame": found.to_frame().to_dict(), "frames": found.solutions.to_frame().to_dict(),
        "slices": [one.penalty for one in found.solutions[:1]], "one frame": found.to_frame("x").to_dict(),
    }  # fmt: skip


def _later(m: Model) -> Any:
    return m.intvar(5, 9, shape=2, name="y")


CHANGES: dict[str, Callable[[Model], Any]] = {
    "another objective": lambda m: m.minimize(m["x"].sum()),
    "a further objective": lambda m: m.then_minimize(m["x"][0]),
    "none": lambda m: m.drop_objectives(),
    "a soft constraint": lambda m: m.add_soft(m["x"] == 1, weight=7),
    "a soft constraint instead": lambda m: (m.drop_objectives(), m.add_soft(m["x"] == 1, m["x"] == 2)),
    "a constraint": lambda m: m.add(m["x"] == 0),
    "a connective": lambda m: m.add(Or(m["x"][0] == 9, m["x"][2] >= 3)),
    "a variable": _later,
    "a soft constraint over one": lambda m: m.add_soft(_later(m)[0] == 1),
    "a table behind it": lambda m: m.add_soft(m["x"][_later(m)[0] - 5] == 3),
    "an objective over one": lambda m: m.minimize(_later(m).sum() // m["x"][0]),
    "a constraint over one": lambda m: m.add(_later(m).sum() == m["x"].sum()),
}


@pytest.fixture(scope="module")
def stored() -> bytes:
    return pickle.dumps(_solved())


@each("change", [*CHANGES])
def test_a_change_of_the_model_changes_no_answer(stored: bytes, change: str) -> None:
    found = pickle.loads(stored)
    before = _answers(found)
    CHANGES[change](found.model)
    assert _answers(found) == before


@each("change", ["none", "a constraint", "a table behind it"])
def test_nor_that_of_a_copy(stored: bytes, change: str) -> None:
    found = copy.deepcopy(pickle.loads(stored))
    before = _answers(found)
    CHANGES[change](found.model)
    assert _answers(found) == before


def test_an_objective_of_the_model_is_not_that_of_the_outcome() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    m += x.sum() <= 4
    m.maximize(x @ [3, 2, 1])
    found = m.solve("backtracking")
    m.minimize(x.sum())
    assert (found.objective, found.objectives) == (11, (11,))
    m.drop_objectives()
    m.add_soft(x[0] == 0, weight=3)
    assert (found.objectives, found.penalty, found.violated) == ((11,), 0, ())


def test_a_picture_of_a_later_variable_is_not_drawn() -> None:
    found = _solved()
    m = found.model
    _later(m)
    m.view = Grid("y")
    assert str(found.solution).endswith("(not drawn: y was added after this run)")
    assert "added after this run" not in found._repr_html_()
    assert found.solution._repr_svg_() is None


def test_model_check_is_of_the_model_as_it_is() -> None:
    found = _solved()
    m = found.model
    m.add(m["x"] == 0, name="none")
    assert found.solution.check().ok
    assert {v.name for v in m.check(found).violations} == {"none"}


def test_a_check_is_drawn_after_the_model_grew() -> None:
    found = _solved()
    m = found.model
    checked = m.check({"x": [1, 1, 1]})
    before = checked._repr_html_()
    _later(m)
    assert checked._repr_html_() == before
    assert "<svg" in before


def test_runs_stay_as_they_were() -> None:
    m = _solved().model
    runs = m.runs("backtracking", seeds=2)
    before = runs[m["x"]].tolist(), [s.penalty for s in runs.solutions], repr(runs)
    m.add_soft(_later(m)[0] == 1, weight=9)
    assert (runs[m["x"]].tolist(), [s.penalty for s in runs.solutions], repr(runs)) == before
