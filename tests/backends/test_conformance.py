"""Every registered backend, and each of its strategies, passes the suite that third parties run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fake_backend import FakeBackend, installed

from cpqueens.backends import named
from cpqueens.backends.base import Feature
from cpqueens.testing import BackendConformance


@pytest.mark.usefixtures("uncompiled")
class TestRegistered(BackendConformance):
    @pytest.fixture(autouse=True, params=named.available())
    def _each(self, request: pytest.FixtureRequest) -> None:
        self.solver = request.param


class TestThatOnlyLists(BackendConformance):
    """A proving backend may have no objective, no hint, no order and no seed."""

    solver = "fake"
    seeds = range(20)

    @pytest.fixture(autouse=True)
    def _small(self) -> Iterator[None]:
        lists = FakeBackend(named.get_backend("cpsat").run, features=frozenset({Feature.ENUMERATE}))
        with installed(lists):
            yield
