"""What is read at one stroke: the same models as word by word, one truth at a time."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import pytest

from cpqueens import CpqueensError, from_flatzinc
from cpqueens.exchange import flatzinc
from cpqueens.exchange.flatzinc_rows import ROWS, truths
from cpqueens.exchange.flatzinc_symbols import Symbols
from cpqueens.exchange.flatzinc_text import Variables
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.term import Term

CHAINS = 1500

FOLDER = Path(__file__).with_name("minizinc")
TEXTS = {path.stem: path.read_text() for path in sorted(FOLDER.glob("*.fzn"))}


def generated(source: random.Random, size: int) -> str:
    """Return a text with every kind of row, over truths that are defined behind where they are used."""
    lines = [f"var {source.choice(['0..9', '-3..4', '{1,4,7}'])}: x{k};" for k in range(size)]
    lines += [f"var bool: b{k} :: var_is_introduced :: is_defined_var;" for k in range(size)]
    lines += ["var bool: c; var 0..0: zero;", "array [1..2] of int: w = [1,-2];"]
    for k in range(size):
        relation = source.choice(["eq", "ne", "le", "lt", "ge", "gt"])
        x, y = (f"x{source.randrange(size)}" for _ in range(2))
        b, d = (source.choice([f"b{source.randrange(size)}", "c"]) for _ in range(2))
        truth = source.choice(
            [
                f"int_lin_{relation}_reif([2,{source.choice([-1, 0])}],[{x},{y}],3,b{k})",
                f"int_lin_{relation}_reif(w,[{x},{y}],{source.randrange(-9, 99)},b{k})",
                f"int_{relation}_reif({x},{source.choice([y, '3', 'zero'])},b{k})",
                f"array_bool_or([{b}, {d}],b{k})",
                f"array_bool_and([{b}],b{k})",
                f"bool_clause_reif([{b}],[{d}],b{k})",
            ]
        )
        lines.append(f"constraint {truth} :: defines_var(b{k});")
        lines.append(f"constraint bool_clause([b{k}],[{b},{d}]);")
        lines.append(f"constraint int_lin_{relation}([1,2],[{x},{y}],{k});")
        lines.append(f"constraint int_{relation}({x},{y}):: domain;")
    return "\n".join([*lines, "solve satisfy;"])


def read(text: str) -> str:
    """Return all that a text says, or what is wrong with it."""
    try:
        found = from_flatzinc(text)
    except CpqueensError as error:
        return str(error)
    names = {name: found.model.text_of(term) for name, term in found.names.items()}
    return f"{found.model}\n{names}\n{[posted.where for posted in found.model.constraints]}"


def nothing(*_: object) -> None:
    """Read nothing at one stroke."""


def test_one_stroke_is_as_word_by_word(monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(7)
    texts = [*TEXTS.values(), *(generated(source, 12) for _ in range(5))]
    assert all(any(f"{name}(" in text for text in texts) for name in ROWS)
    broken = []
    for _ in range(60):
        text = source.choice(texts)
        at = source.randrange(len(text))
        broken.append(
            text[:at] + source.choice(["", ",", "]", " ", "1", "x", ";", "-", "[", '"']) + text[at + 1 :]
        )
    quick = list(map(read, texts + broken))
    monkeypatch.setattr(flatzinc, "row_of", nothing)
    monkeypatch.setattr(Variables, "declared", nothing)
    assert list(map(read, texts + broken)) == quick


def test_a_variable_of_weight_0_does_not_stand_in_a_row() -> None:
    """Else whoever asks what a row is over would hear of it: parts, neighbourhoods, shapes of rows."""
    text = "var 0..5: x; var 0..5: y; constraint int_lin_le([0,1],[x,y],3); solve satisfy;"
    (row,) = from_flatzinc(text).model.posted(0).constraint.arguments
    assert (row.variables.tolist(), row.coefficients.tolist()) == ([[1]], [[1]])


def test_truths_that_are_defined_together_mean_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(8)
    texts = [TEXTS[n] for n in ("connectives", "count_truths", "if_then_else", "sets")]
    texts += [generated(source, 4) for _ in range(12)]

    def counted(text: str) -> int:
        return from_flatzinc(text).model.count("python-constraint")

    one_by_one = list(map(counted, texts))
    together: list[int] = []

    def noted(symbols: Symbols, made: Sequence[Constraint]) -> list[Term]:
        together.append(len(made))
        return truths(symbols, made)

    monkeypatch.setattr(flatzinc, "_MANY", 1)
    monkeypatch.setattr(flatzinc, "truths", noted)
    assert list(map(counted, texts)) == one_by_one
    assert sum(together) > 20
    assert any(one_by_one)


def test_lines_are_told_in_long_texts() -> None:
    text = "var 0..3: x;\n" + "% a comment\n" * 900 + "constraint int_le(x, 2);\nsolve satisfy;\n"
    assert from_flatzinc(text).model.posted(0).where == "FlatZinc:902"


def test_reading_takes_at_most_five_times_the_memory_of_the_text() -> None:
    """It took 7.5 times when each array had names of its own."""
    names = [f"X_INTRODUCED_{k}_" for k in range(CHAINS)]
    lines = [f"var 0..9: {name}:: var_is_introduced:: is_defined_var;" for name in names]
    chains = [",".join(names[k : k + 8]) for k in range(CHAINS - 8)]
    lines += [f"array [1..8] of var int: A_{k}:: var_is_introduced = [{c}];" for k, c in enumerate(chains)]
    lines += [f"constraint int_lin_le([1,1,1,1,1,1,1,1],A_{k},60);" for k in range(len(chains))]
    given = "\n".join([*lines, "solve satisfy;\n"])
    from_flatzinc(given)
    tracemalloc.start(1)
    found = from_flatzinc(given)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.model.constraint_count == len(chains)
    assert peak < 5 * len(given)
