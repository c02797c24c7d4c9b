"""The best solutions on the command line: flags, documents, exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cpqueens import Model
from cpqueens.cli.main import main
from cpqueens.files.modelfile import save_model


@pytest.fixture
def file(tmp_path: Path) -> str:
    model = Model("pairs")
    x = model.intvar(0, 5, shape=2, name="x")
    model += x.sum() >= 7
    model.minimize(x.sum())
    model.then_maximize(x[0])
    save_model(model, tmp_path / "pairs.json")
    return str(tmp_path / "pairs.json")


@pytest.fixture
def ruler() -> list[str]:
    return ["golomb_ruler", "marks=4"]


def asked(*words: str, code: int = 0) -> Any:
    result = CliRunner().invoke(main, list(words))
    assert result.exit_code == code, result.output
    return result


def document(*words: str, code: int = 0) -> Any:
    return json.loads(asked(*words, "--json", code=code).stdout)


def test_optimal_solutions(ruler: list[str]) -> None:
    found = document("enumerate", *ruler, "--optimal", "--solver", "backtracking")
    assert (found["status"], found["objective"], found["complete"]) == ("OPTIMAL", 6, True)
    assert found["solutions"] == [{"x": [0, 1, 4, 6]}]
    assert found["published"] is None


def test_within_a_gap_and_the_best(ruler: list[str]) -> None:
    assert document("count", *ruler, "--gap", "1")["count"] == 4
    found = document("enumerate", *ruler, "--best", "3")
    assert [s["x"][-1] for s in found["solutions"]] == [6, 7, 7]


def test_objectives_in_their_order(file: str) -> None:
    assert document("solve", file)["objectives"] == [7, 5]
    assert "objective  7, then 5" in asked("solve", file).output
    assert document("enumerate", file, "--optimal")["solutions"] == [{"x": [5, 2]}]
    assert document("enumerate", file, "--optimal")["objectives"] == [7, 5]
    for language in ("mzn", "fzn"):
        refused = asked("export", file, "--to", language, code=2).stderr
        assert "--to json writes all of them, or in Python export one" in " ".join(refused.split())
    for verb in ("enumerate", "count"):
        assert "objective  7, then 5\n" in asked(verb, file, "--optimal").output


def test_without_objective_and_beside_other_flags() -> None:
    assert "has no objective" in asked("count", "queens", "n=4", "--optimal", code=2).output
    assert (
        "--gap: not with --metamorphic"
        in asked("cross-check", "queens", "n=4", "--metamorphic", "--gap", "0", code=2).output
    )
    limits = asked("enumerate", "golomb_ruler", "marks=4", "--best", "2", "--limit", "3", code=2)
    assert "best: it already says how many" in limits.output


def test_a_heuristic_is_refused(ruler: list[str]) -> None:
    said = asked("enumerate", *ruler, "--optimal", "--solver", "local-search", code=20)
    assert "local-search proves nothing" in said.output


def test_cross_check_of_optimal_sets(ruler: list[str]) -> None:
    found = document("cross-check", *ruler, "--optimal", "--bundles", "")
    assert (found["verdict"]["optimum"], found["verdict"]["count"]) == (6, 1)


def test_check_names_what_soft_constraints_cost(tmp_path: Path) -> None:
    model = Model("shifts")
    x = model.intvar(0, 9, name="x")
    model.add(x != 4)
    model.add_soft(x >= 7, weight=3, name="late")
    model.add_soft(x <= 5, weight=2, name="early")
    name = str(tmp_path / "shifts.json")
    save_model(model, name)
    found = asked("check", name, '{"x": 6}').output
    assert "penalty 5" in found
    assert "late: x >= 7" in found
    listed = tmp_path / "several.jsonl"
    listed.write_text('{"x": 8}\n{"x": 4}\n')
    (entry,) = document("check", name, str(listed), code=10)["penalties"]
    assert (entry["place"], entry["penalty"]) == ("line 1", 2)
    assert [(v["name"], v["penalty"]) for v in entry["violated"]] == [("early", 2)]
