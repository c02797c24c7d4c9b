"""A small writer of SVG: elements as text, numbers short, every value escaped, light colours.

Cells in a frame, with lines only where one region ends and another begins; as text and as a path.
"""

from collections.abc import Iterable, Sequence
from html import escape

FONT = "ui-sans-serif, 'Helvetica Neue', Helvetica, Arial, sans-serif"


def number(value: float) -> str:
    """Return a coordinate with at most two decimals and no trailing zeros.

    >>> number(0.50), number(3), number(-0.001)
    ('0.5', '3', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("", "-0") else text


def element(tag: str, *children: str, **attributes: object) -> str:
    """Return one element; where a name has a hyphen, Python's has an underscore.

    >>> element("rect", width=3, stroke_width=0.5)
    '<rect width="3" stroke-width="0.5"/>'
    """
    written = "".join(f' {name.replace("_", "-")}="{_written(value)}"' for name, value in attributes.items())
    inside = "".join(children)
    return f"<{tag}{written}>{inside}</{tag}>" if inside else f"<{tag}{written}/>"


def rect(x: float, y: float, width: float, height: float, **style: object) -> str:
    """Return a rectangle with its upper left corner at (x, y)."""
    return element("rect", x=x, y=y, width=width, height=height, **style)


def moved(x: float, y: float, parts: Iterable[str]) -> str:
    """Return parts whose origin is at (x, y)."""
    return element("g", *parts, transform=f"translate({number(x)} {number(y)})")


def _written(value: object) -> str:
    return number(value) if isinstance(value, int | float) else escape(str(value))


def text(content: object, x: float, y: float, size: float, fill: str) -> str:
    """Return a text centred on (x, y), without relying on a renderer's vertical alignment."""
    place = {"x": x, "y": y + 0.35 * size, "font_size": size}
    return element("text", escape(str(content)), **place, text_anchor="middle", fill=fill)


def rules(rows: int, columns: int, stroke: str, width: float) -> str:
    """Return the lines between the squares of a board, of which each is 1 by 1."""
    lines = "".join(f"M0 {r}H{columns}" for r in range(1, rows))
    lines += "".join(f"M{c} 0V{rows}" for c in range(1, columns))
    return element("path", d=lines or "M0 0", stroke=stroke, stroke_width=width)


def document(
    width: float, height: float, children: Iterable[str], *, title: str = "", pixels: float | None = None
) -> str:
    """Return a stand-alone SVG picture.

    Parameters
    ----------
    width, height
        Size of the drawing in its own units.
    title
        What screen readers and tooltips say.
    pixels
        Width on the screen; the drawing scales without loss.
    """
    shown = width if pixels is None else pixels
    head = [f"<title>{escape(title)}</title>"] if title else []
    box = f"0 0 {number(width)} {number(height)}"
    size = {"width": shown, "height": shown * height / width}
    frame = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": box,
        **size,
        "font_family": FONT,
        "role": "img",
    }
    return element("svg", *head, *children, **frame)


# ---- colours ---------------------------------------------------------------------------------------------


PALETTE = (
    "#8bafc3", "#f7dc84", "#9ddca8", "#ca9df0", "#d39d9f", "#79f7f0", "#c1a67b", "#cacaf9",
    "#cad38d", "#afdccc", "#dcaf60", "#f7eed5",
)  # fmt: skip
"""Twelve light colours that dark figures stay readable on; none is the red of conflicts.

They lie far apart for those too who see no difference of red and green (`tests/report/test_palette.py`).
"""


def fill_of(number: int) -> str:
    """Return a colour of the palette, and past it evenly spread hues."""
    if 0 <= number < len(PALETTE):
        return PALETTE[number]
    return f"hsl({round(number * 137.508) % 360},60%,75%)"


# by the arms that meet: 1 up, 2 down, 4 left, 8 right
_UNICODE = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"
_ASCII = " |||-+++-+++-+++"

Regions = Sequence[str]
"""One text a row, one letter a cell; none for a single region."""


def lattice_text(cells: Sequence[Sequence[str]], regions: Regions = (), *, unicode: bool = True) -> str:
    """Return cells of one width between the borders of their regions.

    >>> print(lattice_text([[" 1 ", " 2 "], [" 2 ", " 1 "]], ("AB", "BB"), unicode=False))
    +---+---+
    | 1 | 2 |
    +---+   |
    | 2   1 |
    +-------+
    """
    rows, columns = len(cells), len(cells[0]) if cells else 0
    width = max((len(cell) for row in cells for cell in row), default=0)
    walls = _Walls(rows, columns, regions)
    signs = _UNICODE if unicode else _ASCII
    across, down = signs[12], signs[3]
    lines = []
    for r in range(rows + 1):
        rule = ""
        for c in range(columns + 1):
            rule += signs[walls.arms(r, c)]
            rule += (across if walls.above(r, c) else " ") * width if c < columns else ""
        lines.append(rule)
        if r < rows:
            parts = [(down if walls.left(r, c) else " ") + cells[r][c].rjust(width) for c in range(columns)]
            lines.append("".join(parts) + down)
    return "\n".join(line for k, line in enumerate(lines) if k % 2 or "─" in line or "-" in line)


def borders(rows: int, columns: int, regions: Regions, stroke: str, width: float) -> str:
    """Return the borders between regions, and around all; a cell is one unit."""
    walls = _Walls(rows, columns, regions)
    flat = [f"M{c} {r}h1" for r in range(rows + 1) for c in range(columns) if walls.above(r, c)]
    steep = [f"M{c} {r}v1" for r in range(rows) for c in range(columns + 1) if walls.left(r, c)]
    style = {"stroke": stroke, "stroke_width": width, "stroke_linecap": "square", "fill": "none"}
    return element("path", d="".join(flat + steep), **style)


class _Walls:
    """Where two neighbours are of different regions; what lies outside is a region of its own."""

    def __init__(self, rows: int, columns: int, regions: Regions) -> None:
        self.label = {(r, c): regions[r][c] if regions else " " for r in range(rows) for c in range(columns)}

    def above(self, r: int, c: int) -> bool:
        return self.label.get((r - 1, c)) != self.label.get((r, c))

    def left(self, r: int, c: int) -> bool:
        return self.label.get((r, c - 1)) != self.label.get((r, c))

    def arms(self, r: int, c: int) -> int:
        """Return which walls meet at the corner above and left of a cell."""
        up, down = self.left(r - 1, c), self.left(r, c)
        return up + 2 * down + 4 * self.above(r, c - 1) + 8 * self.above(r, c)
