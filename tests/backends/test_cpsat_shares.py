"""CP-SAT listing with several searches at a time: nothing lost, nothing twice, and it can be stopped."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from cpqueens.models.queens import queens

from cpqueens import STOP, AllDifferent, Model, StopReason
from cpqueens.backends.cpsat.searches import parts
from cpqueens.backends.cpsat.translation import translate


def gaps() -> Model:
    m = Model("gaps")
    x = m.intvar(domain=[-5, 0, 3, 7, 1000], shape=3, name="x")
    y = m.intvar(0, 400, name="y")
    m += [AllDifferent(x), x.sum() == 5 * y]
    return m


@pytest.mark.parametrize("workers", [2, 3])
def test_parts_cover_the_space_once(workers: int) -> None:
    model = gaps()
    translation = translate(model, objective=False)
    found = parts(translation.proto, translation.columns.tolist(), workers)
    assert len(found) >= 8 * workers
    values = [model.domain_values(v, 1000) for v in model.decisions.tolist()]
    columns = translation.columns.tolist()
    for row in product(*(v[:: max(1, len(v) // 9)].tolist() for v in values)):
        at = dict(zip(columns, row, strict=True))
        inside = [
            all(any(a <= at[c] <= b for a, b in zip(ends[::2], ends[1::2], strict=True)) for c, ends in part)
            for part in found
        ]
        assert sum(inside) == 1


@pytest.mark.parametrize(("build", "expected"), [(lambda: queens(7), 40), (gaps, None)])
def test_several_searches_find_the_same(build: object, expected: int | None) -> None:
    model = build()  # type: ignore[operator]
    alone = model.enumerate(solver="backtracking").solutions.matrix
    shared = model.enumerate(solver="cpsat", num_workers=2)
    assert shared.complete
    assert shared.statistics["parts"] > 2
    assert expected in (None, len(alone))
    np.testing.assert_array_equal(np.unique(shared.solutions.matrix, axis=0), np.unique(alone, axis=0))
    assert model.count(solver="cpsat", num_workers=3) == len(alone)


def test_limits_and_callbacks() -> None:
    model = queens(8)
    limited = model.enumerate(solver="cpsat", num_workers=2, solution_limit=5)
    assert (limited.count, limited.complete, limited.stop_reason) == (5, False, StopReason.SOLUTION_LIMIT)
    stopped = model.enumerate(lambda solution: STOP, solver="cpsat", num_workers=2)
    assert (stopped.count, stopped.stop_reason) == (1, StopReason.CALLBACK)

    def broken(solution: object) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        model.enumerate(broken, solver="cpsat", num_workers=2)
    late = queens(12).enumerate(solver="cpsat", num_workers=2, time_limit=0.3)
    assert (late.complete, late.stop_reason) == (False, StopReason.TIME_LIMIT)


def test_no_solution() -> None:
    assert queens(3).count(solver="cpsat", num_workers=2) == 0
