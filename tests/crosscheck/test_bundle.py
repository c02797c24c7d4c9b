"""A bundle stands alone: models, answers, and a way to see the disagreement again."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import make_queens
from liars import Scripted

from cpqueens import ModelError, cross_check
from cpqueens.crosscheck.replay import replay
from cpqueens.files.modelfile import load_model


def drop_first(answer, model, request):
    if len(answer.rows) > 1:
        answer.rows = answer.rows[1:]


@pytest.fixture(scope="module")
def disagreement(tmp_path_factory):
    solvers = ["python-constraint", Scripted("liar", drop_first)]
    report = cross_check(make_queens(5), solvers, bundles=tmp_path_factory.mktemp("bundles"))
    (found,) = report.disagreements
    return found


def test_it_holds_the_model_as_given_and_shrunk(disagreement):
    folder = Path(disagreement.bundle)
    given, shrunk = load_model(folder / "model.json"), load_model(folder / "shrunk.json")
    assert given.count("python-constraint") == 10
    assert len(shrunk.decisions) <= 1
    assert len(shrunk.constraints) == 0
    data = json.loads((folder / "bundle.json").read_text())
    assert data["disagreement"]["code"] == "MISSING"
    assert data["disagreement"]["accused"] == "liar"
    assert {a["name"] for a in data["answers"]} == {"python-constraint", "liar"}
    assert data["versions"]["python"]
    assert data["seeds"] == [0]


@pytest.mark.parametrize("shrunk", [True, False])
def test_it_replays(disagreement, shrunk):
    again = replay(disagreement.bundle, {"liar": Scripted("liar", drop_first)}, shrunk=shrunk)
    assert [(d.code, d.accused) for d in again.disagreements] == [(disagreement.code, "liar")]


def test_its_command_runs(disagreement):
    assert disagreement.replay == (Path(disagreement.bundle) / "replay.sh").read_text().splitlines()[1]
    verb = disagreement.replay.split()
    assert verb[:2] == ["cpqueens", "cross-check"]
    code = "from cpqueens.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *verb[1:]], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr  # the liar exists only here; the others agree
    assert "exhaustive" in done.stdout


def test_what_is_missing_is_named(disagreement, tmp_path):
    with pytest.raises(ModelError, match="liar"):
        replay(disagreement.bundle)
    with pytest.raises(ModelError, match="not a bundle"):
        replay(tmp_path)


def test_a_second_bundle_gets_a_folder_of_its_own(tmp_path):
    for _ in range(2):
        cross_check(make_queens(4), ["python-constraint", Scripted("liar", drop_first)], bundles=tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["MISSING-liar", "MISSING-liar-2"]
