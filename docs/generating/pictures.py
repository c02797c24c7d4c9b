"""Pictures that no verb draws: boards to print, two halves, how long runs take, ratios as bars."""

import math
import re
from html import escape
from typing import Any

from cpqueens import evaluate
from cpqueens.lab.evaluation_plots import PICTURES
from cpqueens.problems.catalog import Instance
from cpqueens.report import svg
from cpqueens.report.board import BLACK, BoardPicture
from cpqueens.report.board_svg import board_svg

INK = "currentColor"


def pages() -> dict[str, str]:
    """Return pages, and parts of pages, that are pictures."""
    return {
        "boards.md": boards_page(),
        "parts/halves.md": halves_page(),
    }


def shown(picture: str) -> str:
    """Return a picture as a block of a page; lines without a blank one between, which would end the block."""
    together = re.sub(r"\n\s*\n", "\n", picture)
    return f'<div class="picture">\n{together}\n</div>'


def boards_page() -> str:
    """Return the page of boards to print, each on a sheet of its own."""
    boards = "\n\n".join(
        f"## {n} by {n}\n\n"
        + shown(board_svg(BoardPicture(n, n, {}), title=f"an empty board, {n} by {n}")).replace(
            'class="picture"', 'class="picture sheet"'
        )
        for n in (4, 5, 6, 8, 12)
    )
    says = "Each board is printed on a separate sheet; rows and columns count from 0."
    return f"# Boards to print\n\n{says}\n\n{boards}\n"


def halves_page() -> str:
    """Return two half boards that fit, and the board that they make."""
    columns = [2, 0, 6, 4, 7, 1, 3, 5]
    both = dict.fromkeys(enumerate(columns), BLACK)
    blocked = {
        "upper half: columns 0, 2, 4, 6": range(4, 8),
        "lower half: columns 1, 3, 5, 7": range(4),
        "no diagonal in common: a board": (),
    }
    figures = "\n".join(
        f"<figure>{board_svg(_without(both, rows), title=what)}<figcaption>{what}</figcaption></figure>"
        for what, rows in blocked.items()
    )
    return shown(figures).replace('class="picture"', 'class="picture side-by-side"')


def _without(queens: dict[tuple[int, int], str], rows: range | tuple[()]) -> BoardPicture:
    left = {square: colour for square, colour in queens.items() if square[0] not in rows}
    return BoardPicture(8, 8, left, blocked=frozenset((row, column) for row in rows for column in range(8)))


def run_lengths(solver: str, instance: Instance, runs: int, **limits: Any) -> str | None:
    """Return how many runs are done after so many steps, or seconds; None if none of them is."""
    found = evaluate(solver, instance, runs=runs, reference_time=0, **limits)
    for picture in PICTURES["lengths"](found, "lengths"):
        own = picture.svg.replace("lengths-", f"{solver.replace(':', '-')}-")  # many on one page
        return f"{shown(own)}\n\n*{runs} runs. {picture.caption}*"
    return None


def bars(rows: list[tuple[str, float]], title: str) -> str:
    """Draw each job's name above its bar, so that it fits a phone."""
    left, scale, high = 30.0, 75.0, 34.0
    low = math.floor(min(math.log10(ratio) for _, ratio in rows))
    top = math.ceil(max(math.log10(ratio) for _, ratio in rows))
    end = high * len(rows) + 20

    def place(exponent: float) -> float:
        return left + scale * (exponent - low)

    parts = []
    for exponent in range(low, top + 1):
        x = place(exponent)
        parts.append(svg.text(f"{10.0**exponent:g}", x, end - 6, 11, INK))
        for k in range(len(rows)):  # beside the bars alone: names stand between them
            line = {"x1": x, "x2": x, "y1": high * k + 16, "y2": high * k + 31}
            faint = 0.9 if exponent == 0 else 0.2
            parts.append(svg.element("line", **line, stroke=INK, stroke_opacity=faint))
    for k, (job, ratio) in enumerate(rows):
        x, y = place(math.log10(ratio)), high * k
        ahead = ratio <= 1
        fill = "#2f9e77" if ahead else "#d9762b"
        parts += [
            svg.rect(min(x, place(0)), y + 17, abs(x - place(0)), 13.0, fill=fill),
            svg.element("text", escape(job), x=2.0, y=y + 13, font_size=12.0, fill=INK),
            svg.text(f"{ratio:g}", x - 16 if ahead else x + 16, y + 23.5, 11, INK),
        ]
    width = max(place(top) + 40, *(_width(job) for job, _ in rows))
    return svg.document(width, end, parts, title=title, pixels=width)


def _width(text: str) -> float:
    """Return about how wide a name is above its bar."""
    return 6.4 * len(text) + 4


def columns(rows: list[tuple[str, float]], title: str) -> str:
    """Draw each figure as a bar from 0, its name above it."""
    left, wide, high = 2.0, 260.0, 34.0
    most = max(max(value for _, value in rows), 1e-12)
    parts = []
    for k, (job, value) in enumerate(rows):
        length, y = max(wide * value / most, 0.5), high * k
        figure = f"{float(f'{value:.3g}'):,.10g}"
        parts += [
            svg.rect(left, y + 17, length, 13.0, fill="#3b74b8"),
            svg.element("text", escape(job), x=left, y=y + 13, font_size=12.0, fill=INK),
            svg.element("text", figure, x=left + length + 5, y=y + 27.5, font_size=11.0, fill=INK),
        ]
    width = max(left + wide + 60, *(_width(job) for job, _ in rows))
    return svg.document(width, high * len(rows) + 4, parts, title=title, pixels=width)
