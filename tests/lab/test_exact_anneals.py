"""The exact means of row-anneals are those that runs scatter about."""

from __future__ import annotations

import exact_anneals
import numpy as np
import pytest

from cpqueens.lab.experiments import board

BOARD = exact_anneals.Board(4)


@pytest.mark.parametrize("rule", sorted(exact_anneals.RULES))
@pytest.mark.parametrize("tested", ["row", "round"])
def test_runs_scatter_about_the_exact_mean(rule: str, tested: str) -> None:
    ways = exact_anneals.courses(BOARD.seen, exact_anneals.RULES[rule])
    assert ways.sum(axis=2) == pytest.approx(1)
    exact = exact_anneals.expected(BOARD, ways, tested == "row")
    options = {"schedule": "rowwise", "rule": rule, "tested": tested}
    found = board(4).runs("local-search:annealing", seeds=3000, **options)
    anneals = np.asarray(found.statistics["anneals"], dtype=np.float64)
    assert abs(anneals.mean() - exact) < 3.5 * anneals.std() / np.sqrt(len(anneals))
