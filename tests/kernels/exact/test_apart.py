"""Propagators that are compiled apart: found by name in plain form, by address in machine code."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from cpqueens.models.golomb_ruler import golomb_ruler
from cpqueens.models.still_life import still_life

from cpqueens import (
    AllDifferent,
    Among,
    Circuit,
    Count,
    Cumulative,
    GlobalCardinality,
    Inverse,
    LexChainLess,
    LexChainLessEqual,
    LexLess,
    LexLessEqual,
    Model,
    NegativeTable,
    NoOverlap,
    NValue,
    Regular,
    Table,
    ValuePrecede,
    element,
    maximum,
    minimum,
)
from cpqueens.backends.backtracking import alternating, orders
from cpqueens.backends.backtracking.wholes import registry
from cpqueens.backends.backtracking.wholes.implied import Orders
from cpqueens.kernels.exact import apart, domains, propagation
from cpqueens.kernels.jit import tiers
from cpqueens.kernels.jit.tiers import KernelEntry
from cpqueens.language.constraints.kinds import KINDS


def precedence() -> Model:
    """Return a model in which 1 to 4 appear in this order, with domains that cut into it."""
    m = Model()
    x = m.intvar(1, 4, shape=6, name="x")
    m.add(ValuePrecede(x, [1, 2, 3, 4]), x[2] != 1, x[4] >= 3, x[0] + x[5] != 3)
    return m


def tour() -> Model:
    m = Model()
    x = m.intvar(0, 4, shape=5, name="x")
    m.add(Circuit(x), x[0] < x[3])
    return m


def two_tours() -> Model:
    m = Model()
    x = m.intvar(0, 4, shape=5, name="x")
    m.add(Circuit(x, depots=[0, 3]), x[0] < x[3])
    return m


def sharing() -> Model:
    m = Model()
    x, capacity = m.intvar(0, 3, shape=3, name="x"), m.intvar(1, 2, name="capacity")
    m.add(Cumulative(x, [2, 3, 1], [1, 1, 2], capacity), x[0] < 3)
    return m


def forbidden() -> Model:
    m = Model()
    x = m.intvar(0, 2, shape=3, name="x")
    m.add(NegativeTable(x, [(a, b, 1) for a in range(3) for b in range(3) if a != b]))
    return m


def tasks() -> Model:
    m = Model()
    x, here = m.intvar(0, 4, shape=3, name="x"), m.boolvar(name="here")
    m.add(NoOverlap(x, [2, 1, 3], [True, True, here]), x[0] != 2)
    return m


def automaton() -> Model:
    m = Model()
    x = m.intvar(0, 2, shape=5, name="x")
    m.add(Regular(x, [(0, 0, 0), (0, 1, 1), (1, 2, 0), (1, 1, 0), (0, 1, 0)], 0, 0), x[0] != x[4])
    return m


def rows() -> Model:
    m = Model()
    x = m.intvar(0, 9, shape=3, name="x")
    m.add(Table(x, [(a, a * b % 10, a + b) for a in range(9) for b in range(9)]), x[1] > x[0])
    return m


def completion() -> Model:
    """Return a Latin square with some entries, in which Hall sets are common."""
    m = Model()
    x = m.intvar(0, 4, shape=(5, 5), name="x")
    m += [AllDifferent(line) for line in (*x, *x.T)]
    m.add(x[0, :3] == [0, 1, 2], x[1:3, 0] == [1, 2], x[4, 4] == 0, x[3, 3] == 4, x[2, 2] == 4)
    return m


def ruler() -> Model:
    """Return Golomb rulers with five marks of given distances, which have more values than they are."""
    m = Model()
    x, d = m.intvar(0, 12, shape=5, name="x"), m.intvar(1, 12, shape=10, name="d")
    first, second = np.triu_indices(5, 1)
    m.add(x[0] == 0, x[1:] > x[:-1], d == x[second] - x[first], AllDifferent(d))
    return m


def counts() -> Model:
    """Return terms of which so many have values of sets, exactly, at most and more than others."""
    m = Model()
    x, n = m.intvar(0, 3, shape=5, name="x"), m.intvar(0, 5, name="n")
    m.add(Among(x, [1, 3], n), Count(x, 2, ">=", n), Count(x + 1, 1, "<", n), x[0] != 2, x[:-1] <= x[1:])
    return m


def numbers() -> Model:
    """Return terms whose values occur as often as other terms say, within bounds, and no other ones."""
    m = Model()
    x, n = m.intvar(0, 4, shape=6, name="x"), m.intvar(0, 3, shape=3, name="n")
    m.add(GlobalCardinality(x[:4], [0, 2, 7], n), x[:-1] <= x[1:], n[0] < n[1])
    m.add(GlobalCardinality(x + 1, [1, 3, 4, 5], lower=[1, 0, 2, 0], upper=[2, 2, 3, 1], closed=True))
    return m


def palette() -> Model:
    """Return terms that take as many values as another says, which is bounded from both sides."""
    m = Model()
    x, n = m.intvar(0, 4, shape=5, name="x"), m.intvar(2, 4, name="n")
    m.add(NValue(x, n), NValue(x[:4] - 1, n - 1), x[0] >= 3, x[4] <= 1, x[1] == x[2] + 1, x[3] > x[2])
    return m


def series() -> Model:
    """Return all-interval series: permutations whose neighbours' distances are all different."""
    m = Model()
    x = m.intvar(0, 6, shape=7, name="x")
    m.add(AllDifferent(x), AllDifferent(abs(x[1:] - x[:-1])), x[0] < x[-1])
    return m


