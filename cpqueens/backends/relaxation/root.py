"""The relaxation of a model, solved once at its root, whoever asks: both own engines have its bound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from cpqueens.backends.backtracking.forward import ForwardSearch
from cpqueens.backends.base import Request
from cpqueens.backends.relaxation.inequalities import entries
from cpqueens.backends.relaxation.relaxation import LARGEST, Relaxation, relaxed
from cpqueens.kernels.exact.domains import Memory
from cpqueens.lowered.compiled import Compiled
from cpqueens.system.stopping import Stopped

if TYPE_CHECKING:
    from cpqueens.language.statement import Statement


def relaxation_of(
    model: Statement | None, compiled: Compiled, network: Callable[[], tuple[Memory, int]], request: Request
) -> Relaxation | None:
    """Return what the relaxation of a model proves; None if nothing, or the time is over.

    Parameters
    ----------
    model
        With which it is kept; None if it is of a part of a model only.
    network
        Returns the exact engine's network of ``compiled``.
    """
    if entries(compiled) > LARGEST:
        return None

    def make() -> Relaxation | None:
        free = replace(request, objective_limit=None, incumbent=None, bounds=None, parameters={})
        ends = ForwardSearch(compiled, network(), free, False, {}).root_ends()
        if request.should_stop():  # what is kept depends on no clock
            raise Stopped
        return None if ends is None else relaxed(compiled, *ends)

    try:
        has_objective = compiled.objective is not None
        return make() if model is None else model.kept(("relaxation", has_objective), make)
    except Stopped:
        return None
