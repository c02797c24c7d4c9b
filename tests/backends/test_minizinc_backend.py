"""Models written as MiniZinc and as FlatZinc, and MiniZinc's solvers as backends."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cpqueens.models.queens import queens

import cpqueens.backends.minizinc.backend as programs
from cpqueens import (
    AllDifferent,
    Circuit,
    Count,
    Cumulative,
    GlobalCardinality,
    Increasing,
    Inverse,
    MissingLibrary,
    Model,
    NoOverlap2D,
    NValue,
    Or,
    Regular,
    Table,
    UnknownBackend,
    UnsupportedConstraint,
    Xor,
    cross_check,
    div_trunc,
    element,
    from_flatzinc,
    maximum,
    minimum,
    mod_trunc,
)
from cpqueens.backends import named
from cpqueens.backends.minizinc.flat import flatzinc_text
from cpqueens.backends.minizinc.writing import minizinc_text
from cpqueens.fuzzing.generate import random_model

needs_gecode = pytest.mark.skipif(
    shutil.which("minizinc") is None or "gecode" not in programs.solvers(),
    reason="MiniZinc with Gecode is not installed",
)


def partial_functions() -> Model:
    """Return a model of everything that may be undefined, with names that are none in MiniZinc."""
    m = Model("all at once; on one line")
    x = m.intvar(-2, 2, shape=2, name="x")
    y = m.intvar(domain=[-2, 0, 1], name="var")
    b = m.boolvar(name="my b")
    m.add((x[0] // y == x[1]) | (b == 1), (x[0] % y != 1).implies(b == 1), element([4, 5, 6], x[0] + 1) != 5)
    m.add((div_trunc(x[1], y) == 0) | (mod_trunc(x[1], y) == -1) | Xor([b, x[0] > x[1], x[1] > 0]))
    m.maximize(abs(x[0]) * x[1] - maximum(x) + minimum(x[0], y))
    return m


def globals_whole() -> Model:
    m = Model("globals")
    x = m.intvar(0, 3, shape=4, name="x")
    y = m.intvar(0, [2, 3, 2, 1], shape=4, name="y")
    m.add(Circuit(x), Inverse(x, [x[2], x[3], x[1], x[0]]) | Count(y, 1, ">=", 1), NValue(y, 3))
    m.add(GlobalCardinality(y, [0, 1], [1, 2]), Cumulative(y, 1, [1, 2, 1, 1], 2))
    m.add(Regular(y[:2], [(0, 1, 1), (1, 0, 0), (0, 0, 0), (1, 1, 1)], 0, [0, 1]) | Increasing(y))
    m.add(Table([y[0], y[1]], [[0, 1], [1, 1], [1, 0]]), NoOverlap2D(x[:2], 1, y[:2], [1, 2]))
    m.add(~AllDifferent(x[0], y[0], y[1]))
    return m


MODELS = {"partial functions": partial_functions, "globals": globals_whole, "queens": lambda: queens(5)}


@needs_gecode
@pytest.mark.parametrize("name", MODELS)
def test_gecode_agrees(name: str) -> None:
    m = MODELS[name]()
    want = m.enumerate(solver="python-constraint").solutions.matrix
    got = m.enumerate(solver="minizinc:gecode")
    assert got.complete
    assert sorted(map(tuple, got.solutions.matrix)) == sorted(map(tuple, want))
    assert len(want) > 0
    if m.objective is not None:
        best = m.solve("minizinc")
        assert (best.status, best.objective) == ("OPTIMAL", m.solve("python-constraint").objective)


@needs_gecode
def test_proofs_limits_and_refusals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert queens(3).solve("minizinc").status == "INFEASIBLE"
    assert queens(4).count("minizinc:gecode", library="solver") == 2
    assert len(queens(6).enumerate(solver="minizinc", solution_limit=3).solutions) == 3
    stopped = queens(14).enumerate(solver="minizinc", time_limit=0.8)
    assert (stopped.complete, stopped.stop_reason) == (False, "time_limit")
    assert not list(tmp_path.iterdir()), "a program that was killed leaves nothing"
    with pytest.raises(UnknownBackend, match="no strategy 'cpqueens'"):
        queens(4).solve("minizinc:cpqueens")
    m = Model()
    x = m.intvar(0, 2**50, name="x")
    m.add(3 * x == 9)
    with pytest.raises(UnsupportedConstraint, match="integer literal"):
        m.solve("minizinc:gecode")


@needs_gecode
def test_evidence_names_what_is_shared() -> None:
    report = cross_check(queens(5), solvers=["minizinc:gecode", "backtracking"])
    assert report.exit_code == 0
    assert report.verdict.evidence == 2
    twice = cross_check(queens(5), solvers=["minizinc", "minizinc:gecode"])
    assert twice.verdict.evidence == 3
    assert "the export to MiniZinc" in twice.verdict.reason


def test_a_folder_is_removed_though_something_is_written_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed program that is slow to die writes a file behind the back of who removes its folder."""
    removed, removals = shutil.rmtree, []

    def late(path: str, **options: Any) -> None:
        removed(path, **options)
        removals.append(path)
        if len(removals) < 3:
            Path(path).mkdir()
            Path(path, "late").write_text("x")

    monkeypatch.setattr(shutil, "rmtree", late)
    with programs.folder() as folder:
        Path(folder, "early").write_text("x")
    assert not Path(folder).exists()
    assert len(removals) == 3


