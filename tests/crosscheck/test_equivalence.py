"""Comparing two models: verdicts against sets by brute force, witnesses that hold, no claim unproved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from cpqueens.models.queens import queens

from cpqueens import (
    AllDifferent,
    Count,
    Cumulative,
    GlobalCardinality,
    Increasing,
    Model,
    NoOverlap,
    Table,
    element,
    maximum,
)
from cpqueens.cli.main import main
from cpqueens.crosscheck import oracle
from cpqueens.crosscheck.equivalence import assert_equivalent, compare
from cpqueens.crosscheck.given import small_enough
from cpqueens.crosscheck.roles import SOLVERS, redundant_constraints
from cpqueens.crosscheck.two_models import ModelRelation
from cpqueens.errors import CpqueensError
from cpqueens.files.modelfile import save_model
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.rebuild import own_constraints, rebuilt


def sets(a: Model, b: Model, names: list[str]) -> tuple[set[Any], set[Any]]:
    """The solutions of both over shared arrays, listed by a solver that takes no part in `compare`."""

    def rows(model: Model) -> set[Any]:
        found = model.enumerate(solver="python-constraint")
        assert found.complete
        return {tuple(int(v) for name in names for v in np.ravel(s[name])) for s in found.solutions}

    return rows(a), rows(b)


def expected(left: set[Any], right: set[Any]) -> ModelRelation:
    if left == right:
        return ModelRelation.EQUAL
    if left < right:
        return ModelRelation.A_IN_B
    if right < left:
        return ModelRelation.B_IN_A
    return ModelRelation.OVERLAP if left & right else ModelRelation.DISJOINT


def base(*statements: Callable[[Any], Any], low: int = 0, high: int = 4, domain: Any = None) -> Model:
    m = Model("base")
    x = (
        m.intvar(low, high, shape=4, name="x")
        if domain is None
        else m.intvar(domain=domain, shape=4, name="x")
    )
    for statement in statements:
        m.add(statement(x))
    return m


different = AllDifferent
PAIRS: dict[str, tuple[Model, Model]] = {
    "a rewritten equivalent": (
        base(different),
        base(lambda x: [x[i] != x[j] for i in range(4) for j in range(i)]),
    ),
    "a dropped constraint": (base(different, lambda x: x[0] < x[1]), base(different)),
    "less for less or equal": (base(lambda x: x[0] < x[1]), base(lambda x: x[0] <= x[1])),
    "an index off by one": (base(different, lambda x: x[0] < x[1]), base(different, lambda x: x[0] < x[2])),
    "an implied one added": (
        base(lambda x: Increasing(x, strict=True)),
        base(lambda x: Increasing(x, strict=True), lambda x: x[0] < x[3]),
    ),
    "disjoint": (base(lambda x: x.sum() == 3), base(lambda x: x.sum() == 4)),
    "both infeasible": (base(lambda x: x.sum() < 0), base(different, high=2)),
    "a smaller domain": (base(different, high=3), base(different)),
    "a hole": (base(domain=[0, 2, 3]), base(high=3)),
    "holes on both sides": (base(domain=[0, 1, 3]), base(domain=[0, 2, 3])),
    "counts": (base(lambda x: Count(x, 1) == 2), base(lambda x: (x == 1).sum() == 2)),
    "cardinalities": (
        base(lambda x: GlobalCardinality(x, [0, 1], [2, 2])),
        base(lambda x: [Count(x, 0) == 2, Count(x, 1) == 2]),
    ),
    "a table and its rows": (
        base(lambda x: Table(x[:2], [(0, 1), (2, 3)])),
        base(lambda x: ((x[0] == 0) & (x[1] == 1)) | ((x[0] == 2) & (x[1] == 3))),
    ),
    "partial functions": (base(lambda x: x[0] // x[1] == 2), base(lambda x: x[0] == 2 * x[1])),
    "an index out of range": (base(lambda x: element([1, 2, 0], x[0]) == x[1]), base(lambda x: x[0] <= 3)),
    "shop": (
        base(lambda x: NoOverlap(x, [1, 1, 2, 1])),
        base(lambda x: Cumulative(x, [1, 1, 2, 1], [2, 2, 2, 2], 3)),
    ),
    "maximum": (base(lambda x: maximum(x) <= 2), base(lambda x: x <= 2)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_verdicts_are_those_of_the_sets(name: str) -> None:
    a, b = PAIRS[name]
    left, right = sets(a, b, ["x"])
    found = compare(a, b, time_limit=600)
    assert found.verdict is expected(left, right)
    assert found.exit_code == (0 if left == right else 1)
    for difference in found.differences:
        row = tuple(difference.values.values())
        accepting, refusing = (left, right) if difference.accepted == "a" else (right, left)
        assert row in accepting
        assert row not in refusing
        assert difference.reasons
        assert difference.accepted != difference.refused
    assert (found.common is None) == (found.verdict is not ModelRelation.OVERLAP)
    if found.common is not None:
        assert tuple(found.common.values()) in left & right
        assert "both accept: x[0] = " in str(found)
    swapped = compare(b, a, time_limit=600)
    assert swapped.verdict is expected(right, left)


def private(statement: Callable[[Any, Any], Any]) -> Model:
    """Shared x, and y of its own."""
    m = Model("private")
    x, y = m.intvar(0, 4, name="x"), m.intvar(0, 8, name="y")
    m.add(statement(x, y))
    return m


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (lambda x, y: y == x, lambda x, y: y == 2 * x),  # any x: different nowhere
        (lambda x, y: y == x, lambda x, y: y * y == x),
        (lambda x, y: [y == x, x <= 2], lambda x, y: y == 4 * x),
        (lambda x, y: y == x + 5, lambda x, y: y == x + 4),
        (lambda x, y: y < x, lambda x, y: x >= 3),
    ],
)
def test_variables_of_their_own_are_projected_away(left: Any, right: Any) -> None:
    a, b = private(left), private(right)
    names = {"x": "x"}
    ours, theirs = sets(a, b, ["x"])
    found = compare(a, b, mapping=names, time_limit=600)
    assert found.verdict is expected(ours, theirs)
    assert found.shared == ("x",)
    for difference in found.differences:
        assert (difference.values["x"],) in (ours if difference.accepted == "a" else theirs)
        assert "proved by" in difference.reasons[0] or difference.reasons


def test_what_is_not_decided_is_not_claimed() -> None:
    a, b = queens(40), queens(40)
    b.add(b["q"][0] + b["q"][1] + b["q"][2] != 1000)  # implied, and nobody counts all boards
    hard = compare(a, b, time_limit=0.001)
    assert hard.verdict in (ModelRelation.NO_DIFFERENCE_FOUND, ModelRelation.EQUAL)
    if hard.verdict is ModelRelation.NO_DIFFERENCE_FOUND:
        assert hard.exit_code == 3
        assert "proves nothing" in str(hard)


def test_reasons_are_names_and_lines() -> None:
    a, b = base(), base()
    b.add(b["x"][0] < b["x"][1], name="ordered")
    found = compare(a, b)
    assert found.verdict is ModelRelation.B_IN_A
    (difference,) = found.differences
    assert "ordered" in difference.reasons[0]
    assert "test_equivalence.py" in difference.reasons[0]
    assert "b accepts and" not in str(found)
    assert "a accepts and b does not: x[0] = " in str(found)


@pytest.mark.parametrize("value", range(4))
@pytest.mark.parametrize("many", [2, 3])
def test_any_value_may_be_the_one_taken_twice(value: int, many: int) -> None:
    a, b = Model("a"), Model("b")
    x, y = a.intvar(0, 3, shape=3, name="x"), b.intvar(0, 3, shape=3, name="x")
    a.add(x[:many] == value, x[2] <= 3)
    if many == 2:
        a.add(x[2] != value)
    b.add(AllDifferent(y))
    found = compare(a, b, solvers=["backtracking"], time_limit=600)
    assert found.verdict is ModelRelation.DISJOINT
    assert found.differences[0].accepted == "a"
    b.add(AllDifferent(y[1], y[2]), y[0] >= 0)
    assert compare(b, a, solvers=["backtracking"], time_limit=600).verdict is ModelRelation.DISJOINT


def test_two_terms_that_must_differ() -> None:
    a, b = Model("a"), Model("b")
    x, y = a.intvar(0, [3, 5], shape=2, name="x"), b.intvar(0, [3, 5], shape=2, name="x")
    b.add(AllDifferent(y))
    assert compare(a, b, solvers=["backtracking"], time_limit=600).verdict is ModelRelation.B_IN_A
    a.add(x[0] != x[1])
    assert compare(a, b, solvers=["backtracking"], time_limit=600).verdict is ModelRelation.EQUAL
    a.add((x[0] <= 2) | (x[1] >= 5))
    assert compare(a, b, solvers=["backtracking"], time_limit=600).verdict is ModelRelation.A_IN_B


def test_mapping_of_names() -> None:
    a, b = Model("a"), Model("b")
    x, y = a.intvar(0, 3, shape=2, name="x"), b.intvar(0, 3, shape=2, name="y")
    a.add(x[0] < x[1])
    b.add(y[1] < y[0])
    assert compare(a, b, mapping={"x": "y"}).verdict is ModelRelation.DISJOINT
    assert compare(a, b, mapping={"x[0]": "y[1]", "x[1]": "y[0]"}).equal
    with pytest.raises(ValueError, match="share no variable by name: a has x, b has y"):
        compare(a, b)
    c = Model("c")
    c.intvar(0, 3, shape=(1, 2), name="x")
    with pytest.raises(ValueError, match=r"x has the shape \(2,\) in a and \(1, 2\) in b; give mapping="):
        compare(a, c)
    with pytest.raises(ValueError, match="has no variable 'z'"):
        compare(a, b, mapping={"x": "z"})
    with pytest.raises(ValueError, match="x has 2 variables"):
        compare(a, b, mapping={"x": "y[0]"})
    with pytest.raises(ValueError, match="named twice"):
        compare(a, b, mapping={"x[0]": "y[1]", "x[1]": "y[1]"})


def test_objectives() -> None:
    a, b = base(different), base(different)
    a.minimize(a["x"].sum())
    b.minimize(b["x"].sum() + 1)
    found = compare(a, b)
    assert (found.verdict, found.optima, found.exit_code) == (ModelRelation.EQUAL, (6, 7), 1)
    b.minimize(b["x"].sum())
    assert compare(a, b).equal


def test_two_solvers_prove() -> None:
    found = compare(*PAIRS["counts"], time_limit=600)
    assert all(by == SOLVERS for by in found.proofs.values())
    assert len(found.proofs) == 2


def test_redundant_constraints() -> None:
    m = base(different, lambda x: x[0] < x[1], lambda x: x[0] != x[1], lambda x: x.sum() >= 6)
    assert redundant_constraints(m, time_limit=600) == (2, 3)


def test_assert_equivalent() -> None:
    assert_equivalent(*PAIRS["a rewritten equivalent"], time_limit=600)
    with pytest.raises(AssertionError, match="a accepts and b does not"):
        assert_equivalent(*PAIRS["a smaller domain"][::-1], time_limit=600)


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as left:
            main(["compare", *arguments])
        return int(left.value.code or 0), capsys.readouterr().out

    for name, model in zip("ab", PAIRS["a dropped constraint"], strict=True):
        save_model(model, tmp_path / f"{name}.json")
    a, b = str(tmp_path / "a.json"), str(tmp_path / "b.json")
    code, out = run(a, b, "--redundant")
    assert (code, "A_IN_B" in out) == (1, True)
    code, out = run(a, a, "--json")
    assert (code, '"verdict":"EQUAL"' in out.replace(" ", "")) == (0, True)
    code, out = run("queens", "queens", "a.n=4", "b.n=4", "--map", "q=q")
    assert code == 0
    assert "both accept the same" in out
    assert run("queens", "queens", "n=4", "--map", "q")[0] == 2
    squares = ("queens", "queens", "n=4", "b.viewpoint=booleans")
    assert run(*squares, "--map", "q = x @ arange(4)")[0] == 0
    assert run(*squares, "--map", "q[0]=x[0] @ [0, 1, 2, 3]", "--map", "q[1] == 2 = x[1,2] > 0")[0] == 0
    code, _ = run(*squares, "--map", "q=__import__('os')")
    assert code == 2


def test_the_seed_is_that_of_all_solvers_that_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int | None] = []
    solve = Model.solve

    def seen(self: Model, *arguments: Any, **options: Any) -> Any:
        seeds.append(options.get("random_seed"))
        return solve(self, *arguments, **options)

    monkeypatch.setattr(Model, "solve", seen)
    assert not compare(*PAIRS["a dropped constraint"], random_seed=70, time_limit=600).equal
    assert seeds
    assert None not in seeds
    assert min(seeds) >= 70
    assert redundant_constraints(PAIRS["a dropped constraint"][0], time_limit=600) == ()
    assert seeds[-1] == 0


# ---- mutated pairs -----------------------------------------------------------------------------------


def mutated(model: Model, random: Random) -> Model:
    """A model with one thing changed: a constraint dropped, negated, doubled, loosened, or a value lost."""
    own = len(own_constraints(model))
    k = random.randrange(own) if own else 0
    change = random.choice(("drop", "negate", "double", "either", "domain", "same"))
    domains: dict[int, Any] = {}
    if change == "domain" and len(model.decisions):
        v = int(random.choice(model.decisions.tolist()))
        values = model.domain_values(v, 10_000)
        if len(values) > 1:
            domains = {v: np.delete(values, random.randrange(len(values)))}
    kept = own_constraints(model)
    if change == "drop" and own:
        del kept[k]
    if change == "double" and own:
        kept.append(kept[k])
    other = kept[random.randrange(own)] if change == "either" and own else None

    def edit(at: int, constraint: Any) -> Any:
        if at == k and change == "negate":
            return ~constraint
        return constraint | (~constraint) if at == k and other is not None else constraint

    return rebuilt(model, domains=domains, constraints=kept, edit=edit, objective=False)


def pairs(count: int, first: int) -> tuple[int, int]:
    """Compare random models with mutated ones; return how many were decided, and how many there were."""
    decided = asked = 0
    for seed in range(first, first + count):
        random = Random(seed)
        a = random_model(random)
        a.drop_objectives()
        b = mutated(a, random)
        if not (small_enough(a) and small_enough(b)):
            continue
        left, right = oracle.solve(a).rows, oracle.solve(b).rows
        asked += 1
        try:
            found = compare(a, b, time_limit=600)  # all are decided in a second, where the machine is free
        except CpqueensError as error:
            if error.exit_code not in (20, 21):  # a solver that cannot, or will not
                raise
            continue
        if found.verdict is ModelRelation.NO_DIFFERENCE_FOUND:
            continue
        decided += 1
        assert found.verdict is expected(left, right), seed
        for difference in found.differences:
            row = tuple(difference.values.values())
            accepting, refusing = (left, right) if difference.accepted == "a" else (right, left)
            assert row in accepting, seed
            assert row not in refusing, seed
    return decided, asked


def test_mutated_pairs() -> None:
    decided, asked = pairs(25, 0)
    assert decided >= 0.97 * asked >= 20


@pytest.mark.slow
def test_a_thousand_mutated_pairs() -> None:
    decided, asked = pairs(1000, 1000)
    print(f"{decided} of {asked} decided")
    assert decided >= 0.97 * asked
