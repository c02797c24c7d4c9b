"""What is read at one stroke: the same models as word by word, one truth at a time.

Integers without bounds: what constraints say of them, what is assumed else, nothing is claimed then.
"""

from __future__ import annotations

import itertools
import random
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from cpqueens import CpqueensError, Status, StopReason, from_flatzinc
from cpqueens.cli.main import main
from cpqueens.exchange import flatzinc
from cpqueens.exchange.flatzinc_rows import ASSUMED, ROWS, truths
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


BOUNDED = """
var int: x; var int: y; var int: p; var int: e; var int: m; var int: a; var -3..4: z; var 1..2: k;
constraint int_lin_le([1, -2], [x, z], 3); constraint int_lt(z, x); constraint int_lin_eq([2, 3], [y, z], 1);
constraint int_times(x, z, p); constraint array_int_element(k, [7, 5], e); constraint int_max(x, z, m);
constraint int_abs(z, a); solve maximize x;
"""


def test_constraints_bound_what_is_declared_without_bounds() -> None:
    model = from_flatzinc(BOUNDED).model
    ends = {b.name: (int(model.lower[b.first]), int(model.upper[b.first])) for b in model.blocks}
    assert ends == {
        "x": (0, 9), "y": (-4, 2), "p": (-9, 27), "e": (5, 7), "m": (0, 9), "a": (0, 3), "z": (-3, 4),
        "k": (1, 2),
    }  # fmt: skip
    outcome = model.solve("backtracking")
    assert (outcome.status, outcome.objective) == (Status.OPTIMAL, 9)


def test_no_solution_is_lost_to_bounds() -> None:
    """Drawn rows over three variables: with bounds as with a wide domain."""
    source = random.Random(0)
    for _ in range(12):
        rows = []
        for _ in range(4):
            weights = [source.randint(-3, 3) for _ in range(3)]
            name = source.choice(["int_lin_le", "int_lin_eq", "int_lin_le"])
            rows.append((name, weights, source.randint(-5, 5)))
        stated = "".join(f"constraint {n}({w}, [x, y, z], {c});" for n, w, c in rows)
        wide = " var -4..4: y; var -4..4: z; " + stated + "solve satisfy;"
        values = np.array(list(itertools.product(range(-60, 61), range(-4, 5), range(-4, 5))))
        sides = [(values @ w <= c) if n == "int_lin_le" else (values @ w == c) for n, w, c in rows]
        expected = int(np.logical_and.reduce(sides).sum())
        model = from_flatzinc("var int: x;" + wide).model
        if not model.assumed:
            assert model.count("backtracking") == expected


def test_nothing_that_rests_on_an_assumed_range_is_claimed(tmp_path) -> None:  # type: ignore[no-untyped-def]
    text = "var int: x; var 1..5: y; constraint int_le(y, x); solve {};"
    outcome = from_flatzinc(text.format("maximize x")).model.solve("backtracking")
    assert (outcome.status, outcome.objective, outcome.bound) == (Status.FEASIBLE, ASSUMED, None)
    assert outcome.stop_reason is StopReason.GAVE_UP
    assert f"x in 1..{ASSUMED} was assumed" in outcome.messages[-1]
    none = "var int: x; var 0..1: y; constraint int_lin_eq([2, -4], [x, y], 1); solve satisfy;"
    free = "var int: w; constraint int_ne(w, 3);"
    assert from_flatzinc(none).model.solve("backtracking").status is Status.INFEASIBLE
    declared, _, rest = none.partition(" constraint")
    path = tmp_path / "none.fzn"
    path.write_text(f"{declared} {free.replace('constraint', 'constraint', 1)} constraint{rest}")
    done = CliRunner().invoke(main, ["minizinc", "solve", "--solver", "backtracking", str(path)])
    assert done.stdout == "=====UNKNOWN=====\n"
    assert f"w in -{ASSUMED}..{ASSUMED} was assumed" in done.stderr


def test_a_circle_of_definitions_without_bounds_has_an_assumed_range() -> None:
    """An element of an array that has it as an entry: libminizinc's `decision_tree_binary`."""
    found = from_flatzinc(
        "var 1..4: i; var 1..4: j; var int: x :: is_defined_var; var int: y;"
        "array [1..4] of var int: a :: output_array([1..4]) = [x, y, 5, 7];"
        "constraint array_var_int_element(i, a, x) :: defines_var(x);"
        "constraint array_var_int_element(j, a, y);"
        "constraint int_lin_eq([1, -1], [x, y], 2); solve satisfy;"
    )
    outcome = found.model.solve("backtracking")
    values = found.values(outcome)
    whole = [values["x"], values["y"], 5, 7]
    assert values["x"] == values["y"] + 2
    assert (whole[values["i"] - 1], whole[values["j"] - 1]) == (values["x"], values["y"])
    assert found.model.assumed is not None
    assert f"x in -{ASSUMED}..{ASSUMED}" in found.model.assumed
