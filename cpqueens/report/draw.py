"""Drawing a solution as its problem asks: one table from kinds of view to text and to SVG."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from cpqueens.answers.solution import Solution
from cpqueens.errors import ModelError
from cpqueens.language import views
from cpqueens.language.labels import text_of_label
from cpqueens.language.statement import Statement
from cpqueens.language.views import Armies, Board, Cages, Colouring, Dots, Grid, Pairing, Pieces, Sequence
from cpqueens.report import board_text, numbers, pieces
from cpqueens.report.board import (
    BoardPicture,
    armies_picture,
    axis_texts,
    board_picture,
    conflicting_elements,
    pieces_picture,
)
from cpqueens.report.board_svg import board_svg
from cpqueens.report.board_text import PLAIN, Style
from cpqueens.report.groups import colouring_svg, colouring_text, groups_svg, groups_text
from cpqueens.report.schedule import Bar, bars, schedule_svg, schedule_text
from cpqueens.report.tour import tour_svg, tour_text

TEXT_ROWS = 40
"""Boards with more rows are written as a list where a picture in text was not asked for."""

SVG_CELLS = 1_000_000
"""The largest board that is drawn, in squares."""


def draw_text(solution: Solution, style: Style = PLAIN) -> str:
    """Return a solution as text: a board, a grid, a ruler, or names and values.

    Parameters
    ----------
    style
        What the terminal can show; the default is Unicode without colour.
    """
    view = solution.model.view
    wrong = misfit(solution.model) or _came_later(solution)
    if wrong:
        return f"{values_text(solution)}\n(not drawn: {wrong})"
    draw = TEXT.get(type(view))
    return values_text(solution) if draw is None else draw(solution, view, style)


def draw_svg(solution: Solution) -> str | None:
    """Return a solution as a stand-alone SVG picture, None if its model has no view or is too large."""
    view = solution.model.view
    drawn = has_svg(solution.model) and not _came_later(solution)
    return SVG[type(view)](solution, view) if drawn else None


def has_svg(model: Statement) -> bool:
    """Say whether solutions of a model can be drawn: it has a view that fits, and is not too large."""
    return type(model.view) in SVG and not misfit(model) and _cells(model) <= SVG_CELLS


def misfit(model: Statement) -> str:
    """Return why a model's view cannot be drawn: a variable is missing or has another shape; "" if it can."""
    return pieces.misfit(model) if type(model.view) in TEXT else ""


def _came_later(solution: Solution) -> str:
    """Return which variable of the view was added after the run; "" for none."""
    view = solution.model.view
    names = () if view is None or type(view) not in TEXT else pieces.named_by(view)
    late = [name for name in names if name not in solution]
    return f"{late[0]} was added after this run" if late else ""


def values_text(solution: Solution) -> str:
    """Return one line ``name = value(s)`` for each variable of the user; matrices start on a new line."""
    return "\n".join(_named(name, value) for name, value in solution.as_dict().items())


def _named(name: str, value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], list):
        return f"{name} =\n" + "\n".join(f"  {row}" for row in value)
    return f"{name} = {value}"


def _cells(model: Statement) -> int:
    """Return how many squares the picture has."""
    size = len(model.decisions)
    return size * size if isinstance(model.view, Board) else size


def _values(solution: Solution, view: Any) -> list[Any]:
    return np.asarray(solution[solution.model[view.variable]]).tolist()


def _board_text(solution: Solution, view: Board, style: Style) -> str:
    if solution.model[view.variable].size > TEXT_ROWS:
        return _in_tens(solution, view)
    picture = board_picture(solution, view)
    fits = style.fits(board_text.board_width(picture.columns, style))
    return board_text.board_text(picture, style) if fits else _in_tens(solution, view)


def _in_tens(solution: Solution, view: Board) -> str:
    """Return the list of a board too large to be drawn, ten rows of it a line, so that one finds row 57."""
    values = [str(value) for value in np.asarray(solution[solution.model[view.variable]]).reshape(-1)]
    head, wide = f"{view.variable} = [", max(map(len, values), default=1)
    tens = [", ".join(v.rjust(wide) for v in values[k : k + 10]) for k in range(0, len(values), 10)]
    return head + f",\n{' ' * len(head)}".join(tens) + "]"


def _pieces_text(picture: BoardPicture, style: Style) -> str:
    """Return a board, or where it is too wide the columns of the pieces in each row."""
    if style.fits(board_text.board_width(picture.columns, style, bool(picture.regions))):
        return board_text.board_text(picture, style)
    colours = sorted(set(picture.queens.values()))
    lines = []
    for row in range(picture.rows):
        here = {c: picture.queens[row, c] for c in range(picture.columns) if (row, c) in picture.queens}
        there = {k: [str(c) for c, colour in here.items() if colour == k] for k in colours}
        said = [f"{k} {', '.join(c)}" if len(colours) > 1 else ", ".join(c) for k, c in there.items() if c]
        lines.append(f"row {row}: {'; '.join(said) or 'none'}")
    return "\n".join(lines)


