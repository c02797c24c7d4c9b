"""Models in MiniZinc: what is said of them names their own lines."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from cpqueens import Model, from_flatzinc
from cpqueens.exchange.minizinc import LIBRARY, configuration, load_minizinc

MODEL = """% a comment
var 0..9: eve;
var 0..9: bob;

constraint eve + bob >= 8;

constraint
  forall(v in 1..2) (eve != v);
solve satisfy;
"""
FLAT = """var 0..9: eve:: output_var:: mzn_path("{0}|2|11|2|13|id|eve;{0}|2|1|2|13|vd;");
var 0..9: bob:: output_var;
constraint int_lin_le([-1,-1],[eve,bob],-8):: mzn_path("{0}|5|12|5|25|bin|'>=';{0}|5|12|5|25|ca|int_lin_le;");
constraint int_ne(eve,1):: mzn_path("{0}|7|1|8|30|ca|forall;{0}|8|22|8|29|bin|'!=';");
constraint int_ne(eve,2):: defines_var(x):: mzn_path("/library/std.mzn|77|1|8|30|ca|forall;");
constraint int_ne(bob,2);
solve  satisfy;
"""


def sources(model: Model) -> list[tuple[str, int] | None]:
    return [posted.source for posted in model.constraints]


def test_constraints_come_from_the_lines_of_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "model.mzn"
    model.write_text(MODEL, encoding="utf-8")
    stub = tmp_path / "minizinc"
    flat = FLAT.format(model)
    (tmp_path / "flat").write_text(flat, encoding="utf-8")
    stub.write_text(
        f'#!/bin/sh\nwhile [ "$1" != --fzn ]; do shift; done\ncp {tmp_path / "flat"} "$2"\n', encoding="utf-8"
    )
    stub.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    found = load_minizinc(model).model
    assert sources(found) == [(str(model), 5), (str(model), 7), ("/library/std.mzn", 77), None]
    assert found.count(solver="backtracking") == from_flatzinc(
        "var 0..9: a; var 0..9: b; constraint int_lin_le([-1,-1],[a,b],-8); constraint int_ne(a,1);"
        "constraint int_ne(a,2); constraint int_ne(b,2); solve satisfy;"
    ).model.count(solver="backtracking")


@pytest.mark.skipif(shutil.which("minizinc") is None, reason="MiniZinc is not installed")
def test_the_program_itself_names_these_lines(tmp_path: Path) -> None:
    model = tmp_path / "model.mzn"
    model.write_text(MODEL, encoding="utf-8")
    assert (str(model), 5) in sources(load_minizinc(model).model)


@pytest.mark.skipif(shutil.which("minizinc") is None, reason="MiniZinc is not installed")
def test_what_another_version_installed_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that was installed from a place that is gone is left alone."""
    installed = tmp_path / ".minizinc" / "solvers"
    installed.mkdir(parents=True)
    for name in ("cpqueens", "cpqueens-cpsat", "cpqueens-ls"):
        text = configuration(name).replace(str(LIBRARY), str(tmp_path / "gone"))
        (installed / f"{name}.msc").write_text(text, encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    model = tmp_path / "model.mzn"
    model.write_text(MODEL, encoding="utf-8")
    assert (str(model), 5) in sources(load_minizinc(model).model)


def test_the_lines_of_flatzinc_are_those_of_its_text() -> None:
    given = "var 0..9: a;\nvar 0..9: b;\nconstraint int_lt(a,b);\nsolve satisfy;\n"
    assert sources(from_flatzinc(given, "small.fzn").model) == [("small.fzn", 3)]
    places = {3: ("model.mzn", 12)}
    assert sources(from_flatzinc(given, "small.fzn", places=places).model) == [("model.mzn", 12)]
