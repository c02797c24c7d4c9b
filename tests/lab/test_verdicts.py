"""What is said of tables follows their figures: other figures, another answer."""

import shlex
from itertools import chain

import pytest
from click.testing import CliRunner

from cpqueens.cli import main as cli
from cpqueens.lab import verdicts
from cpqueens.lab.classical_texts import GARBLED, SECTIONS, chosen, reproduce
from cpqueens.lab.experiments import CLAIMS
from cpqueens.lab.runlength import Interval
from cpqueens.lab.verdicts import differ, read


@pytest.mark.parametrize(
    ("cell", "figures"),
    [
        ("1,690 [1,440, 2,040]", (1690, 1440, 2040)),
        ("96.0 % [90.2, 98.4], 100 runs", (96, 90.2, 98.4)),
        ("37.7 [-28.3, 104]", (37.7, -28.3, 104)),
        ("12 [3, ?]", (12, 3, float("inf"))),
        ("never, > 1,200", (float("inf"), 1200, float("inf"))),
        ("never", (float("inf"), 0, float("inf"))),
        ("28.20", (28.2, 28.2, 28.2)),
    ],
)
def test_cells_are_read_as_they_are_shown(cell: str, figures: tuple[float, float, float]) -> None:
    assert read(cell) == Interval(*figures)


def test_figures_differ_where_their_intervals_do_not_meet() -> None:
    low, high = Interval(2, 1, 3), Interval(5, 4, 6)
    assert (differ(low, high), differ(high, low), differ(low, Interval(4, 3, 5))) == (-1, 1, 0)


def test_algorithms_beside_each_other() -> None:
    rows = [["algorithm", "queens", "evaluations of a solution", "runs"]]
    rows += [
        ["climb", n, cell, "9"] for n, cell in (("8", "9 [8, 10]"), ("10", "5 [4, 6]"), ("12", "2 [1, 3]"))
    ]
    rows += [["restart", n, "5 [4, 6]", "9"] for n in ("8", "10", "12")]
    rows += [["ten", n, "0.5 [0.4, 0.6]", "9"] for n in ("8", "10", "12")]
    said = verdicts.against(rows)
    assert (
        "climb needs, beside restart, fewer at 12 queens, more at 8 queens, no difference shown at 10 queens"
        in said
    )
    assert "ten needs, beside climb, fewer at 8, 10 and 12 queens" in said


def test_how_many_times_as_many() -> None:
    rows = [["algorithm", "queens", "evaluations of a solution"]]
    rows += [["a", "8", "100 [90, 110]"], ["b", "8", "20 [19, 21]"], ["c", "8", "105 [95, 115]"]]
    said = verdicts.efficient(rows)
    assert "more than by b (20.0 [19.0, 21.0], 5.0 times as many)" in said
    assert said.endswith("and no difference is shown to those by c (105 [95.0, 115]).")


def test_depth_over_sizes() -> None:
    rows = [["algorithm", "queens", "stuck", "steps of a run"]]
    steps = (
        ("8", "60 [58, 62]"),
        ("10", "160 [150, 170]"),
        ("12", "165 [155, 175]"),
        ("14", "180 [172, 188]"),
    )
    rows += [["climb", n, "3.0 % [2.0, 4.0]", cell] for n, cell in steps]
    assert verdicts.depth(rows).endswith(
        "more from 8 to 10, 10 to 14 and 8 to 14; no difference is shown from 10 to 12 and 12 to 14."
    )
    assert "3.0 % [2.0, 4.0] at 8 queens, 3.0 % [2.0, 4.0] at 14" in verdicts.stuck(rows)


@pytest.mark.parametrize(
    ("last", "says"),
    [
        (
            "4,050 [3,900, 4,200]",
            "; from 200 to 400 queens no difference is shown: they grow as N does there.",
        ),
        ("9,000 [8,900, 9,100]", "queens more, so that they grow faster than N."),
        ("3,000 [2,900, 3,100]", "queens fewer, so that they grow more slowly than N."),
    ],
)
def test_growth_with_the_size(last: str, says: str) -> None:
    rows = [["algorithm", "queens", "restarts of a run", "evaluations of a run"]]
    growing = (("100", "3,000 [2,900, 3,100]"), ("200", "2,000 [1,900, 2,100]"), ("400", last))
    rows += [["swaps", n, "1.0 [0.9, 1.1]", cell] for n, cell in growing]
    assert verdicts.polynomial(rows).endswith(says)


def test_printed_figures_within_intervals_and_not() -> None:
    rows = [
        CLAIMS,
        ["rate", "14 %", "", "14.7 % [14.4, 15.0]", "9"],
        ["steps", "21", "19 [18, 20]", "18 [17, 19]", "9"],
    ]
    rows += [["no figure", "", "", "1 [0, 2]", "9"]]
    said = verdicts.printed(rows)
    assert (
        "as it is printed: 14 % (rate). It is not within: 21 (steps: ours 18 [17, 19], its program 19" in said
    )
    assert "no figure" not in said
    assert "not within" not in verdicts.printed(rows[:2])


def test_rows_annealed_by_either_rule() -> None:
    rows = [CLAIMS, ["solved", "", "", "99.0 % [98.0, 99.5]", "9"]]
    rows += [["own", "", "", "100 [90, 110]", "9"], ["usual", "", "", "2,000 [1,900, 2,100]", "9"]]
    said = verdicts.frees(rows)
    assert "99.0 % [98.0, 99.5] of the runs" in said
    assert "fewer than by the usual rule (2,000 [1,900, 2,100], 0.050 times as many)" in said


def test_the_fastest_by_ranges() -> None:
    rows = [["asked for", "strategy", "solutions", "nodes", "ms"]]
    for asked, ms in (("counted", "2 [1, 3]"), ("listed", "7 [6, 9]")):
        rows += [[asked, "check", "1", "1", "8 [7, 9]"], [asked, "words", "1", "1", "2 [1, 3]"]]
        rows += [[asked, "bits", "1", "1", ms]]
    assert "counted, bits is faster than check, shows no difference to words;" in verdicts.fastest(rows)
    assert "listed, bits is slower than words, shows no difference to check." in verdicts.fastest(rows)


def test_a_verdict_stands_beside_its_table_alone() -> None:
    (found,) = reproduce(20, ["las-vegas-12"])
    assert found.section.answers == (verdicts.by_chance(list(found.tables[0].rows)),)
    assert "fewest, 80.39, with 5 random queens" in found.section.answers[0]


def test_verdicts_are_of_tables_that_there_are() -> None:
    for section in SECTIONS:
        for verdict in section.verdicts:
            of_claims = verdict.table == f"{section.key}-claims"
            assert of_claims or [one.key for one in chosen([verdict.table])] == [section.key]
    assert len(list(chain.from_iterable(section.verdicts for section in SECTIONS))) > 8


def test_the_matrix_that_is_made_up_is_refused_as_is_said() -> None:
    drawn, check = GARBLED[0].split(" | ")
    board = shlex.split(drawn)[1].replace("\\n", "\n")
    done = CliRunner().invoke(cli.main, shlex.split(check)[1:], input=board)
    assert done.exit_code == 2
    assert GARBLED[1] in done.output
