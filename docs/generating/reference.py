"""Tables of the reference that the code knows."""

from cpqueens.answers.trace import EVENTS
from generating.tables import table


def pages() -> dict[str, str]:
    """Return the table of what a trace may hold."""
    return {"parts/events.md": table(("event", "means"), [(f"`{k}`", v) for k, v in EVENTS.items()]) + "\n"}
