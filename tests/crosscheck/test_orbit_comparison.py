"""Two models up to symmetries: orbits that one loses, and constraints that only break symmetries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cpqueens.models.queens import queens

from cpqueens import Model, ModelError, compare
from cpqueens.answers.symmetry import QUEENS_BOARD
from cpqueens.cli.main import main
from cpqueens.crosscheck.roles import Role, constraint_roles

N = 6  # one orbit of 4 solutions; of 7 queens there are 6 orbits with 40


def with_queens(n: int, *cells: tuple[int, int, str]) -> Model:
    """Queens on a board with constraints on rows: ``(row, value, relation)``."""
    m = queens(n)
    q = m["q"]
    for row, value, relation in cells:
        m.add(q[row] < value if relation == "<" else q[row] != value)
    return m


@pytest.mark.parametrize(
    ("b", "orbits", "lost"),
    [
        (with_queens(7), (6, 6), (0, 0)),
        (with_queens(7, (0, 4, "<")), (6, 6), (0, 0)),  # the left half and the middle
        (
            with_queens(7, (3, 3, "!=")),
            (6, 4),
            (0, 2),
        ),  # no queen in the centre: two orbits of 4 each have one
    ],
)
def test_orbits_lost(b: Model, orbits: tuple[int, int], lost: tuple[int, int]) -> None:
    a = with_queens(7)
    found = compare(a, b, symmetries=QUEENS_BOARD, time_limit=600).orbits
    assert found is not None
    assert (found.orbits, found.lost, found.symmetries) == (orbits, lost, 8)
    assert found.equal is (lost == (0, 0))
    assert found.closed[0]
    assert (found.examples[1] is not None) is (lost[1] > 0)
    if lost[1]:
        assert "b loses 2 of the orbits of a" in str(found)
        assert a.check(dict(found.examples[1] or {})).ok
    else:
        assert "no orbit is lost" in str(found)


def test_nothing_is_claimed_of_what_was_not_listed() -> None:
    a, b = queens(16), with_queens(16, (0, 8, "<"))
    found = compare(a, b, symmetries=QUEENS_BOARD, time_limit=0.5, solvers=("cpsat",)).orbits
    assert found is not None
    assert (found.orbits, found.lost, found.equal) == ((None, None), (None, None), False)
    assert "was not decided" in str(found)


def test_constraints_that_only_break_symmetries() -> None:
    m = with_queens(N, (0, 3, "<"), (5, 9, "<"))
    last = m.constraint_count - 1
    found = constraint_roles(m, symmetries=QUEENS_BOARD, time_limit=600)
    assert [one.position for one in found if one.role is Role.BREAKS_SYMMETRIES] == [last - 1]


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "half.py"
    path.write_text(
        "from cpqueens.models.queens import queens\nm = queens(6)\nm.add(m['q'][0] < 3, name='left half')\n"
    )

    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit):
            main(["compare", "queens", str(path), "a.n=6", *arguments])
        return capsys.readouterr().out

    text = run("--symmetries")
    assert "up to 8 symmetries: a has 1 orbits, b 1" in text
    assert "only breaks symmetries in b: left half" in text
    assert json.loads(run("--symmetries", "--json"))["orbits"]["lost"] == [0, 0]


def test_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.py"
    path.write_text("from cpqueens import Model\nm = Model()\nm.intvar(0, 1, name='x')\n")
    with pytest.raises(SystemExit):
        main(["compare", str(path), str(path), "--symmetries"])
    assert "neither model declares any" in capsys.readouterr().err
    a = Model()
    a.intvar(0, 1, shape=2, name="q")
    with pytest.raises(ModelError, match="one queen in each row"):
        compare(a, a, symmetries=QUEENS_BOARD)
