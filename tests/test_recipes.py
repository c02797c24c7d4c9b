"""The table "want this, write that": each row does what it says, and stands on the page."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path
from typing import Any

import pytest

from cpqueens import Model, Status

DOCS = Path(__file__).parent.parent / "docs"
TOLD = tomllib.loads((DOCS / "files/recipes.toml").read_text(encoding="utf-8"))
ROWS = TOLD["row"]


def written(row: dict[str, Any]) -> Model:
    """Return the model of a row, as a reader would have written it."""
    space: dict[str, Any] = {}
    exec(TOLD["given"], space)
    exec(row["write"], space)
    model = space["m"]
    assert isinstance(model, Model)
    return model


def is_possible(model: Model, values: dict[str, Any]) -> bool:
    """Say whether there is a solution with these values."""
    tried = model.copy()
    for name, value in values.items():
        tried.fix(tried[name], value)
    status = tried.solve(solver="backtracking").status
    assert status in (Status.FEASIBLE, Status.INFEASIBLE)
    return status is Status.FEASIBLE


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["want"])
def test_a_row_does_what_it_says(row: dict[str, Any]) -> None:
    if "needs" in row:
        pytest.importorskip(row["needs"])
    model = written(row)
    assert row.get("yes") or row.get("best")
    for values in row.get("yes", []):
        assert is_possible(model, values)
    for values in row.get("no", []):
        assert not is_possible(model, values)
        assert is_possible(
            model.without(range(model.constraint_count)), values
        )  # it is the row that forbids it
    if "best" in row:
        assert list(model.solve(solver="cpsat").objectives) == row["best"]


def test_the_page_has_every_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS)
    (page,) = importlib.import_module("generating.recipes").pages().values()
    assert len(ROWS) >= 40
    assert len({row["want"] for row in ROWS}) == len(ROWS)
    for row in ROWS:
        assert f"* - {row['want']}\n" in page
        assert row["write"].strip().splitlines()[0] in page
