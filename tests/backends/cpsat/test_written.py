"""A model that has got more is lowered and translated as a fresh one would be, at the cost of what is new."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from each import each

from cpqueens import (
    AllDifferent,
    Circuit,
    Count,
    Cumulative,
    GlobalCardinality,
    Increasing,
    Inverse,
    Model,
    NoOverlap,
    Or,
    Regular,
    Table,
    element,
)
from cpqueens.backends.cpsat import written
from cpqueens.backends.cpsat.constraints import supports
from cpqueens.backends.cpsat.translation import translate
from cpqueens.language import statement
from cpqueens.lowered import lowering
from cpqueens.lowered.forms import compile_model

Step = Callable[[Model], object]


def _start(m: Model) -> None:
    x, b = m.intvar(0, 4, shape=4, name="x"), m.boolvar(shape=3, name="b")
    m.add(AllDifferent(x[:3]), x[0] + 2 * x[1] <= 7, b[0].implies(x[1] - x[2] >= 1))
    m.add(b[1].implies(Or([b[0], ~b[2]])), abs(x[0] - x[3]) + x[1] * x[2] <= 9)
    m.add(Table(x[:2], [(0, 1), (1, 0), (2, 3), (3, 1)]), element([3, 1, 4, 1, 5], x[3]) <= 4)
    m.add(NoOverlap(x[:2], [1, 2]), Count(x, 2) <= 1)
    m.minimize(x.sum())


def _new_variables(m: Model) -> None:
    y = m.intvar(domain=[-3, 1, 8], name=f"y{len(m.blocks)}")
    m.add(y + m["x"][0] >= 0, y * m["x"][3] != 8)


STEPS: dict[str, Step] = {
    "relations": lambda m: m.add(m["x"][0] + m["x"][1] >= 1, m["x"][2] != 3, m["x"][1:] - m["x"][:3] <= 3),
    "clauses": lambda m: m.add(
        m["b"][2].implies(Or([m["b"][1], ~m["b"][0]])), Or([m["b"][0], m["x"][0] > 1])
    ),
    "a truth that was written out": lambda m: m.add((m["x"][1] - m["x"][2] >= 1) + m["b"][1] <= 1),
    "a term that is there": lambda m: m.add(abs(m["x"][0] - m["x"][3]) != 2),
    "new functions": lambda m: m.add(m["x"][1] * m["x"][3] + abs(m["x"][0] - m["x"][2]) <= 11),
    "new variables": _new_variables,
    "tables and elements": lambda m: m.add(
        Table(m["x"][1:3], [(1, 2), (1, 3), (0, 2), (3, 0)]), element([0, 1, 2, 3, 1], m["x"][2]) <= 2
    ),
    "intervals": lambda m: m.add(
        NoOverlap(m["x"][:3], [1, 2, 1]), Cumulative(m["x"], [1, 2, 1, 1], [1, 1, 2, 1], 3)
    ),
    "intervals that may be absent": lambda m: m.add(
        NoOverlap(m["x"][:3], [1, m["x"][3], 1], present=[1, m["b"][0], ~m["b"][1]])
    ),
    "decomposed": lambda m: m.add(
        Count(m["x"], 1) >= 1, GlobalCardinality(m["x"], [0, 1], [1, 1]), Increasing(m["x"][:2])
    ),
    "structures": lambda m: m.add(
        Circuit(m["x"][:4]),
        Inverse(m["x"], m["x"]),
        Regular(m["x"], [(0, 1, 0), (0, 2, 1), (1, 3, 0)], 0, [0]),
    ),
    "another objective": lambda m: m.maximize(m["x"][0] - m["x"][1]),
    "a partial function": lambda m: m.add(m["x"][0] // m["x"][1] <= 2),
    "one dropped": lambda m: m._constraints.truncate(len(m._constraints) - 1),
}
HISTORIES = [
    *((name,) for name in STEPS),
    ("relations", "new variables", "a term that is there", "clauses"),
    ("decomposed", "relations", "decomposed", "new variables", "intervals"),
    (
        "new variables",
        "tables and elements",
        "new functions",
        "new variables",
        "a truth that was written out",
    ),
    ("intervals", "intervals", "one dropped", "clauses", "another objective", "relations"),
]
ALWAYS_ANEW = {"a truth that was written out", "another objective", "a partial function", "one dropped"}


@pytest.fixture(autouse=True)
def all_models_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statement, "LARGEST_VARIABLES", 0)


def _canonical(translation: Any, model: Model) -> Counter[str]:
    """Return the native model's variables, constraints and objective, whatever their order and numbers."""
    proto = translation.proto
    ends = [tuple(v.domain) for v in proto.variables]
    named = dict(zip(translation.columns.tolist(), model.blocks.names(), strict=True))

    def name(match: re.Match[str]) -> str:
        number = int(match[2])
        index = number if number >= 0 else -number - 1
        sign = "" if number >= 0 else "not "
        return f"{match[1]}: {sign}{named.get(index, f'auxiliary {ends[index]}')}"

    def text(constraint: Any) -> str:
        told = re.sub(
            r"\b(\w*(?:vars|literals?|f_direct|f_inverse)|index|target): (-?\d+)", name, str(constraint)
        )
        for field in ("intervals",):
            told = re.sub(rf"\b{field}: (\d+)", lambda m: text(proto.constraints[int(m[1])]), told)
        return _clipped(told, constraint, ends)

    found = Counter(text(c) for c in proto.constraints)
    found.update(str(domain) for domain in ends)
    found["objective" + re.sub(r"\b(vars): (-?\d+)", name, str(proto.objective))] += 1
    return found


