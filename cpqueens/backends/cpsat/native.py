"""The compiled part of OR-Tools' CP-SAT: its messages, a solver and a callback, without its modelling layer.

``ortools.sat.python.cp_model`` imports pandas, which takes three quarters of the 0.2 s of its own import.
Models are written as protocol buffers here, so what is behind it, ``cp_model_helper``, is enough.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Proto = Any  # ortools.sat.python.cp_model_helper.CpModelProto


CONCLUSIVE = ("OPTIMAL", "INFEASIBLE")
"""Names of the statuses with which nothing is left to search."""


def library() -> Any:
    """Return OR-Tools' compiled module, which is imported when it is first asked for."""
    from ortools.sat.python import cp_model_helper

    return cp_model_helper


def new_proto(other: Proto = None) -> Proto:
    """Return the protocol buffer of a model: a copy of another, or of one without anything."""
    proto = library().CpModelProto()
    if other is not None:
        proto.copy_from(other)
    return proto


@cache
def model_class() -> Any:
    """Return OR-Tools' ``CpModel``, which makes the older names of its methods when somebody asks for one.

    To make all of them with each model takes longer than to translate a small one.
    """
    from ortools.sat.python import cp_model

    class CpModel(cp_model.CpModel):  # type: ignore[misc, unused-ignore]
        def __init__(self, proto: Proto) -> None:
            super(cp_model.CpModel, self).__init__(proto)

        def __getattr__(self, name: str) -> Any:
            return getattr(cp_model.CpModel(self.model_proto), name)

    return CpModel


def invalid(proto: Proto) -> str:
    """Return what makes a model invalid, "" if it is valid."""
    return str(library().CpSatHelper.validate_model(proto))


def make_callback(take: Callable[[Any], None]) -> Any:
    """Return a callback object that hands over the response with each solution."""

    class Callback(library().SolutionCallback):  # type: ignore[misc]
        def OnSolutionCallback(self) -> None:  # noqa: N802 (OR-Tools' name)
            take(self.Response())

    return Callback()


class Solver:
    """One run of CP-SAT, as OR-Tools' own ``CpSolver`` does it.

    Attributes
    ----------
    parameters
        CP-SAT's ``SatParameters``.
    response
        CP-SAT's ``CpSolverResponse`` after `solve`.
    """

    def __init__(self) -> None:
        self.parameters = library().SatParameters()
        self.log_callback: Callable[[str], None] | None = None
        self.best_bound_callback: Callable[[float], None] | None = None
        self.response: Any = None
        self._running: Any = None
        self._lock = threading.Lock()

    def solve(self, proto: Proto, callback: Any = None) -> str:
        """Search, and return the name of CP-SAT's status."""
        with self._lock:
            running = self._running = library().SolveWrapper()
        running.set_parameters(self.parameters)
        if callback is not None:
            running.add_solution_callback(callback)
        if self.log_callback is not None:
            running.add_log_callback(self.log_callback)
        if self.best_bound_callback is not None:
            running.add_best_bound_callback(self.best_bound_callback)
        self.response = running.solve(proto)
        if callback is not None:
            running.clear_solution_callback(callback)
        with self._lock:
            self._running = None
        return str(self.response.status.name)

    def stop_search(self) -> None:
        """End the search that runs, if one does, from any thread."""
        with self._lock:
            if self._running is not None:
                self._running.stop_search()
