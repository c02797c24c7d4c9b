"""All instances of the collection: one line for each family."""

from __future__ import annotations

from collection import (
    automata,
    boards,
    cryptarithms,
    designs,
    graphs,
    knapsacks,
    latin_squares,
    packings,
    perfect_squares,
    pigeonholes,
    puzzles,
    schedules,
    series,
    squares,
    sudokus,
    tournaments,
    tours,
)
from collection.instance import Instance

FAMILIES = {
    module.__name__.rpartition(".")[2]: module.INSTANCES
    for module in (
        automata, boards, cryptarithms, designs, graphs, knapsacks, latin_squares, packings, perfect_squares,
        pigeonholes, puzzles, schedules, series, squares, sudokus, tournaments, tours,
    )
}  # fmt: skip
INSTANCES: dict[str, Instance] = {
    instance.name: instance for family in FAMILIES.values() for instance in family
}
