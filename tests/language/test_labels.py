"""Names as values: what a user gives as a name comes back as that name, everywhere."""

import itertools
import json
import pickle
from collections.abc import Callable
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cpqueens import (
    AllDifferent,
    AllDifferentExcept,
    Among,
    Count,
    GlobalCardinality,
    Model,
    Or,
    Table,
    element,
)
from cpqueens.files.modelfile import dump_model, model_digest, parse_model
from cpqueens.files.solution_table import read_csv
from cpqueens.files.solutionfile import SolutionWriter, read_json_lines
from cpqueens.language.listing import listing_text

NAMES = ("red", "green", "blue")


class Colour(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


class Level(IntEnum):
    LOW = 5
    HIGH = 9


class Drink(StrEnum):
    TEA = "tea"
    MILK = "milk"


def model() -> Model:
    m = Model("named")
    x = m.var(NAMES, shape=3, name="x")
    c, level, drink = m.var(Colour, name="c"), m.var(Level, name="level"), m.var(Drink, name="drink")
    k = m.var([3, 1, 7], name="k")
    m.add(AllDifferent(x), x[0] != "red", (x[1] == "blue").implies(c == Colour.GREEN))
    m.add(level == Level.HIGH, (drink == Drink.TEA) | (drink == "tea"), c != Colour.RED, k >= 3)
    return m


def expected() -> set[tuple[Any, ...]]:
    found = set()
    for x, c, k in itertools.product(itertools.permutations(NAMES), Colour, (1, 3, 7)):
        if x[0] != "red" and (x[1] != "blue" or c is Colour.GREEN) and c is not Colour.RED and k >= 3:
            found.add((*x, c, Level.HIGH, Drink.TEA, k))
    return found


@pytest.mark.parametrize("solver", ["backtracking", "cpsat", "python-constraint"])
def test_names_come_back_as_such(solver: str) -> None:
    m = model()
    found = [(*s["x"], s["c"], s["level"], s["drink"], s["k"]) for s in m.solutions(solver)]
    assert set(found) == expected()
    assert len(found) == len(expected())
    assert all(isinstance(row[4], Level) and isinstance(row[5], Drink) for row in found)


# What is written, and which of red, green, blue the two variables then have.
WRITTEN: dict[str, tuple[Callable[[Any, Any, Any], Any], Callable[[str, str], bool]]] = {
    "==": (lambda m, x, y: x == "red", lambda x, y: x == "red"),
    "from the left": (lambda m, x, y: x == "red", lambda x, y: x == "red"),
    "two variables": (lambda m, x, y: x == y, lambda x, y: x == y),
    "a list": (lambda m, x, y: np.stack([x, y]) == ["red", "green"], lambda x, y: (x, y) == ("red", "green")),
    "an array": (
        lambda m, x, y: np.stack([x, y]) != np.array(["red", "green"]),
        lambda x, y: x != "red" and y != "green",
    ),
    "a generator of truths": (
        lambda m, x, y: [v != "blue" for v in (x, y)], lambda x, y: "blue" not in (x, y),
    ),
    "Count": (lambda m, x, y: Count([x, y], "red", 1), lambda x, y: (x, y).count("red") == 1),
    "Count() ==": (lambda m, x, y: Count([x, y], "red") == 1, lambda x, y: (x, y).count("red") == 1),
    "Among": (lambda m, x, y: Among([x, y], ["red", "blue"], 2), lambda x, y: "green" not in (x, y)),
    "Among a set": (lambda m, x, y: Among([x, y], {"red", "blue"}, 2), lambda x, y: "green" not in (x, y)),
    "Table": (
        lambda m, x, y: Table([x, y], [("red", "blue"), ("blue", "green")]),
        lambda x, y: (x, y) in (("red", "blue"), ("blue", "green")),
    ),
    "AllDifferentExcept": (
        lambda m, x, y: AllDifferentExcept([x, y], "red"), lambda x, y: x != y or x == "red",
    ),
    "GlobalCardinality": (
        lambda m, x, y: GlobalCardinality([x, y], ["red", "blue"], [1, 1]),
        lambda x, y: {x, y} == {"red", "blue"},
    ),
    "a list of names at a term": (
        lambda m, x, y: element(["blue", "red", "red"], m.intvar(1, 1, name="k")) == x,
        lambda x, y: x == "red",
    ),
    "an implication": (
        lambda m, x, y: (x == "red").implies(y == "blue"), lambda x, y: x != "red" or y == "blue",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_written_with_names_means_it(name: str) -> None:
    ours, plain = WRITTEN[name]
    m = Model()
    m.var(["dog", "cat"], name="pet")  # names have numbers already
    x, y = m.var(NAMES, name="x"), m.var(NAMES[::-1], name="y")
    m.add(ours(m, x, y), m["pet"] == "cat")
    found = sorted((s[x], s[y]) for s in m.enumerate(solver="backtracking").solutions)
    assert found == sorted(pair for pair in itertools.product(NAMES, NAMES) if plain(*pair))


def test_variables_with_some_names_in_common_compare_by_name() -> None:
    m = Model()
    x, y = m.var(["a", "b"], name="x"), m.var(["c", "b"], name="y")
    m.add(x == y)
    assert [(s[x], s[y]) for s in m.solutions("backtracking")] == [("b", "b")]


REFUSED: dict[str, tuple[Callable[[Model], Any], str]] = {
    "an unknown name": (
        lambda m: m["x"] == "grene",
        "x.*: 'grene' is none of the values; did you mean",
    ),
    "a name of another variable": (lambda m: m["drink"] == "red", "drink: 'red' is none of the values"),
    "a name without a variable": (lambda m: Count(m["x"], "pink"), "no variable has the value 'pink'"),
    "an order": (lambda m: m["x"][0] < "red", "names have no order"),
    "names and integers": (lambda m: m.var([1, "red"]), "all names or all integers"),
    "no values": (lambda m: m.var([]), "values: empty"),
    "a text": (lambda m: m.var("red"), "a list of names or of integers"),
    "a number": (lambda m: m.var(3), "; for bounds m.intvar"),  # type: ignore[arg-type]
    "a control character": (lambda m: m.var(["\x1b[31m"]), r"U\+001B is not allowed"),
    "one name for two": (lambda m: m.var(["RED", Colour.RED]), "have one name"),
    "an index that is no variable": (
        lambda m: element([1, 2, 3], m["c"] + 1),
        "element: an index must be a number or a variable, .* calculates with names; write a Table",
    ),
    "names where there are none": (lambda m: Model().intvar(0, 1) == "red", "integers only, got 'red'"),
    "a hint": (lambda m: m.solve("cpsat", hint={"x": ["red", "pink", "blue"]}), "x: 'pink' is none of the"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    wrong, match = REFUSED[name]
    with pytest.raises(ValueError, match=match):
        wrong(model())


def test_names_in_checks_hints_and_texts() -> None:
    m = model()
    good = {"x": ["green", "red", "blue"], "c": Colour.BLUE, "level": "HIGH", "drink": "tea", "k": 3}
    assert m.check(good).ok
    assert m.check({**good, "c": "BLUE", "level": Level.HIGH, "drink": Drink.TEA}).ok
    found = str(m.check({**good, "x": ["red", "red", "blue"]}))
    assert "x[0] != 'red'" in found
    assert "x[0]=red and x[1]=red" in found
    assert str(m.check({**good, "x": ["red", "pink", "blue"]})).startswith("x: 'pink' is none of the values")
    assert "level = 7 is outside its domain {LOW, HIGH}" in str(m.check({**good, "level": 7}))
    outcome = m.solve("cpsat", hint=good)
    assert outcome.solution is not None
    assert m.check(outcome).ok
    assert m.check(outcome.solution.as_dict()).ok
    again = m.solve("backtracking", after=outcome)
    assert again.solution != outcome.solution
    text = listing_text(m, 80)
    for part in ("{red, green, blue}", "{RED, GREEN, BLUE}", "c != Colour.RED", "level == Level.HIGH"):
        assert part in text
    assert repr(Count(m["x"], "red", 1)) == "Count(x, 'red') == 1"
    assert repr(Among(m["x"], ["blue"], 1)) == "Among(x, ['blue'], 1)"
    assert repr(Table([m["c"], m["k"]], [(Colour.RED, 3)])) == "Table([c, k], [(Colour.RED, 3)])"


def test_names_in_solutions_and_their_files(tmp_path: Path) -> None:
    m = model()
    found = m.enumerate(solver="backtracking").solutions
    assert found.values("x").tolist() == [s["x"].tolist() for s in found]
    assert found.values("c").tolist() == [s["c"] for s in found]
    one = found[0]
    assert json.loads(json.dumps(one.as_dict())) == one.as_dict()
    assert set(one.as_dict()["x"]) == set(NAMES)
    assert f"x={one.as_dict()['x']}" in repr(one)
    assert str(one.as_dict()["x"]) in str(one)
    readers = {"csv": read_csv, "jsonl": read_json_lines}
    for suffix, read in readers.items():
        path = tmp_path / f"solutions.{suffix}"
        with SolutionWriter(path, m) as file:
            file.write(found)
        text = path.read_text()
        assert "green" in text
        assert read(text, m).matrix.tolist() == found.matrix.tolist()


def test_names_in_model_files_copies_and_pickles() -> None:
    m = model()
    text = dump_model(m)
    again = parse_model(text)
    assert dump_model(again) == text
    assert model_digest(again) == model_digest(m)
    assert [s.as_dict() for s in again.solutions("backtracking")] == [
        s.as_dict() for s in m.solutions("backtracking")
    ]
    assert again.solve("backtracking")["c"] in ("GREEN", "BLUE")
    for other in (m.copy(), pickle.loads(pickle.dumps(m))):
        assert other.solve("backtracking")["c"] in (Colour.GREEN, Colour.BLUE)
        other.var(["new"], name="z")
        with pytest.raises(ValueError, match="no variable has the value 'new'"):
            Count(m["x"], "new")


def test_models_without_names_write_what_they_always_wrote() -> None:
    m = Model()
    m.intvar(domain=[1, 3], name="x")
    assert '"names"' not in dump_model(m)
    assert m.solve("backtracking").solution is not None


@pytest.mark.parametrize(
    ("entry", "match"),
    [
        ('{"name":"x","domain":[0,1],"names":["a"]}', "1 names for 2 values"),
        ('{"name":"x","lower":0,"upper":1,"names":["a","b"]}', "names are given without a domain"),
        ('{"name":"x","domain":[0,1],"names":["a","a"]}', "names: 'a' is 0 of one variable and 1 of another"),
        ('{"name":"x","domain":[0,1],"names":["a",1]}', "names"),
        ('{"name":"x","domain":[0,1],"names":["a","\\u001b"]}', "is not allowed"),
    ],
)
def test_wrong_names_in_a_model_file(entry: str, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        parse_model(f'{{"format":"cpqueens-model","version":2,"variables":[{entry}],"constraints":[]}}')


def test_truths_about_two_names_are_shown_with_a_name() -> None:
    m = Model()
    c = m.var(["red", "green"], name="c")
    s, t = m.var(["red", "blue"], name="s"), m.var(["green", "blue"], name="t")
    b = m.boolvar(name="b")
    shown = {
        "c == 'red'": c == "red",
        "b.implies(c == 'green')": b.implies(c != "red"),
        "(c == 'red') | b": Or(c == "red", b),
        "(c == 'red') + (s == 'red') == 1": Count([c, s], "red") == 1,
        "(c == 'green') + (t == 'green') + b <= 1": (c == "green") + (t == "green") + b <= 1,
        "AllDifferent(c, s)": AllDifferent(c, s),
        "c != s": c != s,
    }
    assert {text: str(truth) for text, truth in shown.items()} == {text: text for text in shown}


INDICES: dict[str, tuple[Callable[[Model], Any], Callable[[Any], list[int]]]] = {
    "one": (lambda m: element([10, 20, 30], m["late"]), lambda s: [10 * LATE[s["late"]]]),
    "an array": (lambda m: element([1, 2, 3], m["pair"]), lambda s: [LATE[v] for v in s["pair"]]),
    "two axes": (
        lambda m: element(np.arange(9).reshape(3, 3), m["late"], m["pair"][0]),
        lambda s: [3 * (LATE[s["late"]] - 1) + LATE[s["pair"][0]] - 1],
    ),
    "by brackets": (lambda m: m["y"][m["late"]], lambda s: [int(s["y"][LATE[s["late"]] - 1])]),
    "beside a number": (
        lambda m: m["z"][m["late"], m["k"]],
        lambda s: [int(s["z"][LATE[s["late"]] - 1, s["k"]])],
    ),
    "two kinds of names": (
        lambda m: element([1, 2, 3], np.stack([m["late"], m["early"]])),
        lambda s: [LATE[s["late"]], ["ccc", "a"].index(s["early"]) + 1],
    ),
    "members that are numbers": (lambda m: element([5, 6, 7], m["level"]), lambda s: [5 + int(s["level"])]),
}
LATE = {"a": 1, "bb": 2, "ccc": 3}


@pytest.mark.parametrize("name", INDICES)
def test_a_name_is_an_index_by_its_place(name: str) -> None:
    """In the list that its variable was made of, whatever number it has in the model."""
    write, wanted = INDICES[name]
    m = Model()
    m.var(["ccc", "zz", "a"], name="before")
    m.var(["a", "bb", "ccc"], name="late")
    m.var(["a", "bb", "ccc"], shape=2, name="pair")
    m.var(["ccc", "a"], name="early")
    m.var(IntEnum("Level", {"LOW": 1, "HIGH": 2}), name="level")
    m.intvar([3, 1, 2], [3, 1, 2], shape=3, name="y")
    m.intvar(np.arange(6).reshape(3, 2), np.arange(6).reshape(3, 2), shape=(3, 2), name="z")
    m.intvar(0, 1, name="k")
    index = write(m)
    found = m.enumerate(solver="backtracking", solution_limit=300).solutions
    assert len(found) == 300
    for s in found[::7]:
        assert np.atleast_1d(s[index]).tolist() == wanted(s)
