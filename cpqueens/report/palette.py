"""Light colours that dark figures stay readable on."""

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
