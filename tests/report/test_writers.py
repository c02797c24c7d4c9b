"""Files appear whole or not at all, and hold what was written."""

from pathlib import Path

import numpy as np
import pytest

from cpqueens import Model, ModelError
from cpqueens.outcome import SolutionSet
from cpqueens.report.outputfile import OutputFile
from cpqueens.report.writers import WRITERS, SolutionFile
from cpqueens.solutionfile import read_solutions
from cpqueens.views import Sequence

ROWS = np.array([[0, 1, 2], [2, 1, 0], [0, 0, 0]])


def model() -> Model:
    m = Model("m")
    m.intvar(0, 2, shape=2, name="x")
    m.intvar(0, 2, name="y")
    return m


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".npy"])
def test_batches_come_back(suffix: str, tmp_path: Path) -> None:
    m = model()
    path = tmp_path / f"a{suffix}"
    with SolutionFile(path, m) as file:
        for part in (ROWS[:1], ROWS[1:]):
            file.write(SolutionSet(m, m.decisions, part))
        assert not path.exists()
    assert file.count == 3
    assert read_solutions(path, m).matrix.tolist() == ROWS.tolist()


@pytest.mark.parametrize("suffix", WRITERS)
def test_an_error_leaves_nothing(suffix: str, tmp_path: Path) -> None:
    m = model()
    m.view = Sequence("x")
    with pytest.raises(RuntimeError), SolutionFile(tmp_path / f"a{suffix}", m):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_keeps_what_was_written(tmp_path: Path) -> None:
    m = model()
    path = tmp_path / "a.csv"
    file = SolutionFile(path, m)
    file.write(SolutionSet(m, m.decisions, ROWS))
    file.__exit__(KeyboardInterrupt)
    assert path.read_text() == "x[0],x[1],y\n0,1,2\n2,1,0\n0,0,0\n"


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with pytest.raises(ModelError, match="exists already"), SolutionFile(path, model()):
        path.write_text("mine")
    assert path.read_text() == "mine"
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("name", ["a.xls", "a", "no/folder/a.csv", "."])
def test_bad_names_are_refused_at_once(name: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        SolutionFile(tmp_path / name, model())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    file = OutputFile(tmp_path / "a.csv")
    file.stream.close()
    with Path("/dev/full").open("wb") as file.stream:
        with pytest.raises(ModelError, match="No space left on device"):
            file.append(b"x" * 10_000_000)
        file.discard()
    assert list(tmp_path.iterdir()) == []


def test_names_with_commas_are_quoted(tmp_path: Path) -> None:
    m = Model("m")
    m.intvar(0, 2, shape=(1, 2), name="x")
    with SolutionFile(tmp_path / "a.csv", m) as file:
        file.write(SolutionSet(m, m.decisions, ROWS[:, :2]))
    assert (tmp_path / "a.csv").read_text().splitlines()[0] == '"x[0,0]","x[0,1]"'
    assert read_solutions(tmp_path / "a.csv", m).matrix.tolist() == ROWS[:, :2].tolist()
