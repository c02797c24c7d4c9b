"""`NoOverlap` and `Cumulative` for the exact engine."""

from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator, WholeKind
from cpqueens.kernels import domains as at
from cpqueens.kernels import task_sets
from cpqueens.language.constraints.cumulative import Cumulative
from cpqueens.language.constraints.no_overlap import NoOverlap


def _variables(constraint: NoOverlap | Cumulative, parts: Parts) -> list[int]:
    sides = (constraint.start, constraint.duration, constraint.present)
    return [v for side in sides for v in parts.variables(side)]


def _lay_out_no_overlap(constraint: NoOverlap, parts: Parts) -> None:
    count = constraint.start.size
    room = [0] * (task_sets.ROOM * (count + 1))
    variables = _variables(constraint, parts)
    parts.propagator(
        Propagator("no_overlap", variables, numbers=room, constant=count, events=at.BOUND, queue=at.DEAREST)
    )


def _lay_out_cumulative(constraint: Cumulative, parts: Parts) -> None:
    count = constraint.start.size
    room = [0] * ((task_sets.ROOM + 4) * (count + 1))
    variables = _variables(constraint, parts) + parts.variables(constraint.demand)
    variables += parts.variables(constraint.capacity.reshape(-1))
    parts.propagator(
        Propagator("cumulative", variables, numbers=room, constant=count, events=at.BOUND, queue=at.DEAREST)
    )


NO_OVERLAP = WholeKind(_lay_out_no_overlap)
CUMULATIVE = WholeKind(_lay_out_cumulative)
