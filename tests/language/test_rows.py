"""Arrays of numbers."""

from __future__ import annotations

import numpy as np

from cpqueens.language.rows import stable_order


def test_a_stable_order_is_that_of_numpy() -> None:
    rng = np.random.default_rng(20261127)
    for size in (0, 1, 2, 511, 512, 5000):
        for low, high in ((0, 2), (0, 10**6), (0, 2**40), (2**62, 2**63 - 1), (-5, 5), (3, 4)):
            keys = rng.integers(low, high, size)
            for given in (keys, np.sort(keys), keys[::-1], keys[::3]):
                before = given.copy()
                assert (stable_order(given) == np.argsort(given, kind="stable")).all()
                assert (given == before).all()
