"""A bundle stands alone: models, answers, and a way to see the disagreement again."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import make_queens
from liars import Scripted

from cpqueens import Model, ModelError, cross_check
from cpqueens.crosscheck.crosscheck import replay
from cpqueens.files.modelfile import load_model
from cpqueens.problems.catalog import find


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
    done = run(disagreement.replay)
    assert done.returncode == 0, done.stderr  # the liar exists only here; the others agree
    assert "exhaustive" in done.stdout


def run(command):
    verb = shlex.split(command)
    assert verb[:2] == ["cpqueens", "cross-check"]
    verb += ["--bundles", ""]  # a replay leaves no bundle where it runs
    code = "from cpqueens.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *verb[1:]], capture_output=True, text=True, check=False
    )


HEURISTIC = """
def seldom_right(model, seed, time_limit):
    return {"x": [9] * 3 if seed == 7 else [0, 1, 2]}
"""


@pytest.mark.parametrize("n", [9, 99])  # 9: small enough for the exhaustive oracle
def test_its_command_runs_a_heuristic_of_a_file_again(tmp_path, n):
    (tmp_path / "mine.py").write_text(HEURISTIC)
    m = Model()
    x = m.intvar(0, n, shape=3, name="x")
    m.add(x[:-1] < x[1:])
    m.minimize(x.sum())
    function = find(f"{tmp_path / 'mine.py'}:seldom_right").function
    report = cross_check(m, ["cpsat", function], seeds=8, bundles=tmp_path / "bundles")
    (found,) = report.disagreements
    assert found.accused == "seldom_right"
    done = run(found.replay)  # one seed of eight is wrong, on the model as given
    assert done.returncode == 10, done.stderr
    assert "seed 7" in done.stdout


def test_the_command_asks_for_all_where_shrinking_took_the_objective(tmp_path):
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    m.minimize(x.sum())
    participants = ["cpsat", Scripted("liar", wrong_value)]
    (found,) = cross_check(m, participants, bundles=tmp_path).disagreements
    assert "--want all" in found.replay
    assert run(found.replay).returncode == 0
    assert replay(found.bundle, {"liar": Scripted("liar", wrong_value)}).disagreements


def wrong_value(answer, model, request):
    answer.rows = [row + 9 for row in answer.rows]


def test_what_is_missing_is_named(disagreement, tmp_path):
    with pytest.raises(ModelError, match="liar"):
        replay(disagreement.bundle)
    with pytest.raises(ModelError, match="not a bundle"):
        replay(tmp_path)


def test_a_second_bundle_gets_a_folder_of_its_own(tmp_path):
    for _ in range(2):
        cross_check(make_queens(4), ["python-constraint", Scripted("liar", drop_first)], bundles=tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["MISSING-liar", "MISSING-liar-2"]
