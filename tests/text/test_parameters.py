"""Declared parameters: what they accept in words, from text and as values."""

from typing import Any

import numpy as np
import pytest

from cpqueens import ModelError
from cpqueens.text.parameters import Parameter, complete, parse_assignments

PARAMETERS = {
    "n": Parameter(int, limits=(0, 100)),
    "deep": Parameter(bool, False),
    "how": Parameter(str, "row", choices=("row", "column")),
    "squares": Parameter(tuple[tuple[int, int], ...], ()),
    "title": Parameter(str, "x"),
    "plain": Parameter(int, 3),
    "share": Parameter(float, 0.5),
    "anything": Parameter(Any, None),
}


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("n", "an integer from 0 to 100"),
        ("plain", "an integer"),
        ("deep", "true or false"),
        ("how", "one of row, column"),
        ("squares", "a list of pairs of integers, such as [[0, 3], [4, 1]]"),
        ("title", "a text"),
        ("share", "a number"),
    ],
)
def test_what_is_allowed_in_words(name: str, allowed: str) -> None:
    assert PARAMETERS[name].allowed == allowed


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("n", "8", 8),
        ("n", "+8", 8),
        ("n", " 0 ", 0),
        ("plain", "-5", -5),
        ("deep", "true", True),
        ("deep", "No", False),
        ("how", "column", "column"),
        ("squares", "[[0, 3], [4, 1]]", ((0, 3), (4, 1))),
        ("squares", "[]", ()),
        ("title", "n queens", "n queens"),
        ("share", "0.25", 0.25),
        ("share", "3", 3.0),
        ("anything", "[1]", [1]),
        ("anything", "word", "word"),
    ],
)
def test_texts_are_parsed(name: str, text: str, value: Any) -> None:
    found = PARAMETERS[name].parse(name, text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(
            ("n", t)
            for t in ("-1", "101", '"8"', "8.0", "True", "1000000000", "", "8e1", "0x8", "1_0", "٨", "nan")
        ),
        pytest.param("n", "9" * 5000, id="huge"),
        *(("deep", t) for t in ("", "2", "maybe")),
        *(("share", t) for t in ("", "half", "true", "nan", "[1]", '"1"')),
        ("how", "diagonal"),
        *(("squares", t) for t in ("[[0]]", "[[0, 1, 2]]", "[[0, true]]", "[[0, 1.0]]", "[[", "0")),
        pytest.param("squares", "[" * 100_000, id="deep"),
        pytest.param("title", "x" * 1_000_001, id="long"),
    ],
)
def test_what_is_not_accepted_as_text_gets_one_line(name: str, text: str) -> None:
    with pytest.raises(ModelError) as caught:
        PARAMETERS[name].parse(name, text)
    assert str(caught.value).startswith(f"{name}: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "value",
    [
        -1,
        101,
        "8",
        8.0,
        True,
        10**9,
        pytest.param(10**5000, id="huge"),
        None,
        float("nan"),
        [8],
        np.float64(8),
    ],
)
def test_what_is_not_accepted_as_value_gets_one_line(value: Any) -> None:
    with pytest.raises(ModelError, match=r"^n: an integer from 0 to 100 is needed, got ") as caught:
        PARAMETERS["n"].validate("n", value)
    assert "\n" not in str(caught.value)


def test_numpy_integers_and_arrays_are_welcome() -> None:
    assert type(PARAMETERS["n"].validate("n", np.int32(8))) is int
    assert PARAMETERS["squares"].validate("squares", np.array([[0, 3]])) == ((0, 3),)
    assert PARAMETERS["squares"].validate("squares", [(np.int64(0), 3)]) == ((0, 3),)


def test_assignments() -> None:
    assert parse_assignments(PARAMETERS, ["n=8", "title=a=b"]) == {"n": 8, "title": "a=b"}


@pytest.mark.parametrize(
    ("assignments", "message"),
    [
        (["n"], "name=value"),
        (["n=8", "n=9"], "n: given twice"),
        (["squars=[]"], "no parameter 'squars'; did you mean 'squares'"),
        (["=8"], "no parameter ''"),
    ],
)
def test_assignments_that_are_refused(assignments: list[str], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        parse_assignments(PARAMETERS, assignments)


def test_no_parameters_at_all() -> None:
    with pytest.raises(ModelError, match="no parameter 'n'; there are none"):
        parse_assignments({}, ["n=8"])


def test_complete_adds_defaults_and_asks_for_what_is_missing() -> None:
    assert complete(PARAMETERS, {"n": 8})["how"] == "row"
    with pytest.raises(ModelError, match="n: missing; an integer from 0 to 100 is needed"):
        complete(PARAMETERS, {})
    with pytest.raises(ModelError, match="no parameter 'm'"):
        complete(PARAMETERS, {"n": 8, "m": 1})


def test_numbers_of_numpy_are_pythons() -> None:
    for value, found in ((np.float32(0.25), 0.25), (np.int64(2), 2.0), (3, 3.0)):
        accepted = PARAMETERS["share"].validate("share", value)
        assert (accepted, type(accepted)) == (found, float)
    assert PARAMETERS["deep"].validate("deep", np.True_) is True


def test_a_choice_is_of_its_own_type_and_the_nearest_is_named() -> None:
    sizes = Parameter(int, 1, choices=(1, 2))
    assert (sizes.parse("size", "2"), sizes.validate("size", 1)) == (2, 1)
    for wrong in (True, 1.0, "1", 3):
        with pytest.raises(ModelError, match="size: one of 1, 2 is needed, got "):
            sizes.validate("size", wrong)
    with pytest.raises(ModelError, match="got 'colum'; did you mean 'column'"):
        PARAMETERS["how"].parse("how", "colum")
