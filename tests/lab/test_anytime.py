"""Objectives over time, by hand; and where samples put values, against all solutions."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from cpqueens import Model, evaluate
from cpqueens.lab.evaluated import occupancy
from cpqueens.lab.evaluation_plots import anytimes, occupancies, reached
from cpqueens.lab.performance import anytime, targets
from cpqueens.lab.runfile import RunRecord, run_of, text_of


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPQUEENS_KERNELS", "plain")


def run(*found: tuple[float, int], seconds: float = 10.0, reason: str = "time_limit") -> RunRecord:
    best = found[-1][1] if found else None
    return RunRecord(
        "h", "p", 0, "FEASIBLE", reason, wall_seconds=seconds, objective=best,
        solution=None if best is None else (1,), incumbents=found,
    )  # fmt: skip


RUNS = [run((1.0, 9), (4.0, 5)), run((2.0, 8)), run((3.0, 20), (6.0, 7)), run(), run((1.5, 30))]


def test_bands_over_runs_by_hand() -> None:
    curve = anytime([*RUNS, run((0.1, 0), reason="interrupted")][:5], maximizing=False)
    assert curve is not None
    assert curve.seconds.tolist() == [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0]
    assert curve.share.tolist() == [0.2, 0.4, 0.6, 0.8, 0.8, 0.8, 0.8]
    assert curve.good.tolist() == [9, 9, 8, 8, 5, 5, 5]
    assert curve.median.tolist() == [math.inf, math.inf, 30, 20, 20, 8, 8]
    assert np.isinf(curve.poor).all()  # one of five has nothing


def test_maximizing_is_the_mirror_image() -> None:
    mirrored = [run(*((at, -value) for at, value in row.incumbents or ())) for row in RUNS]
    one, other = anytime(RUNS, maximizing=False), anytime(mirrored, maximizing=True)
    assert one is not None
    assert other is not None
    for name in ("good", "median", "poor"):
        assert getattr(one, name).tolist() == [-value for value in getattr(other, name)]
    assert anytime([run()], maximizing=True) is None


def test_targets_by_hand() -> None:
    rows = [run((1.0, 120), (2.0, 104)), run((3.0, 100), seconds=4.0, reason="optimal"), run(seconds=5.0)]
    found = list(targets({"h": rows}, "p", maximizing=False, optimum=100))
    assert [t.value for t in found] == [100, 101, 105, 110]
    assert [t.reached.value for t in found] == [1 / 3, 1 / 3, 2 / 3, 2 / 3]
    assert [t.name for t in found][::3] == ["the optimum 100", "110 (10 % off)"]
    assert found[0].lengths.lengths.tolist() == [10.0, 3.0, 5.0]
    assert found[0].lengths.limited.tolist() == [True, False, True]
    assert found[0].expected.value == pytest.approx(18.0)
    broken = run((0.5, 103), reason="interrupted")
    same = next(iter(targets({"h": [*rows, broken]}, "p", maximizing=False, optimum=100)))
    assert same.lengths.lengths.tolist() == found[0].lengths.lengths.tolist()
    best = list(targets({"h": rows, "none": []}, "p", maximizing=True, optimum=None))
    assert [(t.heuristic, t.name) for t in best][:2] == [("h", "the best known 104"), ("h", "103 (1 % off)")]


def knapsack() -> Model:
    m = Model("packing")
    x = m.boolvar(shape=6, name="x")
    m += (x * [5, 9, 7, 3, 8, 4]).sum() <= 17
    m.maximize((x * [6, 12, 7, 5, 9, 8]).sum())
    return m


def test_objectives_are_followed_and_kept() -> None:
    found = evaluate("local-search", knapsack(), runs=4, step_limit=300, reference_time=5)
    for row in found.runs:
        assert row.incumbents is not None
        values = [value for _, value in row.incumbents]
        assert values == sorted(values)
        assert values[-1] == row.objective
        assert run_of(text_of(row)) == row
    (curve,) = found.anytimes
    assert curve.median[-1] == sorted(found.runs.column("objective"))[1]
    data = json.loads(found.to_json())
    assert len(data["anytimes"][0]["seconds"]) == len(curve.seconds)
    assert data["targets"][0]["value"] == found.references[0].optimum
    assert "lengths" not in data["targets"][0]
    assert "the optimum" in str(found)
    drawn = [*anytimes(found, "a"), *reached(found, "t")]
    assert [picture.svg.startswith("<svg") for picture in drawn] == [True, True]
    assert "incumbents" in found.runs.to_csv()


def test_where_samples_put_values() -> None:
    """The two solutions of 4 queens: a heuristic that finds one only is told, on its squares."""
    rows = np.array([[1, 3, 0, 2], [2, 0, 3, 1]])
    m = Model()
    m.intvar(0, 3, shape=4, name="q")
    even = occupancy("h", "p", m, rows[np.arange(40) % 2], rows)
    assert even is not None
    assert (even.p, np.abs(even.seen - even.exact).max()) == (1.0, 0.0)
    uneven = occupancy("h", "p", m, rows[np.arange(40) // 36], rows)
    assert uneven is not None
    assert uneven.farthest_said == "q[0] = 1: 90.0 % of samples, 50.0 % of solutions"
    tail = 2 * sum(math.comb(40, k) for k in range(36, 41)) / 2**40
    assert uneven.p == pytest.approx(8 * tail)
    assert "not uniform" in str(uneven)
    assert occupancy("h", "p", m, rows[:1], rows) is None  # too few samples
    assert occupancy("h", "p", m, rows[np.arange(40) % 2], None) is None


def test_squares_that_are_taken_or_not_are_drawn_as_a_board() -> None:
    m = Model("rooks")
    x = m.boolvar(shape=(3, 3), name="x")
    m += x.sum(axis=0) == 1
    m += x.sum(axis=1) == 1
    found = evaluate("local-search", m, runs=30, reference_time=5)
    (where,) = found.occupancies
    assert (where.board, where.exact[:, 1].tolist()) == ((3, 3), pytest.approx([1 / 3] * 9))
    (picture,) = occupancies(found, "o")
    assert "squares are taken more" in picture.caption
    assert "Where they put values" in str(found)
