"""Ties of the search on triangles."""

from __future__ import annotations

import numpy as np
from each import each

from cpqueens.kernels.local.triangle import VARIABLE, key_of


@each("ties", [2, 3, 5, 8, 13])
def test_ties_are_broken_evenly(ties: int) -> None:
    """A chi-square statistic far beyond its mean (ties - 1) would show a hash that prefers some variables."""
    generator, wins = np.random.default_rng(ties), np.zeros(16)
    equal = np.sort(generator.permutation(16)[:ties]).tolist()
    for salt in generator.integers(0, 2**32, 5_000).tolist():
        wins[max(key_of(2, v, salt) for v in equal) & VARIABLE] += 1
        assert key_of(3, 0, salt) > max(key_of(2, v, salt) for v in equal)
    expected = 5_000 / ties
    assert wins.sum() == wins[equal].sum() == 5_000
    assert ((wins[equal] - expected) ** 2 / expected).sum() < ties - 1 + 6 * np.sqrt(2 * (ties - 1))
