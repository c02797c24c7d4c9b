"""Values that nobody published: each that says "brute force" is counted again here, by plain loops."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator

from cpqueens.problems import catalog

Table = tuple[tuple[int, ...], ...]


@functools.cache
def eight_queens() -> list[tuple[int, ...]]:
    return [
        q
        for q in itertools.permutations(range(8))
        if len({c + r for r, c in enumerate(q)}) == len({c - r for r, c in enumerate(q)}) == 8
    ]


def completions(board: tuple[str, ...]) -> int:
    given = [(r, c) for r, row in enumerate(board) for c, sign in enumerate(row) if sign == "Q"]
    return sum(all(q[r] == c for r, c in given) for q in eight_queens())


def orders(left: tuple[int, ...], before: tuple[int, ...], options: Table, windows: Table) -> Iterator[None]:
    """Yield once for each order of the cars behind those of ``before``; a window that is too full ends it."""
    for has, (most, length) in zip(options, windows, strict=True):
        if sum(has[car] for car in before[-length:]) > most:
            return
    if not any(left):
        yield None
    for car, many in enumerate(left):
        if many:
            rest = (*left[:car], many - 1, *left[car + 1 :])
            yield from orders(rest, (*before, car), options, windows)


def sequences(demand: tuple[int, ...], options: Table, windows: Table) -> int:
    return sum(1 for _ in orders(demand, (), options, windows))


COUNTED: dict[str, Callable[..., int]] = {"car_sequencing": sequences, "queens_completion": completions}


def test_each_value_by_brute_force_is_counted_again() -> None:
    said = set()
    for problem in map(catalog.find, catalog.names()):
        for entry in problem.published:
            if entry.source.startswith("brute force"):
                said.add(problem.name)
                stated = [name for name in problem.parameters if name != catalog.VIEWPOINT]
                parameters = {name: problem.default(name) for name in stated} | {**entry.parameters}
                assert COUNTED[problem.name](**parameters) == entry.value, entry
    assert said == COUNTED.keys()
