"""The Wilson interval against scipy and against known values."""

import pytest
from scipy.stats import binomtest

from cpqueens.answers.quality import wilson_interval


@pytest.mark.parametrize(("successes", "runs"), [(0, 5), (5, 5), (1, 3), (100, 100), (37, 500), (499, 500)])
def test_wilson_interval_is_scipys(successes, runs):
    expected = binomtest(successes, runs).proportion_ci(method="wilson")
    low, high = wilson_interval(successes, runs)
    assert low == pytest.approx(expected.low, abs=1e-12)
    assert high == pytest.approx(expected.high, abs=1e-12)


def test_a_hundred_of_a_hundred_is_at_least_96_percent():
    assert wilson_interval(100, 100)[0] == pytest.approx(0.963, abs=5e-4)
    assert wilson_interval(0, 0) == (0.0, 1.0)
