"""Solutions in the formats that are offered by name: board, list, json, matrix, grid, svg."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.report.board import BoardPicture, armies_picture, board_picture
from cpqueens.report.draw import draw_svg, draw_text, values_text
from cpqueens.report.text import PLAIN, Style, board_matrix, board_rules, numbers_text, rules_text
from cpqueens.views import Armies, Board

if TYPE_CHECKING:
    from cpqueens.outcome import Solution


def render(solution: Solution, form: str, style: Style = PLAIN) -> str:
    """Return a solution in one of `FORMATS`.

    Raises
    ------
    ModelError
        If the problem's solutions have no such form, with the forms that they have.
    """
    return FORMATS[form](solution, style)


def picture_of(solution: Solution) -> BoardPicture | None:
    """Return the board of a solution, None if its problem has none."""
    view = solution.model.view
    if isinstance(view, Board):
        return board_picture(solution, view)
    return armies_picture(solution, view) if isinstance(view, Armies) else None


def _list(solution: Solution, _style: Style) -> str:
    """Return the values alone if there is one array of them, else one line for each."""
    named = solution.as_dict()
    if len(named) != 1:
        return values_text(solution)
    return str(next(iter(named.values())))


def _json(solution: Solution, _style: Style) -> str:
    return json.dumps(solution.as_dict())


def _matrix(solution: Solution, _style: Style) -> str:
    picture = picture_of(solution)
    if picture is not None and not isinstance(solution.model.view, Armies):
        return board_matrix(picture)
    return numbers_text(_rows(solution, "matrix"))


def _grid(solution: Solution, _style: Style) -> str:
    picture = picture_of(solution)
    return rules_text(_rows(solution, "grid")) if picture is None else board_rules(picture)


def _svg(solution: Solution, _style: Style) -> str:
    picture = draw_svg(solution)
    if picture is None:
        why = "is too large for one" if solution.model.view is not None else "does not say how it is drawn"
        raise ModelError(f"no svg: {solution.model.name} {why}; use --format list or json")
    return picture


def _rows(solution: Solution, form: str) -> list[Any]:
    """Return the one array of a solution as rows."""
    named = solution.as_dict()
    values = np.asarray(next(iter(named.values()))) if len(named) == 1 else np.zeros(())
    if values.ndim not in (1, 2):
        raise ModelError(f"no {form}: {solution.model.name} has no single array; use --format list or json")
    rows: list[Any] = np.atleast_2d(values).tolist()
    return rows


FORMATS: dict[str, Callable[[Solution, Style], str]] = {
    "board": draw_text,
    "list": _list,
    "json": _json,
    "matrix": _matrix,
    "grid": _grid,
    "svg": _svg,
}
