"""The second search, which joins where restarts lead nowhere and remembers subproblems: it loses nothing."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from cpqueens.models.still_life import still_life

from cpqueens import (
    STOP,
    AllDifferent,
    Among,
    Count,
    Cumulative,
    GlobalCardinality,
    LexLessEqual,
    Model,
    NegativeTable,
    NValue,
    Or,
    Regular,
    Solution,
    Status,
    Table,
    ValuePrecede,
    element,
    maximum,
    minimum,
)
from cpqueens.backends.backtracking import alternating, remembering
from cpqueens.backends.backtracking.backend import model_form
from cpqueens.backends.backtracking.clause_search import ClauseSearch
from cpqueens.backends.backtracking.memory import build_memory
from cpqueens.backends.backtracking.orders import tree_search
from cpqueens.backends.backtracking.portfolio import Slices
from cpqueens.backends.backtracking.searching import Searching
from cpqueens.backends.base import Deliver
from cpqueens.crosscheck import oracle
from cpqueens.fuzzing.generate import random_model
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.branching import EQUAL, limit
from cpqueens.kernels.exact.domains import copied
from cpqueens.kernels.exact.forward import begin
from cpqueens.kernels.exact.propagation import propagate
from cpqueens.kernels.exact.propagators import remembered as kernel
from cpqueens.lowered.forms import compiled_of

SOLVER = "backtracking:forward"
STEPS = np.array([[0, 1, 3], [0, 2, 5]])
"""From one variable to those that it has a constraint with: some of them are fixed while others are open."""

DOMAINS: tuple[list[int], ...] = (
    [0, 1],
    [0, 1, 2],
    [0, 1, 3],
    [0, 30, 55],
    [0, 10**6, 10**6 + 1],
    [-1, 0, 1],
)
"""Small, with gaps, of more values than a number has bits for, and without a flag for each value."""


@pytest.fixture
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the second search join at once, and have every other turn."""
    monkeypatch.setattr(alternating, "JOINING", 0)
    monkeypatch.setattr(alternating, "TURN", 1)


Cut = Callable[[int], None]


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Cut:
    """Return what lets all calls of the kernel have so many steps."""

    def calls(steps: int) -> None:
        monkeypatch.setattr(
            "cpqueens.system.stopping.Pace.timed", lambda self, call, *_, **_kept: call(steps)
        )

    return calls


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave little room, which is copied for each state."""
    monkeypatch.setattr(remembering, "RING", 1 << 13)
    monkeypatch.setattr(remembering, "SLOTS", 4)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the second search do all there is to do."""

    def second(searching: Searching, deliver: Deliver) -> Slices:
        network = searching._network(remembering=True)
        search = alternating.RememberingSearch(
            searching.compiled, network, searching.request, searching.facts
        )
        return search.slices(deliver)

    monkeypatch.setattr(Searching, "_alternating", second)


Form = Callable[[Any, list[int], random.Random], Any]


def some(values: list[int], source: random.Random, many: int = 9) -> list[tuple[int, ...]]:
    """Return random triples of values."""
    return [tuple(source.choice(values) for _ in range(3)) for _ in range(many)]


def automaton(w: Any, values: list[int], source: random.Random) -> Any:
    """Say that one value is there an even number of times."""
    v = source.choice(values)
    arcs = [(s, u, 1 - s if u == v else s) for s in (0, 1) for u in values]
    return Regular(w, arcs, 0, [0])


