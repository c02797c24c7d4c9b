"""The pictures of where heuristics put values, against where all solutions do."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from cpqueens.lab.drawing import COLOURS, INK, Picture, drawn
from cpqueens.lab.evaluated import Evaluated
from cpqueens.lab.occupancy import Occupancy

_MOST_NUMBERED = 14
"""Columns of cells that are wide enough for their number."""

_FULL = 3.0
"""Percentage points, at least, that have the full colour."""

_SURE = 0.05


def occupancies(e: Evaluated, name: str) -> Iterator[Picture]:
    """Yield the differences of all cells, one picture for each heuristic and problem."""
    for number, found in enumerate(e.occupancies):
        cells = "squares" if found.board is not None else "variables (rows) and values (columns)"
        caption = (
            f"{found.heuristic} on {found.problem}: percentage points by which {cells} are taken more (+) or "
            f"less often in {found.samples:,} samples than in the solutions, exactly. Framed where chance "
            f"alone would hardly do that (5 %, for all cells together). {found}."
        )
        rows, _ = _shown(found)[0].shape
        draw = partial(_map, found=found)
        yield drawn(f"{name}-{number}", caption, draw, height=min(9.0, max(2.4, 0.42 * rows + 0.9)))


def _shown(found: Occupancy) -> tuple[Any, Any]:
    """Return differences in percentage points and p-values (rows, columns) as they are drawn."""
    parts = 100 * (found.seen - found.exact), found.cell_p
    if found.board is None:
        return parts
    taken = (part[:, 1].reshape(found.board) for part in parts)
    return next(taken), next(taken)


def _map(axes: Any, found: Occupancy) -> None:
    from matplotlib.patches import Rectangle

    points, p = _shown(found)
    rows, columns = points.shape
    scale = max(_FULL, float(np.abs(points).max()))
    for row, column in np.ndindex(rows, columns):
        value = float(points[row, column])
        colour, strength = COLOURS[value > 0], 0.65 * abs(value) / scale
        place = (column - 0.5, row - 0.5)
        axes.add_patch(Rectangle(place, 1, 1, facecolor=colour, alpha=strength, linewidth=0))
        if p[row, column] * p.size < _SURE:
            axes.add_patch(
                Rectangle((column - 0.43, row - 0.43), 0.86, 0.86, fill=False, edgecolor=INK, linewidth=1.3)
            )
        if columns <= _MOST_NUMBERED:
            text = f"{value:+.1f}".replace("-", "\N{MINUS SIGN}") if abs(value) >= 0.05 else "0"
            axes.text(column, row, text, ha="center", va="center", fontsize=9)
    axes.grid(visible=False)
    axes.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5))
    if found.board is not None:
        axes.set_aspect("equal")
        axes.set(xlabel="column", ylabel="row")
        return
    every = max(1, -(-rows // 24))
    axes.set_yticks(range(0, rows, every), found.variables[::every])
    across = max(1, -(-columns // 24))
    axes.set_xticks(range(0, columns, across), found.values[::across])
    axes.set(xlabel="value")