def _clipped(told: str, constraint: Any, ends: list[tuple[int, ...]]) -> str:
    """Return the text of a linear constraint with the values that its sum can have, of what is allowed."""
    if not constraint.has_linear():
        return told
    sums = [
        sorted((a * ends[v][0], a * ends[v][-1]))
        for v, a in zip(constraint.linear.vars, constraint.linear.coeffs, strict=True)
    ]
    low, high = sum(s[0] for s in sums), sum(s[1] for s in sums)
    return re.sub(r"domain: \S+", "", told) + str(
        np.clip(constraint.linear.domain, low - 1, high + 1).tolist()
    )


def _of_arrays(value: Any) -> str:
    return repr({name: _plain(part) for name, part in vars(value).items()})


def _plain(part: Any) -> Any:
    if isinstance(part, np.ndarray):
        return part.tolist()
    if isinstance(part, list | tuple):
        return [_plain(p) for p in part]
    if isinstance(part, dict):
        return {k: _plain(p) for k, p in part.items()}
    return {k: _plain(p) for k, p in vars(part).items()} if hasattr(part, "__dict__") else part


@each("history", HISTORIES, ids=" - ".join)
def test_a_model_that_has_got_more_is_as_a_fresh_one(history: tuple[str, ...]) -> None:
    m = Model()
    _start(m)
    for k, name in enumerate(("", *history)):
        if name:
            STEPS[name](m)
        fresh = Model()
        for step in (_start, *(STEPS[before] for before in history[:k])):
            step(fresh)
            fresh.settle()  # as solving does, which numbers the truths
        for objective in (True, False):
            grown, anew = (translate(one, objective=objective) for one in (m, fresh))
            assert _canonical(grown, m) == _canonical(anew, fresh)
            assert grown.how == anew.how
            assert (grown.offset, grown.largest) == (anew.offset, anew.largest)
        assert _of_arrays(compile_model(m)) == _of_arrays(compile_model(fresh))


@pytest.mark.parametrize("name", STEPS)
def test_only_what_is_new_is_written(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    for module, function in ((written, "_whole"), (lowering, "_lowered")):
        real = getattr(module, function)
        monkeypatch.setattr(
            module, function, lambda *a, real=real, told=function: (calls.append(told), real(*a))[1]
        )
    m = Model()
    _start(m)
    translate(m)
    assert calls == ["_lowered", "_whole"]
    STEPS[name](m)
    translate(m)
    assert ("_whole" in calls[2:]) == (name in ALWAYS_ANEW)
    assert not (name == "relations" and calls[2:])


def test_solutions_and_hints_of_one_run_stay_out_of_the_next() -> None:
    m = Model()
    _start(m)
    first = m.solve("cpsat", hint={m["x"]: [3, 1, 0, 3]})
    m.add(m["x"].sum() >= first.objective + 2)
    assert not len(translate(m).proto.solution_hint.vars)
    second, fresh = m.solve("cpsat"), m.copy().solve("cpsat")
    assert second.objective == fresh.objective >= first.objective + 2
    assert m.count("cpsat") == m.copy().count("backtracking")
    assert lowering.lower(m, supports, joined=True) is lowering.lower(m, supports, joined=True)
