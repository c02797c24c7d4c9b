"""A small writer of SVG: elements as text, numbers short, every value escaped, light colours."""

from collections.abc import Iterable, Mapping
from html import escape

Attributes = Mapping[str, str | float]

FONT = "ui-sans-serif, 'Helvetica Neue', Helvetica, Arial, sans-serif"


def number(value: float) -> str:
    """Return a coordinate with at most two decimals and no trailing zeros.

    >>> number(0.50), number(3), number(-0.001)
    ('0.5', '3', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("", "-0") else text


def element(tag: str, children: Iterable[str] = (), attributes: Attributes | None = None) -> str:
    """Return one element.

    >>> element("rect", attributes={"width": 3, "stroke-width": 0.5})
    '<rect width="3" stroke-width="0.5"/>'
    """
    written = "".join(f' {name}="{_written(value)}"' for name, value in (attributes or {}).items())
    inside = "".join(children)
    return f"<{tag}{written}>{inside}</{tag}>" if inside else f"<{tag}{written}/>"


def _written(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else number(value)


def text(content: object, x: float, y: float, size: float, fill: str) -> str:
    """Return a text centred on (x, y), without relying on a renderer's vertical alignment."""
    place = {"x": x, "y": y + 0.35 * size, "font-size": size}
    return element("text", [escape(str(content))], {**place, "text-anchor": "middle", "fill": fill})


def rules(rows: int, columns: int, stroke: str, width: float) -> str:
    """Return the lines between the squares of a board, of which each is 1 by 1."""
    lines = "".join(f"M0 {r}H{columns}" for r in range(1, rows))
    lines += "".join(f"M{c} 0V{rows}" for c in range(1, columns))
    return element("path", attributes={"d": lines or "M0 0", "stroke": stroke, "stroke-width": width})


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
    frame: dict[str, str | float] = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {number(width)} {number(height)}",
        "width": shown,
        "height": shown * height / width,
        "font-family": FONT,
        "role": "img",
    }
    return element("svg", [*head, *children], frame)


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