def pairs_at_distances() -> Model:
    """Return Langford's pairs: k and k again stand k + 1 places apart."""
    m = Model()
    x = m.intvar(0, 7, shape=(4, 2), name="x")
    m.add(AllDifferent(x), x[:, 1] == x[:, 0] + np.arange(2, 6))
    return m


def inverses() -> Model:
    """Return two inverse permutations with conditions on both."""
    m = Model()
    x, y = m.intvar(-1, 6, shape=(2, 5), name="x")
    m.add(Inverse(x, y), x[0] > x[1], y[2] != 1, abs(y[3] - x[3]) == 2)
    return m


def ordered() -> Model:
    """Return rows and columns in order, among them some of sums."""
    m = Model()
    x = m.intvar(0, 2, shape=(3, 3), name="x")
    m.add(
        LexChainLess(x),
        LexChainLessEqual(x.T),
        LexLess(x[0] + x[1], x[2] + 1),
        LexLessEqual(x[1], x[0, ::-1]),
    )
    m.add(x.sum() == 6)
    return m


def burglary() -> Model:
    """Return two knapsacks over the same things, which have less room than the things need."""
    m = Model()
    x = m.intvar(0, 2, shape=8, name="x")
    m.add(x @ [5, 4, 7, 3, 6, 8, 5, 9] <= 30, x @ [2, 5, 3, 6, 4, 7, 8, 1] <= 25)
    m.maximize(x @ [6, 5, 8, 4, 7, 9, 7, 8])
    return m


def functions() -> Model:
    """Return products, quotients, remainders and elements of few values, with gaps."""
    m = Model()
    x, y = m.intvar(domain=[-3, -1, 2, 4], name="x"), m.intvar(domain=[1, 2, 5], name="y")
    z = m.intvar(domain=[-6, -2, 1, 4, 10], shape=2, name="z")
    m.add(x * y == z[0], x % y + z[1] // y <= 1, element([1, -2, 7, 4], y - 1) == z[1])
    m.add(element(z, m.intvar(0, 1, name="w")) != x)
    return m


def peaks() -> Model:
    """Return neighbours with gaps whose maxima and minima are different or given."""
    m = Model()
    x = [m.intvar(domain=values, name=f"x{k}") for k, values in enumerate([[0, 2, 5], [1, 4], [0, 3, 6]] * 2)]
    m.add(AllDifferent([maximum(x[k : k + 3]) for k in range(4)]))
    m.add(minimum(x[:4]) != 1, minimum([x[1], x[5]]) == 3)
    return m


def round_trip() -> Model:
    """Return a tour of six nodes whose arcs have costs."""
    m = Model()
    x = m.intvar(0, 5, shape=6, name="x")
    m.add(Circuit(x))
    m.minimize(sum(element([(3 * i + 5 * j + i * j) % 11 for j in range(6)], x[i]) for i in range(6)))
    return m


MODELS: dict[str, Callable[[], Model]] = {
    "all_different_values": completion,
    "among": counts,
    "cardinality": numbers,
    "circuit": tour,
    "cumulative": sharing,
    "depots": two_tours,
    "different_values": palette,
    "distance_values": series,
    "distances": ruler,
    "equation_values": pairs_at_distances,
    "extreme_values": peaks,
    "fractional_bound": burglary,
    "function_values": functions,
    "inverse": inverses,
    "lexicographic": ordered,
    "negative_table": forbidden,
    "no_overlap": tasks,
    "nogoods": lambda: golomb_ruler(5),
    "regular": automaton,
    "remembered": lambda: still_life(4),
    "table": rows,
    "tour_bound": round_trip,
    "value_precede": precedence,
}
"""By propagator a model that uses it."""


def said(model: Model) -> tuple[Any, ...]:
    """Return what listing all solutions, or looking for the best one, says, and how it went."""
    verb = model.enumerate if model.objective is None else model.solve
    outcome = verb(solver="backtracking:forward")
    found = outcome.solutions.matrix.tolist() if model.objective is None else [outcome.objective]
    return found, outcome.statistics["nodes"], outcome.statistics["failures"]


@pytest.fixture(autouse=True)
def restarting_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "FIRST_RESTART", 1)
    monkeypatch.setattr(alternating, "JOINING", 20)


