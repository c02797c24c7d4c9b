"""Files appear whole or not at all, and hold what was written."""

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cpqueens import Model, ModelError
from cpqueens.answers.solution import SolutionSet
from cpqueens.files.solutionfile import FORMATS, SolutionWriter, read_solutions
from cpqueens.language.views import Sequence
from cpqueens.report.outputfile import OutputFile, write_whole

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
    with SolutionWriter(path, m) as file:
        for part in (ROWS[:1], ROWS[1:]):
            file.write(SolutionSet(m, m.decisions, part))
        assert not path.exists()
    assert file.count == 3
    assert read_solutions(path, m).matrix.tolist() == ROWS.tolist()


@pytest.mark.parametrize("suffix", [suffix for suffix, kept in FORMATS.items() if kept.write])
def test_an_error_leaves_nothing(suffix: str, tmp_path: Path) -> None:
    m = model()
    m.view = Sequence("x")
    with pytest.raises(RuntimeError), SolutionWriter(tmp_path / f"a{suffix}", m):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_keeps_what_was_written(tmp_path: Path) -> None:
    m = model()
    path = tmp_path / "a.csv"
    file = SolutionWriter(path, m)
    file.write(SolutionSet(m, m.decisions, ROWS))
    file.__exit__(KeyboardInterrupt)
    assert path.read_text() == "x[0],x[1],y\n0,1,2\n2,1,0\n0,0,0\n"


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with pytest.raises(ModelError, match="exists already"), SolutionWriter(path, model()):
        path.write_text("mine")
    assert path.read_text() == "mine"
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("name", ["a.xls", "a", "no/folder/a.csv", "."])
def test_bad_names_are_refused_at_once(name: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        SolutionWriter(tmp_path / name, model())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    file = OutputFile(tmp_path / "a.csv")
    file.stream.close()
    with Path("/dev/full").open("wb", buffering=0) as file.stream:
        with pytest.raises(ModelError, match="No space left on device"):
            file.append(b"x" * 10_000_000)
        file.discard()
    assert list(tmp_path.iterdir()) == []


class Full:
    """A stream on a disk that is full after some bytes."""

    def __init__(self, stream: Any, room: int) -> None:
        self._stream, self._room = stream, room

    def write(self, data: Any) -> int:
        room = self._room - self._stream.tell()
        if room <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written: int = self._stream.write(data[:room])
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".npy"])
def test_what_was_written_before_the_disk_was_full_is_kept(suffix: str, tmp_path: Path) -> None:
    """Whole batches, under a name that says that it is a part."""
    m = model()
    before = tmp_path / f"a{suffix}"
    before.write_text("mine")
    found = SolutionSet(m, m.decisions, ROWS)

    def write() -> None:
        with SolutionWriter(before, m, force=True) as file:
            file.write(found)
            file.file.stream = Full(file.file.stream, file.file.stream.tell() + 3)  # type: ignore[assignment]
            file.write(found)

    with pytest.raises(ModelError, match="No space left") as refused:
        write()
    kept = tmp_path / f"a{suffix}.partial"
    assert str(refused.value).endswith(f"the first {len(ROWS)} are in {kept}")
    assert sorted(p.name for p in tmp_path.iterdir()) == [before.name, kept.name]
    assert before.read_text() == "mine"
    kept.rename(tmp_path / f"b{suffix}")
    assert read_solutions(tmp_path / f"b{suffix}", m).matrix.tolist() == ROWS.tolist()


def test_a_text_is_written_whole_and_through_links(tmp_path: Path) -> None:
    (tmp_path / "real.html").write_text("old")
    (tmp_path / "link.html").symlink_to("real.html")
    write_whole(tmp_path / "link.html", "new")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "real.html").read_text() == "new"
    write_whole(os.devnull, "nothing")
    assert not Path(os.devnull).is_file()
    with pytest.raises(ModelError):
        write_whole(tmp_path / "no" / "x.html", "new")


def test_names_with_commas_are_quoted(tmp_path: Path) -> None:
    m = Model("m")
    m.intvar(0, 2, shape=(1, 2), name="x")
    with SolutionWriter(tmp_path / "a.csv", m) as file:
        file.write(SolutionSet(m, m.decisions, ROWS[:, :2]))
    assert (tmp_path / "a.csv").read_text().splitlines()[0] == '"x[0,0]","x[0,1]"'
    assert read_solutions(tmp_path / "a.csv", m).matrix.tolist() == ROWS[:, :2].tolist()


def test_no_boards_are_no_solutions(tmp_path: Path) -> None:
    m = Model("boards")
    m.intvar(0, 1, shape=(2, 2), name="x")
    np.save(tmp_path / "none.npy", np.zeros((0, 2, 2), dtype=np.int64))
    assert read_solutions(tmp_path / "none.npy", m).matrix.shape == (0, 4)