FORMS: dict[str, Form] = {
    "at most": lambda w, u, r: w @ [r.choice([-2, -1, 1, 3]) for _ in w] <= r.choice(u),
    "different": lambda w, u, r: w @ [r.choice([-2, -1, 1, 3]) for _ in w] != r.choice(u),
    "equal": lambda w, u, r: w[0] + w[1] == w[2] + r.choice(u),
    "clause": lambda w, u, r: Or(w[0] != r.choice(u), w[1] <= r.choice(u), w[2] > r.choice(u)),
    "truths": lambda w, u, r: ((w[0] + w[2] >= r.choice(u)) == (w[1] != r.choice(u))) | (w[2] == r.choice(u)),
    "truths of sums": lambda w, u, r: (w[0] + w[1] == w[2] + r.choice(u)) == (w.sum() <= r.choice(u)),
    "table": lambda w, u, r: Table(w, some(u, r)),
    "negative table": lambda w, u, r: NegativeTable(w, some(u, r)),
    "among": lambda w, u, r: Among(w[:2], u[:2], w[2]),
    "count": lambda w, u, r: Count(w, r.choice(u), r.choice(["<=", "=="]), 1),
    "cardinality": lambda w, u, r: GlobalCardinality(w, u, lower=[0] * len(u), upper=[2] * len(u)),
    "values": lambda w, u, r: NValue(w, 2),
    "AllDifferent": lambda w, u, r: AllDifferent(w if len(u) > 2 else w[:2]),
    "AllDifferent of sums": lambda w, u, r: AllDifferent(w[0] + w[1], w[2], r.choice(u)),
    "order": lambda w, u, r: LexLessEqual(w[:2], w[1:]),
    "precedence": lambda w, u, r: ValuePrecede(w, u[:2]),
    "absolute": lambda w, u, r: abs(w[0] - w[1]) + w[2] <= r.choice(u) + 1,
    "product": lambda w, u, r: w[0] * w[1] + w[2] != r.choice(u),
    "extremes": lambda w, u, r: maximum(w[0], w[1]) >= minimum(w[1], w[2]) + (r.choice(u) > 0),
    "element": lambda w, u, r: element([1, 0, 2, 1], minimum(maximum(w[0], 0), 3)) + w[1] >= minimum(w[2], 1),
    "automaton": automaton,
    "tasks": lambda w, u, r: Cumulative(w, [1, 2, 1], [1, 1, 2], 2),
}
"""Constraints of all kinds that are described in ways of their own."""


def prize(w: Any, values: list[int], source: random.Random) -> Any:
    """Return what three neighbours are worth; good values are not to be seen from their bounds."""
    a, b, c = w
    v, other = source.choice(values), source.choice(values)
    weight = source.choice([-5, -3, -2, 2, 3, 4])
    return source.choice(
        (
            lambda: weight * (a + b == c + v),
            lambda: weight * ((a != c) & (b == v)),
            lambda: weight * ((a + other >= c) | (b == v)) - (a == v),
            lambda: maximum(weight * (a == b), 3 * (c == v)),
        )
    )()


def windows(seed: int) -> Model:
    """Return variables in a row, of which each few neighbours are constrained: subproblems come again."""
    source = random.Random(seed)
    m = Model(f"windows {seed}")
    values = DOMAINS[seed % len(DOMAINS)]
    many = 18 if len(values) == 2 else 12
    x = m.intvar(domain=values, shape=many, name="x")
    near = [x[k + steps] for k in range(many - 5) for steps in STEPS]
    forms = list(FORMS.values())
    m.add([source.choice(forms)(w, values, source) for w in near if source.random() < 0.2])
    goal = sum(prize(w, values, source) for w in near)
    if seed % 4:
        getattr(m, source.choice(["minimize", "maximize"]))(goal)
    else:
        m.add(goal >= 2 * many, goal <= 2 * many + 1)
    return m


def agrees(m: Model) -> int:
    """Compare with a search that remembers nothing; return how many subproblems came again."""
    expected = m.solve(solver=SOLVER, variable_order="smallest-domain")
    outcome = m.solve(solver=SOLVER)
    assert (outcome.status, outcome.objective) == (expected.status, expected.objective)
    return int(outcome.statistics.get("subproblems_met", 0))


