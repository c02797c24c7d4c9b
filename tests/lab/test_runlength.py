"""Run-length statistics against hand-made, brute-force and synthetic truths."""

from __future__ import annotations

import math
from dataclasses import replace

import interval_coverage
import numpy as np
import pytest

from cpqueens.answers.symmetry import QUEENS_BOARD
from cpqueens.kernels.local.runs import luby
from cpqueens.lab.evaluated import (
    Comparison,
    compare_objectives,
    compare_runs,
    corrected,
    detectable,
    detectable_share,
)
from cpqueens.lab.performance import summed_up
from cpqueens.lab.reference import Reference, coverage
from cpqueens.lab.runfile import RunRecord, RunTable
from cpqueens.lab.runlength import RunLengths, thin


def record(steps: float | None, reason: str, heuristic: str = "h", seed: int = 0) -> RunRecord:
    solution = (1,) if reason == "solution_limit" else None
    return RunRecord(heuristic, "p", seed, "?", reason, steps=steps, evaluations=steps, solution=solution)  # type: ignore[arg-type]


def lengths(*runs: tuple[float | None, str]) -> RunLengths:
    found = RunLengths.of([record(*run) for run in runs], "steps")
    assert found is not None
    return found


SOLVED, LIMIT, STUCK = "solution_limit", "step_limit", "local_optimum"


def test_kaplan_meier_by_hand() -> None:
    """Of 6 runs one is broken off at 3: 1/6 at 2, then 1 - 5/6 * 3/4 at 4."""
    runs = lengths((2, SOLVED), (3, "interrupted"), (4, SOLVED), (5, SOLVED), (7, SOLVED), (9, LIMIT))
    curve = runs.curve()
    shares = dict(zip(curve.x.tolist(), curve.y.tolist(), strict=True))
    assert shares[2] == pytest.approx(1 / 6)
    assert shares[3] == pytest.approx(1 / 6)
    assert shares[4] == pytest.approx(1 - 5 / 6 * 3 / 4)
    assert shares[7] == pytest.approx(1 - 5 / 6 * 3 / 4 * 2 / 3 * 1 / 2)
    assert (curve.low <= curve.y + 1e-12).all()
    assert (curve.y <= curve.high + 1e-12).all()
    assert curve.quantile(0.5).value == 5


def test_stuck_and_rejected_runs_stay_at_risk_for_ever() -> None:
    runs = lengths((2, SOLVED), (1, STUCK), (4, SOLVED), (None, "invalid"))
    assert runs.curve().y.tolist() == [0.25, 0.5]
    assert runs.curve().quantile(0.6).value == math.inf
    assert runs.never.tolist() == [False, True, False, True]
    assert runs.shape() is None


def test_nothing_solved() -> None:
    runs = lengths(*[(5, LIMIT)] * 20)
    curve = runs.curve()
    assert curve.y.tolist() == [0.0]
    assert curve.high[0] == pytest.approx(0.161, abs=1e-3)
    assert runs.expected().value == math.inf
    assert 30 < runs.expected().low < 32  # at most 16.1 % succeed within 5
    assert runs.restart() is None


def test_an_interval_may_be_open_above() -> None:
    """Of few runs that took nearly the same the bootstrap goes as far as no float does."""
    rng = np.random.default_rng(2)
    opened = 0
    for _ in range(300):
        drawn = rng.choice([SOLVED, STUCK, LIMIT], int(rng.integers(2, 8)))
        runs = lengths(*((1 + 1e-9 * rng.random(), kind) for kind in drawn))
        told = runs.expected()
        solved = int(runs.solved.sum())
        assert told.value == (runs.lengths.sum() / solved if solved else math.inf)
        assert 0 <= told.low <= told.value <= told.high
        opened += solved > 0 and math.isinf(told.high)
    assert opened


