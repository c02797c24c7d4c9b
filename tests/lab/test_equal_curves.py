"""Pictures of curves: names stand above them, and equal curves are one with all their names."""

import re
from typing import Any

import numpy as np

from cpqueens.lab.drawing import distributions, drawn, together
from cpqueens.lab.experiments import Plot, picture
from cpqueens.lab.runlength import RunLengths

NAMES = [f"strategy-{k}-with-a-long-name" for k in range(4)]


def lengths(*values: float) -> RunLengths:
    none = np.zeros(len(values), dtype=np.bool_)
    return RunLengths(np.array(values), ~none, none, none)


def test_equal_curves_are_one() -> None:
    curves = [(0, "a", [1.0, 2.0]), (1, "b", [1.0, 3.0]), (2, "c", [1.0, 2.0]), (3, "d", [1.0, 2.0])]
    assert together(curves, lambda curve: [curve]) == [(0, "a = c = d", [1.0, 2.0]), (1, "b", [1.0, 3.0])]
    assert len(together([(0, "a", [[1], []]), (1, "b", [[], [1]])], lambda parts: parts)) == 2


def test_runs_in_another_order_draw_the_same_distribution() -> None:
    curves = [(0, "one", lengths(1, 5, 9)), (1, "two", lengths(9, 1, 5)), (2, "three", lengths(1, 5, 8))]
    svg = drawn("x", "", lambda axes: distributions(axes, curves, "steps")).svg
    assert ("one = two" in svg, "three" in svg) == (True, True)


def test_names_stand_above_the_curves() -> None:
    def draw(axes: Any) -> None:
        for k, name in enumerate(NAMES):
            axes.plot([0, 1], [k, k], label=name)
        axes.set(ylim=(0, 3))

    svg = drawn("x", "", draw).svg
    _, frame = re.findall(
        r'<path d="([^"]*)" style="fill: none; opacity: 0"', svg
    )  # of the figure, of the axes
    places = {name: float(y) for y, name in re.findall(r' y="([\d.]+)"[^>]*>(strategy[^<]*)<', svg)}
    top = min(float(y) for y in re.findall(r"[ML] [\d.]+ ([\d.]+)", frame))
    assert sorted(places) == NAMES
    assert max(places.values()) < top


def test_equal_lines_of_the_texts_are_one() -> None:
    line = {"x": [4.0, 8.0], "y": [1.0, 2.0], "low": [0.5, 1.0], "high": [2.0, 3.0]}
    for stepped in (False, True):
        svg = picture(
            Plot("p", "", "x", "y", stepped, {"a": line, "b": dict(line), "c": {**line, "y": [1.0, 2.5]}})
        ).svg
        assert ("a = b" in svg, ">c<" in svg) == (True, True)