def described(m: Model, values: list[int]) -> tuple[dict[tuple[int, ...], list[Any]], int]:
    """Return by description what completes the states that have it, and how many states there are.

    States are all ways to fix the variables up to any but the last, and the others by propagation.
    """
    compiled = compiled_of(m, model_form(False))
    decisions = compiled.decision_count
    start, _ = build_memory(compiled, False, remembering=True)
    root = remembering.with_room(start)
    begin(root, tree_search(decisions))
    if not propagate(root, 1 << 40):
        return {}, 0
    d = root.net[at.ROWS]
    assert root.net[d + kernel.STARTED]
    rows = oracle.solve(m).solutions
    found: dict[tuple[int, ...], list[Any]] = {}
    states = 0
    for prefix in {row[:k] for row in product(values, repeat=decisions) for k in range(1, decisions)}:
        memory = copied(root)
        memory.stack[at.LEVEL] += 1
        fixed = all(limit(memory, k * at.X_WIDTH, EQUAL, value) for k, value in enumerate(prefix))
        if not fixed or propagate(memory, 1 << 40) != 1:
            continue
        states += 1
        end = kernel.describe(memory, d)
        text = tuple(memory.net[memory.net[d + kernel.SCRATCH] : end].tolist())
        x = memory.x[: decisions * at.X_WIDTH].reshape(-1, at.X_WIDTH)
        inside = ((rows >= x[:, at.LOW]) & (rows <= x[:, at.HIGH])).all(axis=1)
        left = np.unique(rows[inside][:, x[:, at.LOW] != x[:, at.HIGH]], axis=0)
        found.setdefault(text, []).append(left.tolist())
    return found, states


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", FORMS)
def test_what_is_described_alike_is_completed_alike(name: str) -> None:
    """And some states are: else nothing would ever come again."""
    shorter = 0
    for seed, values in enumerate(DOMAINS):
        source = random.Random(f"{name} {seed}")
        m = Model(name)
        x = m.intvar(domain=values, shape=4, name="x")
        m.add(FORMS[name](x[[0, 1, 3]], values, source), FORMS[name](x[[3, 2, 0]], values, source))
        found, states = described(m, values)
        for each in found.values():
            assert all(left == each[0] for left in each)
        shorter += states - len(found)
    assert shorter > 0


@pytest.mark.usefixtures("early")
@pytest.mark.parametrize("seed", range(16))
def test_two_searches_in_turns_lose_nothing(seed: int) -> None:
    agrees(random_model(seed))
    agrees(windows(seed))


@pytest.mark.usefixtures("alone")
def test_what_is_remembered_loses_nothing() -> None:
    assert sum(agrees(windows(seed)) > 0 for seed in range(24)) > 4


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(("ring", "slots"), [(1 << 9, 1 << 10), (1 << 20, 1 << 6)])
def test_old_subproblems_make_room_for_new_ones(
    ring: int, slots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembering, "LONGEST", 1 << 8)
    monkeypatch.setattr(remembering, "RING", ring)
    monkeypatch.setattr(remembering, "SLOTS", slots)
    assert sum(agrees(windows(seed)) > 0 for seed in range(24)) > 2


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("seed", [1, 3, 4])
def test_what_is_spared_is_what_a_search_without_memory_does_more(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = random.Random(seed)
    m = Model("an even sum that must be odd")
    x = m.intvar(0, 2, shape=12, name="x")
    m.add([x[k] + 2 * x[k + 1] + x[k + 3] != source.randrange(7) for k in range(9)])
    even = m.intvar(domain=[0, 2], name="even")  # else what all have in common would refute it
    m.add(2 * (x @ [source.randint(2, 5) for _ in x]) + even == 2 * source.randint(30, 40) + 1)
    aided = m.solve(solver=SOLVER).statistics
    monkeypatch.setattr(remembering, "LONGEST", 0)
    alone = m.solve(solver=SOLVER).statistics
    assert (aided["subproblems_met"] > 100, alone["subproblems_met"]) == (True, 0)
    assert aided["propagations"] < 0.4 * alone["propagations"]
    unaided = (
        aided["propagations"] + aided["propagations_spared"]
    )  # a next node's count until it is looked at
    assert 0.9 < unaided / alone["propagations"] < 1.5


@pytest.mark.usefixtures("small")
def test_how_many_there_are_to_be_is_described() -> None:
    m = Model()
    n, x = m.intvar(1, 2, name="n"), m.intvar(0, 2, shape=2, name="x")
    m.add(Among(x[[0, 0, 1]], [1, 2], n))  # domains do not say what is left
    found, states = described(m, [0, 1, 2])
    assert states > 2
    assert all(left == each[0] for each in found.values() for left in each)


def test_what_is_overwritten_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembering, "RING", 1 << 9)
    memory = remembering.with_room(
        build_memory(compiled_of(windows(1), model_form(True)), False, remembering=True)[0]
    )
    d = memory.net[at.ROWS]
    for written, kept in ((8, True), (7 + 512, True), (8 + 512, False)):
        memory.net[d + kernel.WRITTEN] = written
        assert kernel.is_kept(memory, d, 7) == kept


@pytest.mark.usefixtures("early")
def test_runs_are_the_same_however_they_are_cut(cut: Cut) -> None:
    names = ("nodes", "failures", "restarts", "propagations", "subproblems_met", "delivered", "reason")

    def said(steps: int) -> list[Any]:
        cut(steps)
        outcome = windows(9).solve(solver=SOLVER)
        assert "took turns" in outcome.statistics["reason"]
        return [outcome.objective, *(outcome.statistics[name] for name in names)]

    assert said(1) == said(7) == said(10_000)


