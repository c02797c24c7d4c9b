"""A bound of the objective beside a search that proves nothing: that of the linear rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cpqueens.backends.backtracking.memory import build_memory
from cpqueens.backends.base import Request, Want
from cpqueens.backends.local_search.root import LARGEST
from cpqueens.backends.relaxation.root import relaxation_of
from cpqueens.lowered.structures.table import Structures

AFTER = 0.05
"""Processor seconds of a run until it looks for a bound: many are over by then."""
LEFT = 0.25
"""Seconds of the user's limit that must be left."""


class ObjectiveBound:
    """Proves a bound once a run has taken a while; no step of the search depends on it."""

    def __init__(self, structures: Structures, request: Request) -> None:
        self._structures, self._request = structures, request
        model = structures.model
        is_small = model.variable_count + model.constraint_count <= LARGEST
        self.facts: Mapping[str, Any] = {}
        self._open = request.want is Want.BEST and request.bounds is not None and is_small

    def should_stop(self) -> bool:
        """Say whether the run is to end; look for the bound when it is time."""
        if self._request.should_stop():
            return True
        clock = self._request.clock
        if self._open and clock.used() > AFTER and (clock.remaining() or LEFT) >= LEFT:
            self._open = False
            self._prove()
            return self._request.should_stop()
        return False

    def _prove(self) -> None:
        compiled = self._structures.compiled(self._structures.exact)
        found = relaxation_of(
            self._structures.model, compiled, lambda: build_memory(compiled, False), self._request
        )
        self.facts = {} if found is None else found.facts
        if found is not None and found.bound is not None:
            self._request.prove(-found.bound if compiled.maximizing else found.bound)
