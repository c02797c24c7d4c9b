"""Integers without bounds: what constraints say of them, what is assumed else, nothing is claimed then."""

from __future__ import annotations

import itertools
import random

import numpy as np
from click.testing import CliRunner

from cpqueens import Status, StopReason, from_flatzinc
from cpqueens.cli.main import main
from cpqueens.exchange.flatzinc_rows import ASSUMED

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