def _coded(solution: Solution, view: Any) -> tuple[list[Any], Callable[[int], str]]:
    """Return the values as numbers, and what stands for a number where values are names."""
    names = solution.model.labels.of_array.get(view.variable)
    if names is None:
        return _values(solution, view), str
    numbers = {label: number for number, label in names.items()}
    values = np.asarray(solution[solution.model[view.variable]], dtype=object)
    coded = np.array([numbers[value] for value in values.reshape(-1)]).reshape(values.shape)
    return coded.tolist(), lambda number: text_of_label(names[number])


def _axes(solution: Solution, view: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return names beside rows and above columns; a single row has only the latter."""
    many = len(solution.model.blocks.by_name[view.variable].shape)
    down, across = (
        axis_texts(solution, view.variable, axis) if axis >= 0 else () for axis in (many - 2, many - 1)
    )
    return down, across


def _grid_text(solution: Solution, view: Grid | Sequence, style: Style) -> str:
    values, say = _coded(solution, view)
    rows = [[say(value) for value in row] for row in np.atleast_2d(values).tolist()]
    down, across = _axes(solution, view)
    if len(rows) == 1 and isinstance(view, Sequence) and not across:
        return " ".join(rows[0])
    return board_text.numbers_text(rows, style, down, across)


def _grid_svg(solution: Solution, view: Grid | Sequence) -> str:
    values, say = _coded(solution, view)
    bad, (down, across) = conflicting_elements(solution, view.variable), _axes(solution, view)
    rows = np.atleast_2d(values).tolist()
    return numbers.grid_svg(rows, conflicts=bad, title=solution.model.name, down=down, across=across, say=say)


def _groups(solution: Solution, view: views.Groups) -> tuple[Any, ...]:
    values, say = _coded(solution, view)
    return np.atleast_2d(values).tolist(), view, _axes(solution, view)[1], say


def _coloured(solution: Solution, view: Colouring) -> tuple[Any, ...]:
    colours, say = _coded(solution, view)
    return colours, view.edges, _axes(solution, view)[1], say


def _featured(solution: Solution, view: views.Features) -> tuple[Any, ...]:
    classes, say = _coded(solution, view)
    return classes, view.table, _axes(solution, view)[1], say


def _rows(solution: Solution, view: Any) -> list[list[int]]:
    rows: list[list[int]] = np.atleast_2d(_values(solution, view)).tolist()
    return rows


def _cages_svg(solution: Solution, view: Cages) -> str:
    bad = conflicting_elements(solution, view.variable)
    return numbers.cages_svg(_values(solution, view), view, conflicts=bad, title=solution.model.name)


def _of_tasks(solution: Solution, said: Any) -> Any:
    """Return what a view says of each task, which is listed or the name of variables."""
    values = np.asarray(solution[said]).reshape(-1).tolist() if said and isinstance(said, str) else said
    return [value if isinstance(value, int) else text_of_label(value) for value in values]


def _bars(solution: Solution, view: views.Schedule) -> list[Bar]:
    rows, (down, across) = _rows(solution, view), _axes(solution, view)
    durations, lanes = _of_tasks(solution, view.durations), _of_tasks(solution, view.lanes)
    found = bars(rows, replace(view, durations=durations, lanes=lanes), down if len(rows) > 1 else across)
    if not view.present:
        return found
    here = np.asarray(solution[solution.model[view.present]]).reshape(-1)
    return [bar for bar, drawn in zip(found, here, strict=True) if drawn]


def _gaps(solution: Solution, view: Pairing) -> list[int]:
    return list(range(2, solution.model[view.variable].size + 2))


def _colouring_svg(solution: Solution, view: Colouring) -> str:
    colours, edges, names, say = _coloured(solution, view)
    return colouring_svg(colours, edges, names, None if say is str else say, title=solution.model.name)


BOARDS: dict[type, Callable[[Solution, Any], BoardPicture]] = {
    Armies: armies_picture,
    Board: board_picture,
    Dots: board_picture,
    Pieces: pieces_picture,
}
"""What is drawn as pieces on squares."""
TEXT: dict[type, Callable[[Solution, Any, Style], str]] = {
    Board: _board_text,
    Dots: _board_text,
    Armies: lambda s, view, style: _pieces_text(armies_picture(s, view), style),
    Grid: _grid_text,
    Sequence: _grid_text,
    Pieces: lambda s, view, style: _pieces_text(pieces_picture(s, view), style),
    Cages: lambda s, view, style: numbers.cages_text(_values(s, view), view, style),
    views.Tour: lambda s, view, style: tour_text(_values(s, view), view, style, _axes(s, view)[1]),
    views.Schedule: lambda s, view, style: schedule_text(_bars(s, view), style.width, view.ticks),
    views.Groups: lambda s, view, style: groups_text(*_groups(s, view)),
    views.Features: lambda s, view, style: numbers.features_text(*_featured(s, view)),
    views.Marks: lambda s, view, style: numbers.ruler_text(
        _values(s, view), style.width, unicode=style.unicode
    ),
    Pairing: lambda s, view, style: " ".join(numbers.paired_row(_values(s, view), _gaps(s, view))),
    Colouring: lambda s, view, style: colouring_text(*_coloured(s, view)),
}

SVG: dict[type, Callable[[Solution, Any], str]] = {
    **dict.fromkeys(BOARDS, lambda s, view: board_svg(BOARDS[type(view)](s, view), title=s.model.name)),
    Grid: _grid_svg,
    Sequence: _grid_svg,
    Cages: _cages_svg,
    views.Tour: lambda s, view: tour_svg(_values(s, view), view, _axes(s, view)[1], title=s.model.name),
    views.Schedule: lambda s, view: schedule_svg(_bars(s, view), view.ticks, title=s.model.name),
    views.Groups: lambda s, view: groups_svg(*_groups(s, view), title=s.model.name),
    views.Features: lambda s, view: numbers.features_svg(*_featured(s, view), title=s.model.name),
    views.Marks: lambda s, view: numbers.ruler_svg(_values(s, view), title=s.model.name),
    Pairing: lambda s, view: numbers.pairing_svg(_values(s, view), _gaps(s, view), title=s.model.name),
    Colouring: lambda s, view: _colouring_svg(s, view),
}


# ---- solutions in the formats that are offered by name: board, list, json, matrix, grid, svg ----------


def render(solution: Solution, form: str, style: Style = PLAIN) -> str:
    """Return a solution in one of `FORMATS`.

    Raises
    ------
    ModelError
        If the problem's solutions have no such form, with the forms that they have.
    """
    check_format(solution.model, form)
    return FORMATS[form](solution, style)


def check_format(model: Statement, form: str) -> None:
    """Refuse a form that solutions of a model do not have; it can be asked before there is any.

    Raises
    ------
    ModelError
        With the forms that they have.
    """
    has = _HAS.get(form)
    if has is not None and not has(model):
        reason = "has no single array"
        if form == "svg":
            reason = "is too large for one" if model.view is not None else "does not say how it is drawn"
        raise ModelError(f"no {form}: {model.name} {reason}; use --format list or json")


def _has_rows(model: Statement) -> bool:
    return len(model.blocks) == 1 and len(model.blocks[0].shape) in (1, 2)


def picture_of(solution: Solution) -> BoardPicture | None:
    """Return the board of a solution, None if its problem has none."""
    view = solution.model.view
    make = BOARDS.get(type(view))
    return None if make is None else make(solution, view)


def _list(solution: Solution, _style: Style) -> str:
    """Return the values alone if there is one array of them, else one line for each."""
    named = solution.as_dict()
    if len(named) != 1:
        return values_text(solution)
    return str(next(iter(named.values())))


def _matrix(solution: Solution, _style: Style) -> str:
    picture = picture_of(solution)
    if picture is not None and not isinstance(solution.model.view, Armies):
        return board_text.board_matrix(picture)
    return board_text.numbers_text(_rows_of(solution))


def _grid(solution: Solution, _style: Style) -> str:
    picture = picture_of(solution)
    return board_text.rules_text(_rows_of(solution)) if picture is None else board_text.board_rules(picture)


def _rows_of(solution: Solution) -> list[Any]:
    """Return the one array of a solution as rows."""
    rows: list[Any] = np.atleast_2d(np.asarray(next(iter(solution.as_dict().values())))).tolist()
    return rows


_HAS: dict[str, Callable[[Statement], bool]] = {
    "matrix": lambda model: isinstance(model.view, Board | Pieces) or _has_rows(model),
    "grid": lambda model: isinstance(model.view, Board | Armies | Pieces) or _has_rows(model),
    "svg": has_svg,
}
"""Which models' solutions have a form that not all have."""


FORMATS: dict[str, Callable[[Solution, Style], str]] = {
    "board": draw_text,
    "list": _list,
    "json": lambda solution, _style: json.dumps(solution.as_dict()),
    "matrix": _matrix,
    "grid": _grid,
    "svg": lambda solution, _style: draw_svg(solution) or "",
}
