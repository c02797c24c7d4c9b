"""Seeds, ten to a test: running a test costs more than what most do with one seed.

The first `QUICK` are what every run has time for; `make test-slow` has the others, and all of a `sweep`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

import pytest

Case = TypeVar("Case")

QUICK = 20
LONG = os.environ.get("CPQUEENS_LONG_TESTS") == "1"


def sweep(few: int, many: int) -> range:
    """Return the seeds that a loop within a test goes through: few, or many for `make test-slow`."""
    return range(many if LONG else few)


def some(cases: Sequence[Case], few: int) -> Sequence[Case]:
    """Return the first few of the cases that a test goes through, all for `make test-slow`."""
    return cases if LONG else cases[:few]


def seeds(values: range, together: int = 10) -> Callable[[Callable[..., None]], Any]:
    """Call a test with each ``seed``; the one that fails is named."""
    parts = [values[k : k + together] for k in range(0, len(values), together)]

    def decorate(test: Callable[..., None]) -> Any:
        @wraps(test)
        def with_each(*, seed: range, **given: Any) -> None:
            for one in seed:
                try:
                    test(seed=one, **given)
                except BaseException as error:
                    error.add_note(f"seed {one}")
                    raise

        chosen = [
            pytest.param(p, id=f"{p[0]}-{p[-1]}", marks=[pytest.mark.slow] if k * together >= QUICK else [])
            for k, p in enumerate(parts)
        ]
        return pytest.mark.parametrize("seed", chosen)(with_each)

    return decorate
