"""Light colours that dark figures stay readable on."""

PALETTE = (
    "#8ecae6", "#ffd27f", "#b7e4a7", "#cdb4f0", "#f9c6e0", "#a8dfd6", "#e3d5a3", "#b8c4f5",
    "#f7b889", "#d3e58c", "#c3d3dc", "#d9c1b0",
)  # fmt: skip
"""Twelve light colours that dark figures stay readable on; none is the red of conflicts."""


def fill_of(number: int) -> str:
    """Return a colour of the palette, and past it evenly spread hues."""
    if 0 <= number < len(PALETTE):
        return PALETTE[number]
    return f"hsl({round(number * 137.508) % 360},60%,75%)"
