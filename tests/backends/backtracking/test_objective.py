"""A stopped search's bound: what is open above the node at hand counts, and no solution is ever better."""

from __future__ import annotations

import pytest
from seeds import seeds

from cpqueens import Model, Outcome
from cpqueens.crosscheck import oracle
from cpqueens.fuzzing.generate import random_model


def chain(maximizing: bool = False) -> Model:
    """Three choices, each of which costs at least 5 or 7, as propagation sees when it is made."""
    m = Model()
    x, cost = m.boolvar(shape=3, name="x"), m.intvar(0, 9, shape=3, name="cost")
    for k in range(3):
        m += (x[k] == 0).implies(cost[k] >= 5)
        m += (x[k] == 1).implies(cost[k] >= 7)
    (m.maximize if maximizing else m.minimize)((-1 if maximizing else 1) * cost.sum())
    return m


@pytest.mark.parametrize("maximizing", [False, True])
def test_both_branches_of_each_decision_count(maximizing: bool) -> None:
    def stopped(steps: int) -> Outcome:
        options = {"variable_order": "lexicographic", "value_order": "ascending"}
        return chain(maximizing).solve(solver="backtracking:forward", step_limit=steps, **options)

    sign = -1 if maximizing else 1
    # the other branches of x[0], x[1] and x[2] have at least 7, 5 + 7 and 5 + 5 + 7
    assert [sign * (stopped(steps).bound or 0) for steps in (1, 2, 3)] == [5, 7, 7]
    assert stopped(3).stop_reason == "step_limit"


def test_the_weakest_branch_may_be_anywhere_on_the_path() -> None:
    """Below the first choice the second one's other branch costs least, and nothing else does."""
    m = Model()
    x, cost = m.boolvar(shape=3, name="x"), m.intvar(0, 30, shape=3, name="cost")
    for k, (chosen, other) in enumerate([(5, 20), (9, 2), (4, 30)]):
        m += (x[k] == 0).implies(cost[k] >= chosen)
        m += (x[k] == 1).implies(cost[k] >= other)
    m.minimize(cost.sum())
    options = {"variable_order": "lexicographic", "value_order": "ascending", "step_limit": 3}
    assert m.solve(solver="backtracking:forward", **options).bound == 5 + 2


def test_the_root_is_told_before_the_first_solution() -> None:
    """However long its propagation takes: each of a row of variables is above the one before."""
    m, told = Model(), list[tuple[str, int]]()
    x = m.intvar(0, 200, shape=120, name="x")
    for k in reversed(range(119)):
        m += x[k + 1] > x[k]
    m.minimize(x[-1])
    m.solve(
        solver="backtracking:forward", step_limit=300, value_order="descending",
        on_progress=lambda state: told.append(("bound", state.get("bound", 0))),
        on_improvement=lambda solution: told.append(("solution", int(solution["x"][-1]))),
    )  # fmt: skip
    assert told[0] == ("bound", 119)
    assert "solution" in dict(told)


@seeds(range(500, 520))
def test_no_solution_is_better_than_the_bound_of_a_stopped_search(seed: int) -> None:
    model = random_model(seed)
    if model.objective is None:
        names = [block.name for block in model.blocks]
        model.minimize(sum(k * model[name].sum() for k, name in enumerate(names, 1)) + 3)
    truth = oracle.solve(model).optimum
    for steps in (1, 2, 4, 7, 12):
        outcome = model.solve(solver="backtracking:forward", step_limit=steps, random_seed=seed)
        if truth is None or outcome.complete:
            continue
        assert outcome.bound is not None
        assert outcome.bound >= truth if model.maximizing else outcome.bound <= truth


def test_a_search_is_as_it_was_after_looking() -> None:
    """Stopped at each step, it visits what it visits without being asked for a bound."""
    whole = chain().solve(solver="backtracking:forward").statistics
    seen = [chain().solve(solver="backtracking:forward", step_limit=k).statistics for k in (1, 2, 3)]
    assert [s["decisions"] for s in seen] == [1, 2, 3]
    assert whole["nodes"] >= seen[-1]["nodes"]
