"""Every registered backend, and each of its strategies, passes the suite that third parties run."""

from __future__ import annotations

import pytest

from cpqueens.backends import named
from cpqueens.testing import BackendConformance


class TestRegistered(BackendConformance):
    @pytest.fixture(autouse=True, params=named.available())
    def _each(self, request: pytest.FixtureRequest) -> None:
        self.solver = request.param
