"""JSON from outside is read strictly, in linear time."""

from __future__ import annotations

import pytest

from cpqueens.errors import ModelError
from cpqueens.text.bounded import MAX_DEPTH, NotJsonError, parse_json


def test_json_is_read() -> None:
    assert parse_json('{"q": [1, {"a": null}], "x": 1.5}') == {"q": [1, {"a": None}], "x": 1.5}
    assert parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)


@pytest.mark.parametrize("text", ["", "x", "[1", "[1] x", "{'a': 1}", "[01]", "\x00"])
def test_what_is_no_json(text: str) -> None:
    with pytest.raises(NotJsonError, match="line 1, column"):
        parse_json(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "levels deep"),
        ("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2), "levels deep"),
        ('{"a":' * 500 + "1" + "}" * 500, "levels deep"),
        ("[NaN]", "NaN is not allowed"),
        ("[-Infinity]", "-Infinity is not allowed"),
        ("[" + "1" * 5000 + "]", "thousands of digits"),
        ('[{"a": {"b": 1, "c": 2, "b": 3}}]', r"\[0\]\.a: the key 'b' is there twice"),
        ('{"\\u001b": 1, "\\u001b": 2}', r"top level: the key '\\x1b' is there twice"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        parse_json(text)
    assert str(caught.value).isprintable()


def test_duplicate_keys_among_very_many() -> None:
    """Looked for by comparing all with all, this would take hours."""
    keys = ",".join(f'"k{k}":1' for k in range(300_000))
    with pytest.raises(ModelError, match="the key 'k299999' is there twice"):
        parse_json(f'{{{keys},"k299999":2}}')
