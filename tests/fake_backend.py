"""A backend that answers whatever the test says: how the pipeline is tested with lies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from cpqueens.answers.outcome import StopReason
from cpqueens.backends import named
from cpqueens.backends.base import Deliver, Ended, Feature, Order, Parameter, Request

Script = Callable[[Any, Request, Deliver], Ended]


class FakeBackend:
    """Runs a script: ``script(model, request, deliver) -> Ended``."""

    name = "fake"
    strategies: tuple[str, ...] = ("quick", "slow")
    parameters = {
        "pace": Parameter(int, 1, "does nothing"),
        "mood": Parameter(str, "good", "does nothing", ("good", "bad")),
        "share": Parameter(float, 0.5, "does nothing"),
    }

    def __init__(
        self,
        script: Script,
        *,
        proves: bool = True,
        order: Order = Order.DISTINCT,
        features: frozenset[Feature] = frozenset(Feature),
    ) -> None:
        self.script = script
        self.proves = proves
        self.order = order
        self.features = features
        self.requests: list[Request] = []

    def run(self, model: Any, request: Request, deliver: Deliver) -> Ended:
        self.requests.append(request)
        return self.script(model, request, deliver)


def rows(*values: Any) -> np.ndarray:
    """Return a batch."""
    return np.array(values, dtype=np.int64).reshape(len(values), -1)


def says(*batches: Any, exhausted: bool = True, reason: str = "exhausted", **ended: Any) -> Script:
    """Return a script that delivers the batches, heeds the answer and ends as told."""

    def script(model: Any, request: Request, deliver: Deliver) -> Ended:
        for batch in batches:
            if not deliver(np.asarray(batch)):
                return Ended(False, StopReason.SOLUTION_LIMIT)
        return Ended(exhausted, StopReason(reason), **ended)

    return script


def stubborn(*batches: Any, exhausted: bool = True, **ended: Any) -> Script:
    """Return a script that goes on delivering whatever it is told."""

    def script(model: Any, request: Request, deliver: Deliver) -> Ended:
        for batch in batches:
            deliver(np.asarray(batch))
        return Ended(exhausted, StopReason.EXHAUSTED, **ended)

    return script


@contextmanager
def installed(fake: FakeBackend) -> Iterator[FakeBackend]:
    """Register ``fake`` as the backend ``fake`` while the block runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(named.BACKENDS, "fake", f"{__name__}:_current")
        patch.setattr(f"{__name__}._current", lambda: fake, raising=False)
        named.get_backend.cache_clear()
        try:
            yield fake
        finally:
            named.get_backend.cache_clear()


def _current() -> FakeBackend:
    raise AssertionError("no fake backend is installed")
