"""A knight's tour over all squares of a board (Euler 1759)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from cpqueens import AllDifferent, Circuit, Model, Table, element
from cpqueens.answers.symmetry import IDENTITY, Group, Symmetry
from cpqueens.language.rows import IntArray
from cpqueens.language.views import Tour
from cpqueens.problems.published import Published
from cpqueens.problems.signatures import Between, validated


@validated
def knights_tour(
    rows: Annotated[int, Between(1, 60)] = 6,
    columns: Annotated[int, Between(1, 60)] = 6,
    closed: bool = True,
    viewpoint: Literal["successors", "order"] = "successors",
) -> Model:
    """Lead a knight over each square of a board once, and back to where it began if closed.

    ``next[k]`` is the square that comes after square k, squares row by row from 0: one circuit through all of
    them. An open tour goes over a helper, element rows * columns, which comes after the last square and
    before the first. Both directions count. ``viewpoint="order"`` also decides the square at each step,
    ``order[step]``, in a closed tour from square 0 on, with a table of moves in the place of the circuit.

    Source: L. Euler, *Solution d'une question curieuse qui ne paroit soumise a aucune analyse*, Memoires de
    l'Academie de Berlin 15 (1759); A. J. Schwenk, *Which rectangular chessboards have a knight's tour?*,
    Mathematics Magazine 64 (1991).

    >>> knights_tour(3, 4, closed=False).count(solver="cpsat")
    16
    """
    m = Model("knight's tour")
    squares = rows * columns
    follow = m.intvar(0, squares - closed, shape=squares + (not closed), name="next")
    for k, near in enumerate(reached(rows, columns)):
        m += Table([follow[k]], [(there,) for there in (near if closed else [*near, squares])])
    if viewpoint == "order":
        order = m.intvar(0, squares - 1, shape=squares, name="order")
        moves = [(k, there) for k, near in enumerate(reached(rows, columns)) for there in near]
        m += [AllDifferent(order), *(Table(order[k : k + 2], moves) for k in range(squares - 1))]
        m += element(follow, order[:-1]) == order[1:] if squares > 1 else []
        m += element(follow, order[-1]) == (order[0] if closed else squares)
        m += order[0] == (0 if closed else follow[squares])
    else:
        m += Circuit(follow)
    m.view = Tour("next", tuple((k % columns, k // columns) for k in range(squares)), squares=True)
    return m


def reached(rows: int, columns: int) -> list[list[int]]:
    """Return for each square those that are a knight's move away, in ascending order."""
    moves = [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)]
    return [
        sorted((r + a) * columns + c + b for a, b in moves if 0 <= r + a < rows and 0 <= c + b < columns)
        for r in range(rows)
        for c in range(columns)
    ]


def symmetries(rows: int, columns: int, closed: bool, viewpoint: str = "successors") -> Group:
    """Return those of the board, each with the tour's direction as it is and reversed."""
    if viewpoint != "successors":
        return ()
    squares = np.arange(rows * columns).reshape(rows, columns)
    turns = {"identity": squares, "rotation by 180": squares[::-1, ::-1]}
    turns |= {"mirror left to right": squares[:, ::-1], "mirror top to bottom": squares[::-1]}
    if rows == columns:
        turns |= {f"{name}, transposed": square.T for name, square in list(turns.items())}
    helper = [] if closed else [squares.size]
    found = [
        Symmetry(name + ", backwards" * backwards, partial(_renumbered, new=new, backwards=backwards))
        for name, turned in turns.items()
        for new in [np.array([*turned.reshape(-1), *helper])]
        for backwards in (False, True)
    ]
    return (IDENTITY, *found[1:])


def _renumbered(tours: IntArray, new: IntArray, backwards: bool) -> IntArray:
    """Return tours in which square k is called ``new[k]``."""
    turned: IntArray = new[tours][:, np.argsort(new)]
    return np.argsort(turned, axis=1) if backwards else turned


published = (
    Published("solutions", 0, "Schwenk 1991: none on 4 by n", {"rows": 4, "columns": 4}),
    Published("solutions", 0, "Euler 1759: none on odd numbers of squares", {"rows": 5, "columns": 5}),
    Published(
        "solutions",
        16,
        "OEIS A169696: 8, each in two directions",
        {"rows": 3, "columns": 4, "closed": False},
    ),
    Published("solutions", 1728, "OEIS A165134", {"rows": 5, "columns": 5, "closed": False}),
    Published("solutions", 19724, "OEIS A001230: 9862, each in two directions"),
)


def verify(
    solution: Mapping[str, Any], rows: int, columns: int, closed: bool, viewpoint: str = "successors"
) -> list[str]:
    """Return what is wrong with the tour ``solution["next"]``."""
    follow, squares = [int(k) for k in solution["next"]], rows * columns
    if len(follow) != squares + (not closed):
        return [f"{len(follow)} elements instead of {squares + (not closed)}"]
    wrong = []
    for k, there in enumerate(follow):
        if k < squares and there < squares:
            step = sorted((abs(k // columns - there // columns), abs(k % columns - there % columns)))
            if step != [1, 2]:
                wrong.append(f"from square {k} to square {there} is no knight's move")
    at, length = follow[0], 1
    while at != 0 and 0 <= at < len(follow) and length <= len(follow):
        at, length = follow[at], length + 1
    wrong += [] if at == 0 and length == len(follow) else ["not one tour over all squares"]
    if viewpoint == "order" and not wrong:
        order = [int(k) for k in solution["order"]]
        told = [0] if closed else [follow[squares]]
        while len(told) < squares:
            told.append(follow[told[-1]])
        wrong += [] if order == told else ["the squares in their order are not those of the tour"]
    return wrong
