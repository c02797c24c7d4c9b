"""Gaps to what is proved: of the best, the median and the worst run, in either sense.

The Wilson interval against scipy and against known values.
"""

import pytest
from scipy.stats import binomtest

from cpqueens.answers.quality import Quality, quality, wilson_interval


def of(values: list[int], optimum: int | None, bound: int | None, maximizing: bool = False) -> Quality:
    found = quality(values, maximizing, optimum, bound)
    assert found is not None
    return found


def test_gaps_to_the_optimum() -> None:
    found = of([140, 100, 125], 100, 100)
    assert (found.best, found.median, found.worst, found.optimal) == (100, 125, 140, 1)
    assert found.gaps == "25.0 % (0 % to 40.0 %)"
    assert not found.refutes


def test_a_gap_to_a_bound_is_at_most_that_and_nothing_is_optimal() -> None:
    found = of([60, 80, 80], None, 100, maximizing=True)
    assert (found.gaps, found.optimal, found.is_optimum) == ("<= 20.0 % (20.0 % to 40.0 %)", None, False)


def test_better_than_what_is_proved_refutes_it_in_both_senses() -> None:
    assert of([101], 100, 100, maximizing=True).refutes
    assert of([99], None, 100).refutes
    assert not of([100], 100, None).refutes


def test_a_proved_zero_has_no_share() -> None:
    assert of([0, 3], 0, 0).gaps == "1.5 (0 to 3)"
    assert of([5], None, None).gaps == ""
    assert quality([], False, 1, 1) is None


@pytest.mark.parametrize(("whole", "optimal"), [(True, 2), (False, None)])
def test_the_first_of_several_objectives_says_nothing_of_optima(whole: bool, optimal: int | None) -> None:
    found = quality([4, 4], False, 4, 4, whole)
    assert found is not None
    assert found.optimal == optimal


@pytest.mark.parametrize(("successes", "runs"), [(0, 5), (5, 5), (1, 3), (100, 100), (37, 500), (499, 500)])
def test_wilson_interval_is_scipys(successes, runs):
    expected = binomtest(successes, runs).proportion_ci(method="wilson")
    low, high = wilson_interval(successes, runs)
    assert low == pytest.approx(expected.low, abs=1e-12)
    assert high == pytest.approx(expected.high, abs=1e-12)


def test_a_hundred_of_a_hundred_is_at_least_96_percent():
    assert wilson_interval(100, 100)[0] == pytest.approx(0.963, abs=5e-4)
    assert wilson_interval(0, 0) == (0.0, 1.0)
