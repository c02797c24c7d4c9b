"""Why a model's view cannot be drawn: it names what is not there, or what has another shape."""

from collections.abc import Callable
from typing import Any

from cpqueens.language import views
from cpqueens.language.statement import Statement
from cpqueens.report.pieces import LOOKS
from cpqueens.text.plaintext import shown

Shape = tuple[int, ...]

_AXES: dict[type, tuple[int, ...]] = {
    views.Armies: (2,),
    views.Cages: (2,),
    views.Grid: (1, 2),
    views.Groups: (1, 2),
    views.Pieces: (1, 2),
    views.Schedule: (1, 2),
    views.Sequence: (1, 2),
}
"""How many axes the variables of a view have, by default one."""


def named_by(view: views.View) -> list[str]:
    """Return the names of all variables that a view shows."""
    others = [getattr(view, name, "") for name in ("opponent", "present", "durations", "lanes")]
    return [view.variable, *(name for name in others if isinstance(name, str) and name)]


def misfit(model: Statement) -> str:
    """Return why the view of a model cannot be drawn; "" if it can."""
    view = model.view
    assert view is not None
    named = named_by(view)
    for name in named:
        if name not in model.blocks.by_name:
            return f"no variable {shown(name)} for {type(view).__name__}"
        axes = len(model.blocks.by_name[name].shape)
        if axes not in _AXES.get(type(view), (1,)):
            return f"{type(view).__name__} cannot show {name}, an array of {axes} axes"
    shapes = [model.blocks.by_name[name].shape for name in named]
    if len(set(shapes)) > 1:
        return f"{' and '.join(named)} have different shapes"
    values = model[view.variable].bounds()
    bounds = int(values[0].min(initial=0)), int(values[1].max(initial=0))
    why = _MISFITS.get(type(view))
    return "" if why is None else why(view, shapes[0], bounds)


def _colouring(view: views.Colouring, shape: Shape, _bounds: tuple[int, int]) -> str:
    wrong = any(v not in range(shape[0]) for edge in view.edges for v in edge)
    return f"an edge leaves the {shape[0]} vertices" if wrong else ""


def _pieces(view: views.Pieces, shape: Shape, bounds: tuple[int, int]) -> str:
    if view.piece not in LOOKS:
        return f"no piece {shown(view.piece, 40)}: allowed are {', '.join(LOOKS)}"
    board = shape if len(shape) == 2 else (shape[0], max(shape[0], bounds[1] + 1))
    for labels, many in ((view.row_labels, board[0]), (view.column_labels, board[1])):
        if labels and len(labels) != many:
            return f"{len(labels)} labels for {many} rows or columns"
    return _regions(view.regions, board)


def _cages(view: views.Cages, shape: Shape, _bounds: tuple[int, int]) -> str:
    return _regions(view.regions, shape)


def _regions(regions: tuple[str, ...], shape: Shape) -> str:
    if not regions or (len(regions) == shape[0] and all(len(row) == shape[1] for row in regions)):
        return ""
    return f"the regions have not {shape[0]} rows of {shape[1]} letters"


def _tour(view: views.Tour, shape: Shape, bounds: tuple[int, int]) -> str:
    if len(view.points) > shape[0]:
        return f"{len(view.points)} points for {shape[0]} elements"
    return "" if bounds[0] >= 0 and bounds[1] < shape[0] else "an element may be none of the points"


def _schedule(view: views.Schedule, shape: Shape, _bounds: tuple[int, int]) -> str:
    tasks = _size(shape)
    durations, lanes = (() if isinstance(v, str) else v for v in (view.durations, view.lanes))
    few = len(durations) != tasks and not isinstance(view.durations, str)
    wrong = few or {len(lanes), len(view.tasks)} - {0, tasks}
    return f"durations, lanes and names are not of {tasks} tasks" if wrong else ""


def _groups(view: views.Groups, shape: Shape, _bounds: tuple[int, int]) -> str:
    return "" if len(view.weights) in (0, shape[-1]) else f"{len(view.weights)} weights for {shape[-1]}"


def _features(view: views.Features, _shape: Shape, bounds: tuple[int, int]) -> str:
    low, high = bounds
    wrong = low < 0 or any(len(row) <= high for row in view.table)
    return f"the table has not all classes {low} to {high}" if wrong else ""


def _size(shape: Shape) -> int:
    size = 1
    for axis in shape:
        size *= axis
    return size


_MISFITS: dict[type, Callable[[Any, Shape, tuple[int, int]], str]] = {
    views.Cages: _cages,
    views.Colouring: _colouring,
    views.Features: _features,
    views.Groups: _groups,
    views.Pieces: _pieces,
    views.Schedule: _schedule,
    views.Tour: _tour,
}
"""What else has to fit, by view: the view, the shape of its variable, the bounds of its values."""
