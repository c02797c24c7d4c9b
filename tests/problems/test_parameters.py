from typing import Annotated, Any, Literal

import numpy as np
import pytest

from cpqueens import ModelError
from cpqueens.problems.parameters import (
    Between,
    Parameter,
    Squares,
    complete,
    parse_assignments,
    read_parameters,
    validated,
)


def example(
    n: Annotated[int, Between(0, 100)],
    deep: bool = False,
    how: Literal["row", "column"] = "row",
    squares: Squares = (),
    title: str = "x",
    plain=3,
    anything=None,
) -> None:
    """A signature with one parameter of each sort."""


PARAMETERS = {p.name: p for p in read_parameters(example)}


def test_a_signature_is_read() -> None:
    assert PARAMETERS["n"] == Parameter("n", int, limits=Between(0, 100))
    assert PARAMETERS["n"].required
    assert PARAMETERS["deep"] == Parameter("deep", bool, False)
    assert PARAMETERS["plain"].type is int
    assert PARAMETERS["anything"].type is Any
    assert not PARAMETERS["anything"].required


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("n", "an integer from 0 to 100"),
        ("plain", "an integer"),
        ("deep", "true or false"),
        ("how", "one of row, column"),
        ("squares", "a list of pairs of integers, such as [[0, 3], [4, 1]]"),
        ("title", "a text"),
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
        ("anything", "[1]", [1]),
        ("anything", "word", "word"),
    ],
)
def test_texts_are_parsed(name: str, text: str, value: Any) -> None:
    found = PARAMETERS[name].parse(text)
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
        ("how", "diagonal"),
        *(("squares", t) for t in ("[[0]]", "[[0, 1, 2]]", "[[0, true]]", "[[0, 1.0]]", "[[", "0")),
        pytest.param("squares", "[" * 100_000, id="deep"),
        pytest.param("title", "x" * 1_000_001, id="long"),
    ],
)
def test_what_is_not_accepted_as_text_gets_one_line(name: str, text: str) -> None:
    with pytest.raises(ModelError) as caught:
        PARAMETERS[name].parse(text)
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
        PARAMETERS["n"].validate(value)
    assert "\n" not in str(caught.value)


def test_numpy_integers_and_arrays_are_welcome() -> None:
    assert type(PARAMETERS["n"].validate(np.int32(8))) is int
    assert PARAMETERS["squares"].validate(np.array([[0, 3]])) == ((0, 3),)
    assert PARAMETERS["squares"].validate([(np.int64(0), 3)]) == ((0, 3),)


def test_assignments() -> None:
    assert parse_assignments(PARAMETERS.values(), ["n=8", "title=a=b"]) == {"n": 8, "title": "a=b"}


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
        parse_assignments(PARAMETERS.values(), assignments)


def test_no_parameters_at_all() -> None:
    with pytest.raises(ModelError, match="no parameter 'n'; there are none"):
        parse_assignments((), ["n=8"])


def test_complete_adds_defaults_and_asks_for_what_is_missing() -> None:
    assert complete(PARAMETERS.values(), {"n": 8})["how"] == "row"
    with pytest.raises(ModelError, match="n: missing; an integer from 0 to 100 is needed"):
        complete(PARAMETERS.values(), {})
    with pytest.raises(ModelError, match="no parameter 'm'"):
        complete(PARAMETERS.values(), {"n": 8, "m": 1})


def test_signatures_that_cannot_be_parameters() -> None:
    def positional(*args: int) -> None: ...

    def only(n: int, /) -> None: ...

    def unresolved(n: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821

    for function in (positional, only):
        with pytest.raises(ModelError, match="must be named"):
            read_parameters(function)
    with pytest.raises(ModelError, match="the signature cannot be read"):
        read_parameters(unresolved)


def test_validated_functions_check_direct_calls() -> None:
    @validated
    def half(n: Annotated[int, Between(0, 100)] = 8, *, up: bool = False) -> int:
        return (n + up) // 2

    assert (half(), half(5), half(5, up=True), half(n=4)) == (4, 2, 3, 2)
    for wrong in ((-1,), ("8",), (8.0,), (True,), (1, 2)):
        with pytest.raises(ModelError, match=r"^half: "):
            half(*wrong)
    with pytest.raises(ModelError, match=r"^half: "):
        half(m=3)  # type: ignore[call-arg]
