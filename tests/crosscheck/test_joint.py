"""What two constraints say in the same words has the same key, and nothing else has."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
from cpqueens.models.queens import queens

from cpqueens import AllDifferent, Increasing, Inverse, Model, Regular, Table, any_, compare, cross_check
from cpqueens.crosscheck.joint import Said, keys_of, parts_of
from cpqueens.language.rebuild import Rebuilder


def two() -> tuple[Model, Any]:
    m = Model()
    return m, m.intvar(0, 9, shape=4, name="x")


def test_relations_have_one_form() -> None:
    _, x = two()
    same = [x[0] < x[1], x[0] + 1 <= x[1], x[1] > x[0], x[1] - x[0] >= 1, x[0] - x[1] + 1 <= 0]
    assert len({key for c in same for key in keys_of(c)}) == 1
    assert keys_of(x[0] != x[1]) == keys_of(x[1] != x[0])
    others = [x[0] <= x[1], x[0] == x[1], x[0] != x[1], x[1] < x[0], x[0] + 2 <= x[1], x[0] < x[2]]
    assert len({key for c in others for key in keys_of(c)}) == len(others)


def test_global_constraints_are_told_apart_by_all_that_they_say() -> None:
    _, x = two()
    arcs = [(0, 1, 0), (0, 2, 1)]
    made: list[Callable[[], Any]] = [
        lambda: AllDifferent(x),
        lambda: AllDifferent(x + np.arange(4)),
        lambda: Inverse(x[:2], x[2:]),
        lambda: Inverse(x[2:], x[:2]),
        lambda: Table(x[:2], [(1, 2), (3, 4)]),
        lambda: Table(x[:2], [(1, 2), (3, 5)]),
        lambda: Regular(x, arcs, 0, [0]),
        lambda: Regular(x, arcs, 0, [1]),
        lambda: (x[0] > 1) | (x[1] > 1),
    ]
    keys = [keys_of(make()) for make in made]
    assert keys == [keys_of(make()) for make in made]
    assert len({key for each in keys for key in each}) == len(made)


def test_parts_mean_the_same() -> None:
    for kind in (AllDifferent, Increasing):
        _, x = two()
        (whole,), parts = [kind(x)], parts_of(kind(x))
        rows = np.random.default_rng(0).integers(0, 5, (200, 4))
        held = np.all([part.satisfied(rows).all(axis=1) for part in parts], axis=0)
        assert (held == whole.satisfied(rows)[:, 0]).all()
    assert parts_of(Table(two()[1], [(1, 2, 3, 4)])) == []


@pytest.mark.parametrize("gone", [False, True])
def test_a_large_model_rewritten_is_decided_at_once(gone: bool) -> None:
    a, b = Model(), Model()
    for m in (a, b):
        m.intvar(0, 39, shape=40, name="x")
    x, y = a["x"], b["x"]
    a += [AllDifferent(x), AllDifferent(x + np.arange(40))]
    b += [y[i] != y[j] for i in range(40) for j in range(i) if not (gone and (i, j) == (39, 0))]
    b += AllDifferent(y + np.arange(40))
    found = compare(a, b, time_limit=600, solvers=("cpsat",))
    assert found.verdict == ("A_IN_B" if gone else "EQUAL")


def drawn(source: random.Random, x: Any, depth: int) -> Any:
    """Return a random truth: a relation, or connectives of relations."""
    if depth == 0 or source.random() < 0.2:
        i, j = source.sample(range(2), 2)
        left = source.choice([x[i] < x[j], x[i] == x[j], x[i] <= 1, AllDifferent(x)])
        return source.choice([left, ~left])
    one, other = drawn(source, x, depth - 1), drawn(source, x, depth - 1)
    made = source.choice([one | other, one & other, one & one, one.implies(other), one | one])
    return source.choice([made, ~made, ~~made])


def test_what_follows_by_its_words_does_follow() -> None:
    source, follows = random.Random(3), 0
    for _ in range(150):
        m = Model()
        x = m.intvar(0, 2, shape=2, name="x")
        stated, asked = drawn(source, x, 1), drawn(source, x, 1)
        m += source.choice([stated, stated & drawn(source, x, 1)])
        asked = any_(source.choice([[asked], [asked, stated], [stated]]))
        said = Said(m)
        for posted in m.constraints:
            said.learn(posted.constraint)
            said.learn_parts(posted.constraint)
        m += ~asked
        if said.of(cast(Any, asked)) == [True]:
            follows += 1
            assert m.count("python-constraint") == 0, (stated, asked)
    assert follows > 25


def test_rewritten_constraints_follow_both_ways() -> None:
    _, x = two()
    for c in (x[0] < x[1], AllDifferent(x), x[:3] <= 4, (x[0] > 1) | (x[1] > 1)):
        a, b, more = Model(), Model(), Model()
        written: list[tuple[Model, list[Any]]] = [(a, [c]), (b, [~~(c & c)]), (more, [c, c | (x[3] == 9)])]
        for model, constraints in written:
            model.intvar(0, 9, shape=4, name="x")
            rows = {v: ((v,), (1,), 0) for v in range(4)}
            for one in constraints:
                model += Rebuilder(x.registry, model, rows).constraint(one)
        for other in (b, more):
            for found in (compare(a, other, solvers=()), compare(other, a, solvers=())):
                assert found.equal, str(found)


def test_a_report_is_a_text_in_a_notebook_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """There Rich would show it in the place of writing it."""
    import rich.console

    report = cross_check(queens(5), ["cpsat", "backtracking"])
    text = str(report)
    monkeypatch.setattr(rich.console, "_is_jupyter", lambda: True)
    assert "10 solutions" in text
    assert re.sub(r"\d\.\d+", "", str(report)) == re.sub(r"\d\.\d+", "", text)