def test_the_lists_are_complete() -> None:
    assert list(apart.NAMES) == sorted(apart.NAMES) == sorted(MODELS)
    assert [type(apart.entry_of(apart.KINDS[name])) for name in apart.NAMES] == [KernelEntry] * len(MODELS)
    assert len(apart.NAMES) <= domains.HEADER - domains.ADDRESSES
    assert list(registry.WHOLES) == sorted(registry.WHOLES)
    assert set(registry.WHOLES) <= set(KINDS)


@pytest.mark.parametrize("name", MODELS)
def test_machine_code_does_what_the_plain_form_does(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KernelEntry, "_weight", lambda *_: 0.0)
    ran = []
    run = propagation.run_apart
    monkeypatch.setattr(propagation, "run_apart", lambda m, p, a: (ran.append(1), run(m, p, a))[1])
    plain = said(MODELS[name]())
    assert ran
    assert plain[0]
    monkeypatch.setattr(KernelEntry, "_weight", lambda *_: tiers.WAIT)
    with tiers.mode("here"):
        assert said(MODELS[name]()) == plain
    entry = apart.entry_of(apart.KINDS[name])
    assert [form.address for form in entry._forms.values()] != [0]


def test_without_its_propagator_a_search_stays_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search is there in machine code, what it calls is not: no call to nowhere."""
    forms: list[str] = []
    plain = KernelEntry._call_plain
    monkeypatch.setattr(KernelEntry, "_call_plain", lambda *a: (forms.append(a[0].__name__), plain(*a))[1])
    monkeypatch.setattr(KernelEntry, "_weight", lambda *_: tiers.WAIT)
    monkeypatch.setattr(KernelEntry, "address", lambda *_: 0)
    with tiers.mode("here"):
        solutions, _, _ = said(precedence())
    assert len(solutions) > 10
    assert set(forms) == {"search"}


@pytest.mark.parametrize(("count", "values"), [(1, 2), (4, 1), (5, 3), (6, 4)])
def test_precedence_is_domain_consistent(count: int, values: int) -> None:
    """Alone, it never fails: values that stay have solutions."""
    m = Model()
    x = m.intvar(0, values, shape=count, name="x")
    m.add(ValuePrecede(x, range(1, values + 1)))
    outcome = m.enumerate(solver="backtracking:forward")
    chain = range(1, values)
    expected = [
        row
        for row in product(range(values + 1), repeat=count)
        if all(v + 1 not in row or v in row[: row.index(v + 1)] for v in chain)
    ]
    assert [tuple(row) for row in outcome.solutions.matrix.tolist()] == expected
    assert outcome.statistics["failures"] == 0


@pytest.mark.parametrize("name", MODELS)
def test_taken_whole_a_model_has_no_more_nodes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = said(MODELS[name]())
    monkeypatch.setattr(registry, "WHOLES", {})
    for added in (
        "add_cliques",
        "add_hall_sets",
        "sees_values",
        "add_function_values",
    ):
        monkeypatch.setattr(f"cpqueens.backends.backtracking.wholes.implied.{added}", lambda *_: None)
    for many in "each_sees", "distances_by_values":
        monkeypatch.setattr(
            f"cpqueens.backends.backtracking.wholes.implied.{many}", lambda *_: np.zeros(0, dtype=np.int64)
        )
    monkeypatch.setattr(Orders, "_add", lambda *_: [])
    decomposed = said(MODELS[name]())
    assert whole[0] == decomposed[0]
    assert whole[1] <= decomposed[1]
    assert whole[2] <= decomposed[2]
