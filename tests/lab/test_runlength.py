"""Run-length statistics against hand-made, brute-force and synthetic truths."""

from __future__ import annotations

import math

import interval_coverage
import numpy as np
import pytest

from cpqueens.answers.symmetry import QUEENS_BOARD
from cpqueens.kernels.search_runs import luby
from cpqueens.lab.comparing import compare_runs, corrected, detectable
from cpqueens.lab.reference import Reference, coverage
from cpqueens.lab.runlength import RunLengths, thin
from cpqueens.lab.runtable import RunRecord, RunTable


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
