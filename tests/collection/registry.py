"""All instances of the collection: one line for each family."""

from __future__ import annotations

from collection import (
    boards,
    cryptarithms,
    designs,
    graphs,
    knapsacks,
    latin_squares,
    packings,
    pigeonholes,
    puzzles,
    schedules,
    series,
    squares,
    sudokus,
    tours,
)
from collection.instance import Instance

FAMILIES = {
    module.__name__.rpartition(".")[2]: module.INSTANCES
    for module in (
        boards, cryptarithms, designs, graphs, knapsacks, latin_squares, packings, pigeonholes, puzzles,
        schedules, series, squares, sudokus, tours,
    )
}  # fmt: skip
INSTANCES: dict[str, Instance] = {
    instance.name: instance for family in FAMILIES.values() for instance in family
}
