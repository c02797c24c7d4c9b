"""Puzzles of equalities and neighbourhoods: the zebra, a map, the menu, change, dominoes, still lifes."""

from __future__ import annotations

import itertools

import numpy as np
from cpqueens.models.still_life import still_life

from collection.instance import ALL, BOTH, Instance
from cpqueens import AllDifferent, Model, Table

NATIONS = ("English", "Spanish", "Ukrainian", "Norwegian", "Japanese")
COLOURS = ("red", "green", "ivory", "yellow", "blue")
PETS = ("dog", "snails", "fox", "horse", "zebra")
DRINKS = ("coffee", "tea", "milk", "juice", "water")
SMOKES = ("Old Gold", "Kools", "Chesterfield", "Lucky Strike", "Parliament")


def zebra() -> Model:
    """Five houses (Life International, 1962)."""
    m = Model("zebra")
    at = {
        name: m.intvar(0, 4, name=name)
        for group in (NATIONS, COLOURS, PETS, DRINKS, SMOKES)
        for name in group
    }
    for group in (NATIONS, COLOURS, PETS, DRINKS, SMOKES):
        m += AllDifferent([at[name] for name in group])
    same = (
        ("English", "red"), ("Spanish", "dog"), ("coffee", "green"), ("Ukrainian", "tea"),
        ("Old Gold", "snails"), ("Kools", "yellow"), ("Lucky Strike", "juice"), ("Japanese", "Parliament"),
    )  # fmt: skip
    m.add(*(at[a] == at[b] for a, b in same))
    m.add(at["green"] == at["ivory"] + 1, at["milk"] == 2, at["Norwegian"] == 0)
    for a, b in (("Chesterfield", "fox"), ("Kools", "horse"), ("Norwegian", "blue")):
        m.add(abs(at[a] - at[b]) == 1)
    return m


AUSTRALIA = ("WA NT", "WA SA", "NT SA", "NT Q", "SA Q", "SA NSW", "SA V", "Q NSW", "NSW V")


def australia(colours: int) -> Model:
    """Neighbours are told by tables; Tasmania has none."""
    m = Model("Australia")
    colour = {name: m.intvar(1, colours, name=name) for name in ("WA", "NT", "SA", "Q", "NSW", "V", "T")}
    rows = list(itertools.permutations(range(1, colours + 1), 2))
    m += [Table([colour[name] for name in pair.split()], rows) for pair in AUSTRALIA]
    return m


def menu() -> Model:
    """Appetisers for exactly 15.05 (xkcd 287)."""
    m = Model("menu")
    prices = np.array([215, 275, 335, 355, 420, 580])
    x = m.intvar(0, 10, shape=6, name="x")
    m.add((x * prices).sum() == 1505)
    return m


def change(cents: int, coins: tuple[int, ...]) -> Model:
    """Ways to pay with these coins."""
    m = Model("change")
    pieces = [m.intvar(0, cents // coin, name=f"of {coin}") for coin in coins]
    m.add(sum(coin * piece for coin, piece in zip(coins, pieces, strict=True)) == cents)
    return m


def tilings(n: int) -> Model:
    """Dominoes that cover a board, one truth for each place of a domino."""
    m = Model("dominoes")
    squares = [(i, j) for i in range(n) for j in range(n)]
    places = [
        ((i, j), (i + a, j + b)) for i, j in squares for a, b in ((0, 1), (1, 0)) if i + a < n and j + b < n
    ]
    x = m.boolvar(shape=len(places), name="x")
    for square in squares:
        m.add(x[[k for k, place in enumerate(places) if square in place]].sum() == 1)
    return m


INSTANCES = (
    Instance("zebra", zebra, "Life International 1962", 1),
    Instance(
        "Australia, 3 colours, tables", lambda: australia(3), "Russell and Norvig: 6, Tasmania free", 18
    ),
    Instance("Australia, 2 colours, tables", lambda: australia(2), "Russell and Norvig: a triangle", 0),
    Instance("menu", menu, "xkcd 287: two", 2),
    Instance("change of a dollar", lambda: change(100, (1, 5, 10, 25, 50)), "Polya 1956", 292),
    Instance("domino tilings of 4 by 4", lambda: tilings(4), "OEIS A004003", 36),
    Instance("domino tilings of 6 by 6", lambda: tilings(6), "OEIS A004003", 6728),
    Instance("still life of 4", lambda: still_life(4), "OEIS A055397", optimum=8, exact=ALL),
    Instance("still life of 5", lambda: still_life(5), "OEIS A055397", optimum=16, exact=BOTH),
    Instance("still life of 6", lambda: still_life(6), "OEIS A055397", optimum=18, exact=BOTH),
    Instance("domino tilings of 5 by 5", lambda: tilings(5), "an odd number of squares", 0),
)