def test_means_of_each_kind_of_run() -> None:
    runs = lengths((2, SOLVED), (4, SOLVED), (9, STUCK))
    assert runs.mean(runs.solved).value == 3
    assert runs.mean(runs.solved).high == pytest.approx(3 + 12.7062, abs=1e-3)  # Student's, for two runs
    assert runs.mean(runs.solved).low == 0  # lengths are not negative
    assert (runs.mean(runs.never).low, runs.mean(runs.never).high) == (0, math.inf)
    assert runs.mean(runs.limited) is None
    rows = [record(2, SOLVED), record(4, SOLVED), record(9, STUCK)]
    kinds = summed_up("h", "p", None, 3, rows, (), Reference("p"))
    told = kinds.lengths["steps"]
    assert (told.mean.value, told.if_solved.value, told.if_unsolved.value) == (5, 3, 9)


def test_interrupted_runs_are_no_trials() -> None:
    rows = [record(2, SOLVED), record(3, "interrupted"), record(9, LIMIT), record(4, STUCK)]
    found = summed_up("h", "p", None, 6, rows, (), Reference("p"))
    assert (found.runs, found.solved, found.limited, found.stuck) == (3, 1, 1, 1)
    assert (found.interrupted, found.not_run) == (1, 2)
    assert found.rate.value == pytest.approx(1 / 3)


def test_what_nobody_counts_is_unknown() -> None:
    assert RunLengths.of([], "steps") is None
    assert RunLengths.of([record(None, SOLVED)], "steps") is None
    assert RunLengths.of([record(0, SOLVED)], "steps") is None  # a solver that counts none


def test_a_limit_in_another_unit_ends_all_at_the_first_that_met_it() -> None:
    """Ten steps take 1 to 3 seconds: what is solved after the first limited run tells nothing of all."""
    runs = lengths((1, SOLVED), (2, LIMIT), (3, SOLVED), (4, LIMIT))
    assert runs.horizon == 2
    assert runs.curve().x.tolist() == [1, 2]
    assert runs.seen()[1].tolist() == [True, False, False, False]
    assert runs.by_cutoff()[0].tolist() == [1, 2]
    assert runs.penalized() is None
    assert lengths((1, SOLVED), (5, LIMIT), (5, LIMIT)).penalized() == pytest.approx(101 / 3)
    assert lengths((1, SOLVED), (5, STUCK)).penalized() is None
    assert lengths((1, SOLVED), (5, SOLVED)).penalized() == 3


def test_expected_lengths_under_cutoffs_by_brute_force() -> None:
    generator = np.random.default_rng(1)
    made = [(int(v), SOLVED if generator.random() < 0.7 else STUCK) for v in generator.integers(0, 30, 200)]
    runs = lengths(*made)
    cutoffs, expected = runs.by_cutoff()
    for cutoff, value in zip(cutoffs, expected, strict=True):
        solved = sum(reason == SOLVED and length <= cutoff for length, reason in made)
        assert value == pytest.approx(sum(min(length, cutoff) for length, _ in made) / solved)
    assert sorted({v for v, _ in made}) == cutoffs.tolist()
    assert runs.expected().value == pytest.approx(expected[-1])


def test_heavy_tails_gain_by_restarts_and_memoryless_runs_do_not() -> None:
    generator = np.random.default_rng(2)
    tail = [(int(v), SOLVED) for v in np.where(generator.random(400) < 0.5, 10, 1000)]
    found = lengths(*tail).restart()
    assert found is not None
    assert found.cutoff == 10
    assert found.gain == pytest.approx(505 / 20, rel=0.15)
    even = lengths(*[(int(v), SOLVED) for v in 1 + generator.exponential(300, 2000)])
    restart, shape = even.restart(), even.shape()
    assert restart is not None
    assert shape is not None
    assert restart.gain < 1.15
    assert shape.contains(1.0)


def test_a_start_that_is_a_solution_makes_no_cutoff() -> None:
    runs = lengths((0, SOLVED), (0, SOLVED), *[(10, SOLVED), (10, SOLVED), (1000, SOLVED)] * 20)
    found = runs.restart()
    assert found is not None
    assert found.cutoff == 10
    assert found.gain > 10