def test_families(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = {
        "gecode": {"id": "org.gecode.gecode", "name": "Gecode"},
        "cp-sat": {"id": "cp-sat", "name": "OR Tools CP-SAT"},
    }
    monkeypatch.setattr(programs, "solvers", lambda: listed)
    assert [programs.family("gecode"), programs.family("cp-sat")] == ["gecode", "cpsat"]


def test_without_minizinc_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    named.get_backend.cache_clear()
    try:
        with pytest.raises(MissingLibrary, match="'minizinc' needs minizinc, which is not installed"):
            queens(4).solve("minizinc")
    finally:
        named.get_backend.cache_clear()


def test_it_is_used_only_where_it_is_named() -> None:
    assert "minizinc" not in named.available()
    assert "minizinc" in named.registered()


# ---- FlatZinc of our own ---------------------------------------------------------------------------


def again(m: Model) -> list[tuple[int, ...]]:
    """Return all solutions of a model that was written as FlatZinc and read again."""
    found = from_flatzinc(flatzinc_text(m))
    places = {o.name: o.items for o in found.outputs}
    names = [b.name if b.name in places else f"X_{b.first}" for b in m.blocks if b.size]
    items = [item for name in names for item in places[name]]
    listed = found.model.enumerate(solver="backtracking").solutions
    return sorted({tuple(int(s[item]) for item in items) for s in listed})


@pytest.mark.parametrize("name", MODELS)
def test_flatzinc_means_the_same(name: str) -> None:
    m = MODELS[name]()
    assert again(m) == sorted(map(tuple, m.enumerate(solver="python-constraint").solutions.matrix.tolist()))
    if m.objective is not None:
        assert from_flatzinc(flatzinc_text(m)).model.solve("cpsat").objective == m.solve("cpsat").objective


def test_random_models_mean_the_same_in_flatzinc() -> None:
    solved = 0
    for seed in range(200, 260):
        m = random_model(seed)
        if np.abs([m.lower, m.upper]).max(initial=0) > 2**30:  # sums of such leave the range
            continue
        found = m.enumerate(solver="python-constraint").solutions.matrix
        assert again(m) == sorted(map(tuple, found.tolist())), seed
        solved += 1
    assert solved > 15


def test_a_truth_that_must_hold_is_stated_as_what_it_says() -> None:
    m = Model()
    x, y, z = (m.intvar(0, 5, name=name) for name in "xyz")
    m.add(Or(x < y), Or((y < z) & (x + z != 4)))
    text = flatzinc_text(m)
    assert "constraint int_lin_ne([1, 1], [x, z], 4);" in text
    assert "_reif" not in text
    assert "bool" not in text


def test_text() -> None:
    m = Model("three")
    x = m.intvar(1, 3, shape=3, name="x")
    m.add(AllDifferent(x), (x[0] < 2) | (x[1] == 3))
    m.minimize(x[2])
    text = minizinc_text(m)
    assert 'include "alldifferent.mzn";' in text
    assert "array[0..2] of var 1..3: x;" in text
    assert "constraint alldifferent([x[0], x[1], x[2]]);" in text
    assert "solve minimize x[2];" in text
    assert "array [1..3] of var int: x :: output_array([1..3])" in flatzinc_text(m)
