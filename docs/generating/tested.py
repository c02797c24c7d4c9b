"""What the page on our own tests says of planted faults: how many there are in which part of the package."""

import importlib
import sys
from pathlib import Path

from generating.tables import table

MUTANTS = Path(__file__).parents[2] / "tests" / "mutants"


def pages() -> dict[str, str]:
    """Return the table of all areas."""
    sys.path.append(str(MUTANTS))
    try:
        areas = importlib.import_module("areas").AREAS
    finally:
        sys.path.remove(str(MUTANTS))
    rows = [(area.name, str(len(area.mutants))) for area in areas]
    rows.append(("all", str(sum(len(area.mutants) for area in areas))))
    return {"parts/mutants.md": table(("part", "planted faults"), rows) + "\n"}
