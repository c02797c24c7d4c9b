"""What comes from outside is shown in one bounded, harmless line, and read without surprises."""

from __future__ import annotations

import numpy as np
import pytest

from cpqueens.errors import ModelError
from cpqueens.report.board import BoardPicture
from cpqueens.report.board_text import COLOUR, board_text
from cpqueens.text.plaintext import checked_name, first_repeated, integer_of, one_line, printable, shown

HARMFUL = [
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\x9b31m",
    "\x08",
    "\r",
    "\x7f",
    "\x00",
    "\u202e",
    "\u2066",
    "\u2028",
    "\ud800",
    "\x1b[31m",
    "\x1b[38;5;1m",
    "\x1b[0K",
]


@pytest.mark.parametrize("harm", HARMFUL)
@pytest.mark.parametrize("colours", [False, True])
def test_what_a_terminal_could_obey_is_escaped(harm: str, colours: bool) -> None:
    text = printable(f"a{harm}b", colours=colours)
    assert text.startswith("a\\")
    assert text.endswith("b")
    assert text.isprintable()
    text.encode("utf-8")


def test_what_is_readable_stays() -> None:
    text = "q[0] = é ♛ ç 日本 👑\n\tx"
    assert printable(text) == text
    assert printable(text, lines=False) == text.replace("\n", "\\n").replace("\t", "\\t")


def test_the_colours_of_boards_stay_and_no_others() -> None:
    picture = BoardPicture(2, 2, {(0, 0): 0}, frozenset(), frozenset(), frozenset())
    drawn = board_text(picture, COLOUR)
    assert "\x1b[" in drawn
    assert printable(drawn, colours=True) == drawn
    assert "\x1b" not in printable(drawn)
    assert "\x1b[2J" not in printable(drawn + "\x1b[2J", colours=True)


class Evil:
    def __repr__(self) -> str:
        raise RuntimeError("no")


def _deep(levels: int) -> list:
    value: list = []
    for _ in range(levels):
        value = [value]
    return value


def _cyclic() -> list:
    value: list = [1]
    value.append(value)
    return value


VALUES = {
    "deep": _deep(100_000),
    "cyclic": _cyclic(),
    "long": list(range(10**6)),
    "wide": np.arange(10**6),
    "text": "x" * 10**6,
    "digits": 10**5000,
    "evil": Evil(),
    "escape": {"\x1b[2J": "\x1b[2J\n"},
    "half": "\ud800",
}


@pytest.mark.parametrize("name", VALUES)
def test_any_value_is_shown_in_one_line(name: str) -> None:
    text = shown(VALUES[name])
    assert 0 < len(text) <= 50
    assert text.isprintable()


def test_small_values_are_shown_as_repr_does() -> None:
    for value in (1, -2.5, "a'b", None, True, [1, 2], (1,), {"a": 1}, b"x", {3}):
        assert shown(value) == repr(value)


def test_a_message_is_one_line() -> None:
    assert one_line("a\n  b\r\x1b[31m c" + "x" * 10_000, 20) == r"a b \x1b[31m cxxxxxxxxxx"[:20]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("-0", 0),
        ("+12", 12),
        ("0" * 9000 + "5", 5),
        (str(2**63 - 1), 2**63 - 1),
        (str(-(2**63)), -(2**63)),
    ],
)
def test_integers(text: str, value: int) -> None:
    assert integer_of(text) == value


@pytest.mark.parametrize(
    "text", ["", "+", "+-5", "--5", "1.0", "0x1", "1_0", "\u0661", "\u00b2", " 1", "nan", "1e3"]
)
def test_what_is_no_integer(text: str) -> None:
    assert integer_of(text) is None


@pytest.mark.parametrize("text", [str(2**63), str(-(2**63) - 1), "9" * 5000, "9" * 10**6])
def test_integers_beyond_64_bits(text: str) -> None:
    with pytest.raises(ModelError, match="does not fit 64 bits"):
        integer_of(text)


def test_the_first_repeated() -> None:
    assert first_repeated("abcb") == "b"
    assert first_repeated(range(10**6)) is None


@pytest.mark.parametrize("name", ["", "x" * 201, 3, None, b"x", *HARMFUL])
def test_names_that_are_refused(name: object) -> None:
    with pytest.raises(ModelError) as caught:
        checked_name(name, "name", 200)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", ["x", 'a "b"\\ [0] é', "日本", "👑", " ", "x" * 200])
def test_names_that_are_taken(name: str) -> None:
    assert checked_name(name, "name", 200) == name
