"""Car sequencing (Parrello, Kabat and Wos 1986; CSPLib prob001)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from cpqueens import GlobalCardinality, Model, ModelError, element
from cpqueens.language.views import Features
from cpqueens.problems.published import Published
from cpqueens.problems.signatures import validated
from cpqueens.problems.viewpoints import by_booleans, unlike

Table = tuple[tuple[int, ...], ...]

OPTIONS: Table = (
    (1, 0, 0, 0, 1, 1), (0, 0, 1, 1, 0, 1), (1, 0, 0, 0, 1, 0), (1, 1, 0, 1, 0, 0), (0, 0, 1, 0, 0, 0),
)  # fmt: skip


@validated
def car_sequencing(
    demand: tuple[int, ...] = (1, 1, 2, 2, 2, 2),
    options: Table = OPTIONS,
    windows: tuple[tuple[int, int], ...] = ((1, 2), (2, 3), (1, 3), (2, 5), (1, 5)),
    viewpoint: Literal["classes", "booleans"] = "classes",
) -> Model:
    """Order cars on a line so that no station has more to do than it can.

    ``demand[c]`` cars of class c are to be built; ``options[o][c]`` is 1 if they have option o, of which
    ``windows[o] = (most, length)`` allows so many among so many cars in a row. ``x[k]`` is the class of
    car k. ``viewpoint="booleans"`` also decides whether it is of each class, ``b[k, c]``.

    Source: B. D. Parrello, W. C. Kabat and L. Wos, *Job-shop scheduling using automated reasoning: a case
    study of the car-sequencing problem*, Journal of Automated Reasoning 2 (1986); CSPLib prob001, whose cars
    are the default.

    >>> car_sequencing().count(solver="cpsat")
    6
    """
    _refuse_misfits(demand, options, windows)
    many, classes = sum(demand), len(demand)
    m = Model("car sequencing")
    if viewpoint == "booleans":
        b, x = by_booleans(m, "x", 0, classes - 1, many)
        m += b.sum(axis=0) == np.array(demand)
        fitted = [(b * np.array(has)).sum(axis=1) for has in options]
    else:
        x = m.intvar(0, classes - 1, shape=many, name="x")
        m += GlobalCardinality(x, range(classes), demand)
        fitted = [element(np.array(has), x) for has in options]
    for one, (most, length) in zip(fitted, windows, strict=True):
        m += [one[k : k + length].sum() <= most for k in range(many - length + 1)]
    m.view = Features("x", options)
    return m


def _refuse_misfits(demand: tuple[int, ...], options: Table, windows: tuple[tuple[int, int], ...]) -> None:
    if not demand or min(demand) < 0 or not sum(demand):
        raise ModelError("demand: at least one car is needed, and no class below 0")
    if len(options) != len(windows) or any(len(row) != len(demand) for row in options):
        raise ModelError(
            f"options: {len(windows)} rows, one for each window, of {len(demand)} classes are needed"
        )
    if any(value not in (0, 1) for row in options for value in row):
        raise ModelError("options: only 0 and 1 are allowed")
    if any(most < 0 or length < 1 for most, length in windows):
        raise ModelError("windows: (most, length) with most from 0 and length from 1 is needed")


published = (Published("solutions", 6, "brute force: the 226,800 orders of the 10 cars of CSPLib prob001"),)


def verify(
    solution: Mapping[str, Any],
    demand: tuple[int, ...],
    options: Table,
    windows: tuple[tuple[int, int], ...],
    viewpoint: str = "classes",
) -> list[str]:
    """Return what is wrong with the classes ``solution["x"]``."""
    x = [int(c) for c in solution["x"]]
    wrong = [
        f"{x.count(c)} cars of class {c} instead of {many}"
        for c, many in enumerate(demand)
        if x.count(c) != many
    ]
    for option, (has, (most, length)) in enumerate(zip(options, windows, strict=True)):
        for k in range(len(x) - length + 1):
            fitted = sum(has[c] for c in x[k : k + length])
            if fitted > most:
                wrong.append(
                    f"of cars {k} to {k + length - 1} {fitted} have option {option}, allowed are {most}"
                )
    return wrong + (unlike(solution, "x", 0) if viewpoint == "booleans" else [])
