"""Pieces on a board: what each looks like in text and as an SVG path in a square of 100 by 100."""

import math
from dataclasses import dataclass

from cpqueens.report import svg


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
