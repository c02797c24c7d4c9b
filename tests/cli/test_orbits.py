"""Whole orbits on request: as text side by side, and the twelve of eight queens on one sheet."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpqueens.cli.main import main

SOLVER = ("--solver", "python-constraint")


def call(*words: str) -> Result:
    return CliRunner().invoke(main, ["enumerate", *words, "--orbits", *SOLVER])


def test_the_twelve_of_eight_queens_with_their_orbits_on_one_sheet(tmp_path: Path) -> None:
    sheet = tmp_path / "twelve.svg"
    assert "12 up to symmetry, 92 in all" in call("queens", "n=8", "--out", str(sheet)).stdout
    text = sheet.read_text()
    assert [
        text.count(f">orbit {k}, size {4 if k == symmetric else 8}<")
        for symmetric in (10,)
        for k in range(1, 13)
    ] == [1] * 12
    assert text.count(">transposition<") + text.count("rotation by 90<") == 24
    assert call("queens", "n=8", "--out", str(sheet)).exit_code == 2


def test_orbits_as_text_of_groups_written_down_and_generated() -> None:
    said = call("queens", "n=5", "--format", "list").stdout
    assert "orbit 1, size 8, kept by identity\n" in said
    assert "orbit 2, size 2, kept by identity, rotation by 90, rotation by 180, rotation by 270\n" in said
    boards = {line[k : k + 15] for line in said.splitlines() for k in range(len(line)) if line[k] == "["}
    assert len(boards) == 10
    assert "orbit 1, size 10, kept by identity" in call("toroidal_queens", "n=5").stdout
    squares = call("latin_square", "n=3").stdout
    assert "0 1 2   0 1 2   0 2 1" in squares
    assert "1 up to symmetry, 12 in all" in squares


@pytest.mark.parametrize(
    "words", [("--json",), ("--out", "a.csv"), ("--format", "svg"), ("--out", "a.svg", "given=[[0,0]]")]
)
def test_what_shows_no_orbits_is_refused(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = call("queens", "n=5", *words)
    assert result.exit_code == 2
    assert not list(tmp_path.iterdir())


def test_a_sheet_of_what_has_no_boards_is_no_file(tmp_path: Path) -> None:
    result = call("langford", "n=4", "--out", str(tmp_path / "a.svg"))
    assert "a sheet holds boards, nothing else" in result.output
    assert not list(tmp_path.iterdir())
