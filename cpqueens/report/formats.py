"""Solutions in the formats that are offered by name: board, list, json, matrix, grid, svg."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from cpqueens.answers.outcome import Solution
from cpqueens.errors import ModelError
from cpqueens.language.statement import Statement
from cpqueens.language.views import Armies, Board, Pieces
from cpqueens.report.board import BoardPicture, armies_picture, board_picture, pieces_picture
from cpqueens.report.board_text import PLAIN, Style, board_matrix, board_rules, numbers_text, rules_text
from cpqueens.report.draw import draw_svg, draw_text, has_svg, values_text


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
        reason = _why_no_svg(model) if form == "svg" else "has no single array"
        raise ModelError(f"no {form}: {model.name} {reason}; use --format list or json")


def _has_rows(model: Statement) -> bool:
    return len(model.blocks) == 1 and len(model.blocks[0].shape) in (1, 2)


def _why_no_svg(model: Statement) -> str:
    return "is too large for one" if model.view is not None else "does not say how it is drawn"


def picture_of(solution: Solution) -> BoardPicture | None:
    """Return the board of a solution, None if its problem has none."""
    view = solution.model.view
    if isinstance(view, Board):
        return board_picture(solution, view)
    if isinstance(view, Pieces):
        return pieces_picture(solution, view)
    return armies_picture(solution, view) if isinstance(view, Armies) else None


def _list(solution: Solution, _style: Style) -> str:
    """Return the values alone if there is one array of them, else one line for each."""
    named = solution.as_dict()
    if len(named) != 1:
        return values_text(solution)
    return str(next(iter(named.values())))


def _matrix(solution: Solution, _style: Style) -> str:
    picture = picture_of(solution)
    if picture is not None and not isinstance(solution.model.view, Armies):
        return board_matrix(picture)
    return numbers_text(_rows(solution))


def _grid(solution: Solution, _style: Style) -> str:
    picture = picture_of(solution)
    return rules_text(_rows(solution)) if picture is None else board_rules(picture)


def _rows(solution: Solution) -> list[Any]:
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
