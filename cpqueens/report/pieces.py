"""Pieces on a board, in text and as an SVG path; and why a model's view cannot be drawn."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cpqueens.language import views
from cpqueens.language.statement import Statement
from cpqueens.report import svg
from cpqueens.text.plaintext import shown


@dataclass(frozen=True)
class PieceLook:
    """How a piece is drawn: black and white Unicode sign, ASCII letter, SVG path."""

    black: str
    white: str
    letter: str
    path: str


# A queen has five points with pearls, a body between concave sides, two bands.
_CROWN = (
    "M22 66 12 35 31 53 33 26 44.5 51 50 21 55.5 51 67 26 69 53 88 35 78 66"
    "C68 61.5 32 61.5 22 66ZM23.5 70.5C33 66.5 67 66.5 76.5 70.5L74 76.5C66 73 34 73 26 76.5Z"
    "M24.5 81C34 77 66 77 75.5 81L79 88.5C79 91 21 91 21 88.5Z"
)
_PEARLS = ((10.5, 30.5, 5.0), (32.5, 21.0, 5.0), (50.0, 15.5, 5.5), (67.5, 21.0, 5.0), (89.5, 30.5, 5.0))
_BASE = "M26 78H74L79 88.5C79 91 21 91 21 88.5Z"


def _disc(x: float, y: float, r: float) -> str:
    n = svg.number
    return f"M{n(x - r)} {n(y)}a{n(r)} {n(r)} 0 1 0 {n(2 * r)} 0a{n(r)} {n(r)} 0 1 0 {n(-2 * r)} 0Z"


def _star() -> str:
    """Return a star of five points, the first at the top."""
    turns = [(math.pi * k / 5, 42 if k % 2 == 0 else 17) for k in range(10)]
    corners = [(50 + r * math.sin(a), 53 - r * math.cos(a)) for a, r in turns]
    return "M" + " ".join(f"{svg.number(x)} {svg.number(y)}" for x, y in corners) + "Z"


QUEEN_PATH = _CROWN + "".join(_disc(*pearl) for pearl in _PEARLS)

LOOKS: dict[str, PieceLook] = {
    "queen": PieceLook("♛", "♕", "Q", QUEEN_PATH),
    "rook": PieceLook(
        "♜", "♖", "R", "M25 17H37V27H44V17H56V27H63V17H75V37L66 45V67L74 74H26L34 67V45L25 37Z" + _BASE
    ),
    "bishop": PieceLook(
        "♝", "♗", "B",
        _disc(50, 16, 6) + "M50 24C67 36 71 49 66 59C64 63 60 66 58 68L61 74H39L42 68"
        "C40 66 36 63 34 59C29 49 33 36 50 24Z" + _BASE,
    ),
    "knight": PieceLook(
        "♞", "♘", "N",
        "M31 74C31 62 40 58 47 51C38 52 36 59 28 59C20 59 18 52 21 47C26 41 30 37 33 30C36 24 39 21 43 19"
        "L46 10L54 18C70 22 77 42 72 74Z" + _BASE,
    ),
    "king": PieceLook(
        "♚", "♔", "K",
        "M47 7H53V13H59V19H53V27H47V19H41V13H47ZM50 29C58 29 60 36 60 41C73 32 88 43 80 57C77 63 74 66 73 74"
        "H27C26 66 23 63 20 57C12 43 27 32 40 41C40 36 42 29 50 29Z" + _BASE,
    ),
    "star": PieceLook("★", "☆", "*", _star()),
    "dot": PieceLook("●", "○", "o", _disc(50, 50, 24)),
    "block": PieceLook("█", "░", "#", "M-3 -2H104V105H-3Z"),
}  # fmt: skip

PLAIN_PIECES = frozenset({"block", "dot", "star"})
"""What stands on squares that are not chequered."""


# ---- why a model's view cannot be drawn: it names what is not there, or what has another shape --------

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


def _regions(regions: tuple[str, ...], shape: Shape) -> str:
    if not regions or (len(regions) == shape[0] and all(len(row) == shape[1] for row in regions)):
        return ""
    return f"the regions have not {shape[0]} rows of {shape[1]} letters"


def _tour(view: views.Tour, shape: Shape, bounds: tuple[int, int]) -> str:
    if len(view.points) > shape[0]:
        return f"{len(view.points)} points for {shape[0]} elements"
    return "" if bounds[0] >= 0 and bounds[1] < shape[0] else "an element may be none of the points"


def _schedule(view: views.Schedule, shape: Shape, _bounds: tuple[int, int]) -> str:
    tasks = math.prod(shape)
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


_MISFITS: dict[type, Callable[[Any, Shape, tuple[int, int]], str]] = {
    views.Cages: lambda view, shape, _bounds: _regions(view.regions, shape),
    views.Colouring: _colouring,
    views.Features: _features,
    views.Groups: _groups,
    views.Pieces: _pieces,
    views.Schedule: _schedule,
    views.Tour: _tour,
}
"""What else has to fit, by view: the view, the shape of its variable, the bounds of its values."""