@pytest.mark.usefixtures("early")
@pytest.mark.parametrize("seed", [1, 5, 9, 10])
def test_each_solution_is_better_than_all_before(seed: int, cut: Cut) -> None:
    cut(1)  # each is delivered by itself
    seen: list[Any] = []
    outcome = windows(seed).solve(solver=SOLVER, on_improvement=seen.append)
    assert outcome.statistics["delivered"] == len(seen)


@pytest.mark.usefixtures("early")
@pytest.mark.parametrize("most", [1, 2, 3])
def test_what_is_stopped_claims_no_more_than_both_know(most: int) -> None:
    m = still_life(4)
    seen: list[int] = []

    def stop(solution: Solution) -> Any:
        seen.append(int(np.sum(solution["x"])))
        return STOP if len(seen) == most else None

    outcome = m.solve(solver=SOLVER, on_improvement=stop)
    assert outcome.objective == seen[-1] == max(seen)
    assert (outcome.status, outcome.faults) == (Status.FEASIBLE, ())
    assert outcome.bound >= 8


@pytest.mark.slow
def test_still_lifes_are_proved() -> None:
    outcome = still_life(7).solve(solver=SOLVER)
    assert (str(outcome.status), outcome.objective) == ("OPTIMAL", 28)
    assert outcome.statistics["subproblems_met"] > 1000
    assert "took turns" in outcome.statistics["reason"]
    again = still_life(7).solve(solver=SOLVER)
    for name in ("nodes", "failures", "propagations", "subproblems_met", "restarts"):
        assert outcome.statistics[name] == again.statistics[name]


def test_an_order_that_a_model_names_is_one_of_several() -> None:
    """What is placed first has nothing to do with what fails: alone that order goes on for ever."""
    m = Model()
    y, x = m.intvar(0, 3, shape=30, name="y"), m.intvar(0, 3, shape=6, name="x")
    m += y[:-1] + y[1:] <= 5
    even = m.intvar(domain=[0, 2], name="even")
    m += x @ np.array([4, 6, 10, 14, 22, 26]) + 2 * y[0] + even == 61
    phases = [("y", "lexicographic", "ascending"), ("x", "lexicographic", "ascending")]
    outcome = m.solve(solver=SOLVER, phases=phases)
    assert outcome.status is Status.INFEASIBLE
    named = "the order that the model names and clause learning and restarts"
    assert named in outcome.statistics["reason"]
    assert "smallest domains" not in outcome.statistics["reason"]


@pytest.mark.usefixtures("early")
def test_orders_are_three_where_none_is_named() -> None:
    outcome = windows(9).solve(solver=SOLVER)
    named = "restarts and a search that remembers subproblems and branch and bound and clause learning"
    assert f"{named} and smallest domains" in outcome.statistics["reason"]


@pytest.mark.parametrize(("later", "all_join"), [(2, False), (0, True)])
def test_who_has_a_small_part_of_the_time_joins_later(
    later: int, all_join: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alternating, "JOINING", 20)
    monkeypatch.setattr(alternating, "TURN", 5)
    monkeypatch.setattr(alternating, "LATER", later)
    reason = still_life(4).solve(solver=SOLVER).statistics["reason"]
    assert "a search that remembers subproblems" in reason
    assert ("smallest domains" in reason) == all_join


@pytest.mark.usefixtures("early")
@pytest.mark.parametrize("looks", [3, 10**9])
def test_nobody_waits_for_the_compiler_of_a_member(looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Learning begins with the work that the others have done by then, or never."""
    seen = []
    monkeypatch.setattr(ClauseSearch, "is_ready", property(lambda _: seen.append(1) or len(seen) >= looks))
    outcome = windows(9).solve(solver=SOLVER)
    assert (outcome.status, outcome.objective) == (Status.OPTIMAL, -14)
    assert len(seen) >= 3
    reason, absent = outcome.statistics["reason"], outcome.statistics.get("absent", [])
    assert ("clause learning" in reason) == (looks == 3)
    assert ("without clause learning: it was being compiled" in absent) == (looks != 3)
    if looks == 3:
        assert outcome.statistics["clauses_learned"] > 0