def test_lubys_restarts_by_simulation() -> None:
    """The recursion against the sequence played out, with stuck runs and a limit."""
    generator = np.random.default_rng(7)
    made = [(int(v), STUCK if v % 3 == 0 else SOLVED) for v in generator.integers(1, 20, 120)] + [
        (20, LIMIT)
    ] * 5
    runs = lengths(*made)
    units, expected = runs.by_luby_unit()
    for unit, value in list(zip(units, expected, strict=True))[::9]:
        alive, cost = 1.0, 0.0
        for k in range(1, 200):
            cutoff = min(unit * luby(k), 20)
            cost += alive * np.mean([min(length, cutoff) for length, _ in made])
            alive *= 1 - np.mean([reason == SOLVED and length <= cutoff for length, reason in made])
        assert value == pytest.approx(cost)
    restart = runs.restart()
    assert restart is not None
    assert restart.unit in units


@pytest.mark.parametrize("shape", [0.5, 2.0])
def test_the_weibull_shape_is_found_with_censoring(shape: float) -> None:
    runs = interval_coverage.weibull_runs(np.random.default_rng(3), shape, 4000, 0.7)
    found = runs.shape()
    assert found is not None
    assert found.contains(shape)
    assert found.high / found.low < 1.1


def test_log_rank_tells_planted_differences_apart() -> None:
    generator = np.random.default_rng(4)
    rows = {
        name: RunTable([record(int(v), SOLVED, name) for v in 1 + generator.exponential(mean, 800)])
        for name, mean in {"a": 300.0, "b": 300.0, "c": 450.0}.items()
    }
    found = {(c.first, c.second): c for c in corrected(list(compare_runs("p", rows)))}
    assert [found[pair].differs for pair in (("a", "b"), ("a", "c"), ("b", "c"))] == [False, True, True]
    assert found["a", "c"].ratio == pytest.approx(2 / 3, rel=0.15)
    assert found["a", "b"].unit == "evaluations"
    assert found["a", "b"].detectable == pytest.approx(detectable(1600))


def test_holm_corrects_for_the_number_of_comparisons() -> None:
    made = [Comparison("", "a", "b", "steps", p, 1.0, 1.0) for p in (0.03, 0.01, 0.04, 0.02)]
    assert [c.holm for c in corrected(made)] == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert [c.differs for c in corrected(made)] == [False, True, False, False]


def test_what_a_comparison_finds() -> None:
    """Schoenfeld: 4 (1.96 + 0.84)^2 / log(ratio)^2 events; Noether: (1.96 + 0.84)^2 / (3 (share - 1/2)^2)."""
    both = 1.959964 + 0.841621
    assert detectable(int(4 * (both / math.log(1.5)) ** 2)) == pytest.approx(1.5, rel=0.01)
    runs = int(both**2 / (3 * 0.1**2) / 2)
    assert detectable_share(runs, runs) == pytest.approx(0.6, abs=0.001)
    assert (detectable(0), detectable_share(1, 1)) == (math.inf, 1.0)


@pytest.mark.parametrize("maximizing", [False, True])
def test_objectives_are_compared_in_pairs_of_runs(maximizing: bool) -> None:
    generator = np.random.default_rng(5)
    sign = -1 if maximizing else 1
    found = {
        "a": [*generator.integers(0, 20, 30).tolist(), None],
        "b": generator.integers(10, 30, 40).tolist(),
        "none": [],
    }
    rows = {
        name: [
            replace(record(1, LIMIT), objective=None if value is None else sign * value) for value in values
        ]
        for name, values in found.items()
    }
    rows["a"].append(replace(record(1, "interrupted"), objective=sign * 99))
    (pair,) = compare_objectives("p", rows, maximizing)
    costs = [[math.inf if v is None else v for v in found[name]] for name in "ab"]
    better = [1.0 if a < b else 0.5 if a == b else 0.0 for a in costs[0] for b in costs[1]]
    assert pair.ratio == pytest.approx(np.mean(better))
    assert pair.p < 1e-5
    assert (pair.first, pair.second, pair.unit) == ("a", "b", "objective")
    assert pair.detectable == detectable_share(31, 40)


