"""Balanced incomplete block designs (Yates 1936; CSPLib prob028)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Annotated, Any, Literal

import numpy as np

from cpqueens import LexLessEqual, Model, ModelError
from cpqueens.answers import groups
from cpqueens.answers.symmetry import Group
from cpqueens.language.rows import IntArray
from cpqueens.language.views import Pieces
from cpqueens.problems.published import Published
from cpqueens.problems.signatures import Between, validated


@validated
def block_design(
    v: Annotated[int, Between(2, 100)] = 7,
    k: Annotated[int, Between(2, 100)] = 3,
    lam: Annotated[int, Between(1, 100)] = 1,
    ordered: Literal["none", "blocks", "both"] = "blocks",
) -> Model:
    """Choose blocks of k among v points so that each two points are together in lam blocks.

    ``x[i, j]`` is 1 if point i is in block j. By counting pairs each point is in r = lam (v - 1) / (k - 1)
    blocks, and there are b = v r / k of them. Blocks have no names: ``ordered="blocks"`` puts the columns in
    lexicographic order, ``"both"`` the rows too, which keeps at least one of each class.

    Source: F. Yates, *Incomplete randomized blocks*, Annals of Eugenics 7 (1936); CSPLib prob028.

    >>> block_design().count(solver="cpsat")
    30
    """
    r, b = numbers(v, k, lam)
    m = Model("block design")
    x = m.boolvar(shape=(v, b), name="x")
    m.add(x.sum(axis=1) == r, x.sum(axis=0) == k)
    first, second = np.triu_indices(v, 1)
    m.add((x[first] * x[second]).sum(axis=1) == lam)
    if ordered != "none":
        m += [LexLessEqual(x[:, j], x[:, j + 1]) for j in range(b - 1)]
    if ordered == "both":
        m += [LexLessEqual(x[i], x[i + 1]) for i in range(v - 1)]
    m.view = Pieces("x", "block")
    return m


def numbers(v: int, k: int, lam: int) -> tuple[int, int]:
    """Return in how many blocks each point is, and how many blocks there are.

    Raises
    ------
    ModelError
        If these are no integers, or a block is larger than all points.
    """
    r, rest = divmod(lam * (v - 1), k - 1)
    b, left = divmod(v * r, k)
    if rest or left or k > v:
        raise ModelError(
            f"no block design has v={v}, k={k}, lam={lam}: r = {lam}*{v - 1}/{k - 1}, b = {v}*r/{k}"
        )
    return r, b


def symmetries(v: int, k: int, lam: int, ordered: str) -> Group:
    """Return those of points, and of blocks where these are in no order; none if points are in order too."""
    b = numbers(v, k, lam)[1]
    if ordered == "both":
        return ()
    points = groups.generated(groups.exchanges(v, 0, (v, b), "points"))
    if ordered == "none":
        return groups.generated(points, groups.exchanges(b, 1, (v, b), "blocks"))

    def in_order(designs: IntArray) -> IntArray:
        blocks = designs.reshape(-1, v, b).transpose(0, 2, 1)
        return groups.sorted_rows(blocks).transpose(0, 2, 1).reshape(len(designs), v * b)

    return groups.then(points, in_order)


published = (
    Published("fundamental", 1, "OEIS A030129"),
    Published("fundamental", 1, "OEIS A030129", {"v": 9}),
    Published("solutions", 30, "OEIS A030128"),
    Published("solutions", 840, "OEIS A030128", {"v": 9}),
)


def verify(solution: Mapping[str, Any], v: int, k: int, lam: int, ordered: str) -> list[str]:
    """Return what is wrong with the blocks ``solution["x"]``."""
    x = [[int(cell) for cell in row] for row in solution["x"]]
    columns = [list(column) for column in zip(*x, strict=True)]
    wrong = [f"block {j} has {sum(c)} points instead of {k}" for j, c in enumerate(columns) if sum(c) != k]
    for a, b in combinations(range(v), 2):
        together = sum(i * j for i, j in zip(x[a], x[b], strict=True))
        if together != lam:
            wrong.append(f"points {a} and {b} are together in {together} blocks instead of {lam}")
    wrong += [] if ordered == "none" or columns == sorted(columns) else ["the blocks are not in order"]
    return wrong + (["the points are not in order"] if ordered == "both" and x != sorted(x) else [])
