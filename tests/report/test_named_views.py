"""Views show the labels that variables were made with, and names of values, tasks and machines."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cpqueens import (
    Armies,
    Board,
    Colouring,
    Features,
    Grid,
    Groups,
    Model,
    ModelError,
    Pieces,
    Schedule,
    Sequence,
    Tour,
)
from cpqueens.answers.solution import Solution
from cpqueens.files.modelfile import load_model, save_model
from cpqueens.report.draw import draw_svg, draw_text

PEOPLE, DAYS = ["ann", "bob", "cy"], ["mo", "tu"]


def drawn(view: Any, values: Any, shape: Any, names: list[str] | None = None) -> Solution:
    """Return the solution with these values, numbers or names, of variables with labels."""
    m = Model("named")
    x = m.intvar(values, values, shape=shape, name="x") if names is None else m.var(names, shape, "x")
    if isinstance(view, Armies):
        m.intvar(0, 0, shape=shape, name="y")
    m.add(x == values)
    m.view = view
    found = m.solve("backtracking").solution
    assert found is not None
    return found


def _shop() -> Model:
    m = Model("shop")
    m.intvar([0, 2, 1], [0, 2, 1], shape=["leg", "top", "bolt"], name="start")
    m.intvar([2, 1, 3], [2, 1, 3], shape=3, name="du")
    m.fix(m.var(["saw", "drill"], shape=3, name="tool"), ["saw", "saw", "drill"])
    m.intvar([1, 1, 0], [1, 1, 0], shape=3, name="ln")
    return m


def test_durations_and_machines_may_be_variables(tmp_path: Any) -> None:
    m, listed = _shop(), Schedule("start", (2, 1, 3), ("saw", "saw", "drill"))
    m.view = listed
    wanted = str(m.solve("backtracking").solution)
    assert wanted.startswith("  saw |001.\ndrill |.222\n")
    for view in (Schedule("start", "du", "tool"), Schedule(m["start"], m["du"], m["tool"])):
        m.view = view
        save_model(m, tmp_path / "shop.json")
        for model in (m, load_model(tmp_path / "shop.json")):
            assert model.view == Schedule("start", "du", "tool")
            solution = model.solve("backtracking").solution
            assert solution is not None
            assert str(solution) == wanted
            assert "drill" in (solution._repr_svg_() or "")
    m.view = Schedule("start", "du", lanes=m["ln"])
    assert str(m.solve("backtracking").solution).startswith("0 |.222\n1 |001.\n")


def test_variables_of_a_schedule_that_do_not_fit_are_named() -> None:
    m = _shop()
    m.intvar(1, 2, shape=2, name="two")
    for view, why in (
        (Schedule("start", "none"), "no variable 'none' for Schedule"),
        (Schedule("start", "du", "none"), "no variable 'none' for Schedule"),
        (Schedule("start", "two"), "start and two have different shapes"),
    ):
        m.view = view
        assert str(m.solve("backtracking").solution).endswith(f"(not drawn: {why})")
    with pytest.raises(ModelError, match="whole array"):
        Schedule("start", m["du"] + 1)


TEXTS: dict[str, tuple[tuple[Any, ...], str]] = {
    "grid": (
        (Grid("x"), [[1, 2], [3, 4], [5, 6]], (PEOPLE, DAYS)), "    mo tu\nann  1  2\nbob  3  4\ncy   5  6",
    ),
    "a row as a grid": ((Grid("x"), [1, 2, 3], PEOPLE), "ann bob  cy\n  1   2   3"),
    "a row without labels": ((Grid("x"), [1, 2, 3], 3), "1 2 3"),
    "sequence of names": (
        (Sequence("x"), ["off", "day", "off"], PEOPLE, ["off", "day"]), "ann bob  cy\noff day off",
    ),
    "groups": ((Groups("x"), [1, 0, 1], PEOPLE), "bob | ann cy"),
    "named groups": ((Groups("x"), ["sea", "air", "sea"], PEOPLE, ["sea", "air"]), "sea: ann cy | air: bob"),
    "weights": (
        (Groups("x", weights=pd.Series([5, 3, 2])), ["sea", "air", "sea"], PEOPLE, ["sea", "air"]),
        "group sea: ann 5 + cy 2 = 7\ngroup air: bob 3 = 3",
    ),
    "tasks on their lines": (
        (Schedule("x", (3, 2, 4), ticks=[0, 3]), [0, 3, 1], PEOPLE),
        "ann |000..\nbob |...11\n cy |.2222\n     0  3",
    ),
    "machines and ticks": (
        (Schedule("x", [3, 2, 4], lanes=["saw", "saw", "rig"], ticks={0: "M", 5: "F"}), [0, 3, 1], PEOPLE),
        "saw |00011\nrig |.2222\n     M    F\n0 ann, 1 bob, 2 cy",
    ),
    "tasks with names": (
        (Schedule("x", [300, 99], tasks=["cut", "dry"]), [0, 300], 2), "cut | cut: 0-300\ndry | dry: 300-399",
    ),
    "rows of tasks": (
        (Schedule("x", [1] * 4, lanes=[0, 1, 0, 1]), [[0, 1], [1, 2]], (PEOPLE[:2], DAYS)),
        "0 |01.\n1 |.01\n   0 3\n0 ann, 1 bob",
    ),
    "tour": ((Tour("x", np.array([[0, 0], [4, 0], [0, 3]])), [2, 0, 1], PEOPLE), "ann -> cy -> bob -> ann"),
    "colouring": (
        (Colouring("x", [(0, 1), [1, 2]]), ["red", "red", "blue"], PEOPLE, ["red", "blue"]),
        "colour red: ann bob\ncolour blue: cy\nedge ann - bob joins colour red to itself",
    ),
    "features": (
        (Features("x", [[1, 0]]), ["red", "blue", "red"], PEOPLE, ["red", "blue"]),
        "           ann  bob   cy\nclass      red blue  red\nfeature 0    #    .    #",
    ),
}  # fmt: skip


def test_texts_have_names() -> None:
    for name, (made, text) in TEXTS.items():
        solution = drawn(*made)
        assert draw_text(solution) == text, name
        words = {element.text for element in ET.fromstring(draw_svg(solution) or "").iter()}
        for label in made[2] if isinstance(made[2], list) else []:
            assert any(label in (word or "") for word in words), (name, label, words)


def test_boards_have_names_beside_their_squares() -> None:
    squares = [[0, 1], [1, 0], [0, 1]]
    for view in (Pieces("x"), Armies("x", "y")):
        solution = drawn(view, squares, (PEOPLE, DAYS))
        assert "mo" in draw_text(solution).splitlines()[0]
        assert {"ann", "mo", "tu"} <= {
            element.text for element in ET.fromstring(draw_svg(solution) or "").iter()
        }
    assert draw_text(drawn(Board("x"), [0, 1, 2], PEOPLE)).splitlines()[1].startswith("ann │")
    long = drawn(Pieces("x"), squares, (PEOPLE, ["monday", "tuesday"]))
    assert draw_text(long).splitlines()[1].startswith("ann │")  # of columns no names that have no room


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "no name": (
        lambda x: Grid(3),
        r"^Grid: variable: the name of a variable is needed, as in Grid\('x'\), got 3",
    ),
    "a part": (lambda x: Grid(x[0]), "^a view shows a whole array of variables"),
    "what is calculated": (lambda x: Grid(x + 1), "^a view shows a whole array"),
    "text durations": (lambda x: Schedule(x, ["3", "2"]), "^Schedule: durations: integers only, got '3'"),
    "text weights": (lambda x: Groups(x, ["3", "2"]), "^Groups: weights: integers only, got '3'"),
}


def test_a_view_takes_the_variables_themselves_and_says_what_it_does_not_take(tmp_path: Any) -> None:
    m = Model()
    x = m.intvar(0, 0, shape=(2, 2), name="my x")
    for name, (made, match) in REFUSED.items():
        with pytest.raises(ModelError, match=match) as caught:
            made(x)
        assert "\n" not in str(caught.value), name
    m.view = Schedule(x, np.ones(4), lanes=["a", "b", "a", "b"], present=x, ticks={0: "now"})
    assert m.view == Schedule("my x", (1, 1, 1, 1), ("a", "b", "a", "b"), "my x", (), ((0, "now"),))
    save_model(m, tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").view == m.view
