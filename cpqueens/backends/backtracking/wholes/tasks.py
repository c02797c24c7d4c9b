"""`NoOverlap` and `Cumulative` for the exact engine."""

from itertools import combinations

from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator, WholeKind
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact import task_sets
from cpqueens.language.constraints.cumulative import Cumulative, NoOverlap
from cpqueens.lowered.compiled import EQ, LE


def _variables(constraint: NoOverlap | Cumulative, parts: Parts) -> list[int]:
    sides = (constraint.start, constraint.duration, constraint.present)
    return [v for side in sides for v in parts.variables(side)]


def _lay_out_no_overlap(constraint: NoOverlap, parts: Parts) -> None:
    count = constraint.start.size
    room = [0] * (task_sets.ROOM * (count + 1))
    variables = _variables(constraint, parts)
    variables += _orders(variables, count, parts)
    parts.propagator(
        Propagator("no_overlap", variables, numbers=room, constant=count, events=at.BOUND, queue=at.DEAREST)
    )


def _orders(variables: list[int], count: int, parts: Parts) -> list[int]:
    """Return truths that say of two tasks which comes first, for a search that may decide them.

    Once all are decided, tasks begin as early as those before them allow. Only tasks that are there and take
    time must come one after the other.
    """
    lasting = [
        task
        for task in range(count)
        if parts.bounds(variables[count + task])[0] > 0 and parts.bounds(variables[2 * count + task])[0] == 1
    ]
    pairs = list(combinations(lasting, 2))
    if not parts.decides_more(len(pairs)):
        return []
    found = []
    for i, j in pairs:
        first, second = parts.new_variable(0, 1), parts.new_variable(0, 1)
        for before, after, truth in ((i, j, first), (j, i, second)):
            ends = variables[before], variables[count + before], variables[after]
            parts.truth((ends, (1, 1, -1), 0), LE, truth)
        parts.linear(((first, second), (1, 1), -1), EQ)
        parts.decide(first)
        found.append(first)
    return found


def _lay_out_cumulative(constraint: Cumulative, parts: Parts) -> None:
    count = constraint.start.size
    room = [0] * ((task_sets.ROOM + 4) * (count + 1))
    variables = _variables(constraint, parts) + parts.variables(constraint.demand)
    variables += parts.variables(constraint.capacity.reshape(-1))
    parts.propagator(
        Propagator("cumulative", variables, numbers=room, constant=count, events=at.BOUND, queue=at.DEAREST)
    )


NO_OVERLAP = WholeKind(_lay_out_no_overlap, when=lambda constraint: not constraint.has_setup)
CUMULATIVE = WholeKind(_lay_out_cumulative)
