"""The package does not grow unnoticed, and is measured right."""

from __future__ import annotations

import pytest
import shape
from shape import CEILINGS, GOALS, measured, text_of, way_of


def test_no_ceiling_is_passed() -> None:
    found = measured()
    assert {name: found[name] for name, most in CEILINGS.items() if found[name] > most} == {}
    assert CEILINGS.keys() == GOALS.keys() == found.keys()
    assert all(found.values())


@pytest.mark.parametrize(
    ("source", "lines", "imports"),
    [
        ("", 0, 0),
        ("# only a comment\n", 0, 0),
        ('"""What it is.\n\nMore.\n"""\nx = 1\n', 1, 0),
        ('x = """two\nlines"""\n', 2, 0),
        ("from a import (\n    b,\n    c,\n)\n", 4, 4),
        ('def f():\n    """Say it."""\n    return 1  # why\n', 2, 0),
    ],
)
def test_only_code_is_counted(source: str, lines: int, imports: int) -> None:
    found = text_of(source)
    assert (found.lines, found.imports) == (lines, imports)


def test_a_way_has_what_the_call_enters() -> None:
    from cpqueens.text.plaintext import did_you_mean

    way = way_of(lambda: did_you_mean("queen", ["queens"]))
    assert str(shape.ROOT / "text/plaintext.py") in way.files
    assert len(way.functions) >= len(way.files)
    assert way_of(lambda: sum(range(3))).files == frozenset()
