"""Loops over cases."""

from __future__ import annotations

import inspect

import pytest
from each import each


def test_each_case_is_run_and_the_failing_one_is_named() -> None:
    seen = []

    @each("a, b", [(1, 2), (3, 4), (5, 6)])
    @each("c", range(2))
    def test(solver: str, a: int, b: int, c: int) -> None:
        seen.append((solver, a, b, c))
        assert (a, c) != (3, 1)

    assert list(inspect.signature(test).parameters) == ["solver"]
    with pytest.raises(AssertionError) as failure:
        test(solver="s")
    assert seen == [("s", 1, 2, 0), ("s", 1, 2, 1), ("s", 3, 4, 0), ("s", 3, 4, 1)]
    assert failure.value.__notes__ == ["in the case c = 1", "in the case a, b = (3, 4)"]