def test_thinned_curves_keep_their_ends() -> None:
    curve = lengths(*[(k, SOLVED) for k in range(1, 1000)]).curve().thinned(50)
    assert (len(curve.x), curve.x[0], curve.x[-1], curve.y[-1]) == (50, 1, 999, 1)
    assert thin(1, 5).tolist() == [0]


# ---- coverage of solution sets -------------------------------------------------------------------------

SIX = np.array([[1, 3, 5, 0, 2, 4], [2, 5, 1, 4, 0, 3], [3, 0, 4, 1, 5, 2], [4, 2, 0, 5, 3, 1]])


def test_coverage_of_a_known_set() -> None:
    sample = SIX[[0] * 30 + [1]]
    found = coverage("h", Reference("six", "s", solutions=SIX), sample, QUEENS_BOARD)
    assert (found.samples, found.distinct, found.of_all, found.outside) == (31, 2, 4, 0)
    assert found.ceiling == pytest.approx(4 * (1 - 0.75**31))
    assert found.uniform is not None
    assert found.uniform.p is not None
    assert found.uniform.p < 1e-10
    assert "not uniform" in str(found.uniform)
    assert (found.orbits, found.orbits_of_all) == (1, 1)
    even = coverage("h", Reference("six", "s", solutions=SIX), SIX[np.arange(40) % 4], ())
    assert even.uniform is not None
    assert even.uniform.p == 1.0
    few = coverage("h", Reference("six", "s", solutions=SIX), SIX[:3], ())
    assert str(few.uniform) == "not enough samples: 20 are needed"


def test_chao1_estimates_what_was_not_seen() -> None:
    """Five seen once and two twice among ten: 10 + 5 * 4 / (2 * 3)."""
    counts = [1] * 5 + [2] * 2 + [3] * 3
    sample = np.repeat(np.arange(10), counts)[:, None]
    found = coverage("h", Reference("p", unknown="too many"), sample, ())
    assert found.chao1 == pytest.approx(10 + 20 / 6)
    assert (found.of_all, found.uniform) == (None, None)


def test_a_solution_outside_of_all_is_seen() -> None:
    found = coverage("h", Reference("six", "liar", solutions=SIX[:2]), SIX[[0, 2]], ())
    assert (found.outside, found.of_all) == (1, 2)
    none = coverage("h", Reference("six", "liar", solutions=SIX[:0], infeasible=True), SIX, ())
    assert (none.outside, none.of_all) == (4, 0)


# ---- intervals -----------------------------------------------------------------------------------------


def test_wilson_covers_what_it_says() -> None:
    covered = interval_coverage.wilson()
    assert 0.94 <= covered.mean <= 0.96
    assert covered.least >= 0.91


@pytest.mark.slow
def test_sampled_intervals_cover_what_they_say() -> None:
    """95 % intervals cover 94-96 % in the mean over the grid; `make intervals` prints the least."""
    for covered in interval_coverage.sampled(600):
        assert 0.935 <= covered.mean <= 0.97, str(covered)
        assert covered.least >= 0.85, str(covered)


@pytest.mark.slow
def test_planted_differences_are_found_at_the_stated_rate() -> None:
    runs = interval_coverage.runs_for(1.1)
    assert 0.74 <= interval_coverage.differing(1.1, runs, 300) <= 0.86
    assert interval_coverage.differing(1.0, runs, 300) <= 0.09
    share, runs = detectable_share(200, 200), 200
    assert 0.74 <= interval_coverage.better(share, runs, 300) <= 0.86
    assert interval_coverage.better(0.5, runs, 300) <= 0.09
