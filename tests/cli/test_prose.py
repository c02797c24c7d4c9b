"""What verbs print on a narrow terminal breaks at words; what they show meanwhile is said in one form."""

from __future__ import annotations

import re
import time

import pytest
from click.testing import CliRunner
from each import each

from cpqueens.cli import cross_check, terminal
from cpqueens.cli.main import main
from cpqueens.cli.terminal import Standing

WIDE = 60
DRAWN = re.compile("[\u2500-\u25ff\u2654-\u265f]")
VERBS = [
    "list", "list -v", "show queens", "show costas_array n=5", "show no_such_problem",
    "strategies local-search:hill-climbing las-vegas cpsat", "doctor",
    "solve queens n=6 --solver backtracking", "solve golomb_ruler marks=4 --solver backtracking",
    "solve queens n=2 --solver backtracking --explain", "solve queens n=4 --solver backtracking --trace",
    "solve magic_square n=3 --solver backtracking",
    "count queens n=6 --solver backtracking", "enumerate queens n=6 --solver backtracking --format list",
    "cross-check queens n=4 --solvers backtracking,python-constraint",
    "compare queens toroidal_queens --solver backtracking", "fuzz --models 2 --seed 1 --solvers backtracking",
    "evaluate queens n=4 --solver las-vegas --runs 20 --reference-time 0",
    "solve queens n=minus --solver x", "solve nothing_of_that_name_is_there_at_all_but_it_is_long n=6",
]  # fmt: skip


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPQUEENS_KERNELS", "plain")
    monkeypatch.setenv("COLUMNS", str(WIDE))
    for module in (terminal, cross_check):
        monkeypatch.setattr(module, "columns_of", lambda stream: WIDE)


@each("line", VERBS)
def test_no_line_of_prose_is_longer_than_the_terminal_is_wide(line: str) -> None:
    result = CliRunner().invoke(main, line.split(), env={"COLUMNS": str(WIDE)})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert result.output.strip()
    long = [part for part in result.output.splitlines() if len(part) > WIDE and not DRAWN.search(part)]
    assert not [part for part in long if len(max(part.split(), key=len)) <= WIDE // 2], long


def test_labels_hang_and_pictures_stay(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.say("note       " + "word " * 14)
    terminal.say("│" + " " * 80 + "│")
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["note       " + " ".join(["word"] * 10), " " * 11 + " ".join(["word"] * 4)]
    assert len(lines[2]) == 82


def test_where_something_stands_is_said_as_far_as_it_is_known() -> None:
    standing = Standing("evaluating", "tabu", "runs", time_limit=5, done=30, of=40, first=10, since=None)
    standing.began = time.monotonic() - 20
    assert re.fullmatch(r"evaluating: tabu, 30 of 40 runs, (9|10) s left, limit 5 s each", str(standing))
    standing.remaining, standing.objective, standing.bound = 3700, 1234, 1000
    assert str(standing) == (
        "evaluating: tabu, 30 of 40 runs, objective 1,234, bound 1,000, 1 h 01 min left, limit 5 s each"
    )
    assert str(Standing("comparing")) == "comparing"


def test_of_a_time_limit_it_says_what_is_left() -> None:
    standing = Standing("queens(n=8)", "cpsat", time_limit=90, since=time.monotonic() - 30.2)
    assert str(standing) == "queens(n=8): cpsat, limit 1 min 30 s (in 1 min 00 s)"
    standing.since = time.monotonic() - 100
    assert str(standing).endswith("(in 0 s)")


def test_a_narrow_line_keeps_what_changes() -> None:
    standing = Standing("travelling_salesman(cities=40)", "local-search:tabu+cpsat", time_limit=60)
    standing.objective, standing.bound = 31_245, 30_998
    for width in range(len("best 31,245, bound 30,998"), 110):
        assert len(standing.within(width)) <= width
        assert re.search("(objective|best) 31,245, bound 30,998", standing.within(width))
    assert standing.within(40) == "best 31,245, bound 30,998, in 1 min 00 s"
    assert Standing("comparing").within(3) == "comparing"


@pytest.mark.parametrize(
    ("written", "said"),
    [("26174832", "q[0]=2 and q[7]=2"), ("15260375", "q[1]=5 and q[7]=5"), ("1,3,1,0", "q[0]=1 and q[2]=1")],
)
def test_check_answers_in_the_numbers_that_were_written(written: str, said: str) -> None:
    """A typed 2 is not reported as a 1; what counts from 0, or was drawn, stays."""
    n = len(written.replace(",", ""))
    result = CliRunner().invoke(main, ["check", "queens", f"n={n}", written])
    assert result.exit_code == 10
    assert said in result.output, result.output
