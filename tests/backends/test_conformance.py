"""Every registered backend, and each of its strategies, passes the suite that third parties run."""

from __future__ import annotations

import pytest

from cpqueens import backends
from cpqueens.testing import BackendConformance


class TestRegistered(BackendConformance):
    @pytest.fixture(autouse=True, params=backends.available())
    def _each(self, request: pytest.FixtureRequest) -> None:
        self.solver = request.param
