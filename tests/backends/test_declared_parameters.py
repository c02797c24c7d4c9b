"""What is declared is what is used: a default that is given changes nothing, another value does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cpqueens.models.all_interval import all_interval
from cpqueens.models.costas_array import costas_array
from cpqueens.models.queens import queens

from cpqueens import AllDifferent, Model, UnknownParameter, UnsupportedRequest
from cpqueens.backends import named
from cpqueens.backends.base import Parameter

# las-vegas declares no defaults, and those of cpsat are read from the library
CONFIGURATIONS = [
    (name, strategy)
    for name in ("backtracking", "local-search", "python-constraint")
    for strategy in (None, *named.get_backend(name).strategies)
]
STRATEGIES = named.get_backend("local-search").strategies

WITH: dict[tuple[str, str], dict[str, Any]] = {
    ("annealing", "measure"): {"schedule": "rowwise"},
    ("annealing", "reheat"): {"cooling_steps": 50},
    ("annealing", "rule"): {"schedule": "rowwise"},
    ("annealing", "tested"): {"schedule": "rowwise", "step_limit": 4000},
    ("auto", "presolve"): {"step_limit": 1500},
    ("auto", "without"): {"step_limit": 3000},
    ("exchange", "starts"): {"stall": 1},
}
"""What must be given too for a parameter to matter."""

OTHERS: dict[tuple[str, str], Any] = {
    ("adaptive", "reset_percent"): 60.0,
    ("annealing", "measure"): "surplus",
    ("annealing", "tested"): "move",
    ("auto", "without"): ["parts"],
    ("reversal", "shake_percent"): 90.0,
    ("sosic-gu-4", "noise"): 0.9,
}
"""Other values than `other` gives, for parameters that must be far from their defaults to matter."""


def sums_of_lines() -> Model:
    """A permutation under sums of lines, which `exchange` is made for."""
    m = Model("sums of lines")
    x = m.intvar(1, 36, shape=(6, 6), name="x")
    m += AllDifferent(x)
    m += [x[k].sum() == 111 for k in range(6)]
    m += [x[:, k].sum() == 111 for k in range(6)]
    return m


def odd_sum() -> Model:
    """Numbers whose double is odd: a walk never ends, which `presolve` sees at once."""
    m = Model("odd sum")
    m += m.intvar(0, 5, shape=3, name="x").sum() * 2 == 7
    return m


def two_bags() -> Model:
    """Two knapsacks of two limits each, which nothing connects."""
    m, source = Model("two bags"), np.random.default_rng(1)
    x = m.boolvar(shape=(2, 24), name="x")
    for bag in x:
        for weights in source.integers(10, 99, (2, 24)):
            m += bag @ weights <= int(weights.sum()) // 2
    m.maximize((x * source.integers(10, 99, (2, 24))).sum())
    return m


MODELS = [queens(6), queens(10), sums_of_lines(), all_interval(40), costas_array(9), odd_sum()]
"""What local search needs to show every parameter; the others are asked the first two."""


WALKS = ("annealing", "hill-climbing", "sosic-gu")
"""Strategies that use the same parameters whatever the model, and machine code of their own for each kind."""


def label(name: str, strategy: str | None) -> str:
    return name if strategy is None else f"{name}:{strategy}"


def run(model: Model, solver: str, **given: Any) -> Any:
    """Return what a short run was: all that its statistics say but times."""
    limit = {"step_limit": 1000} if solver.startswith("local-search") else {}
    try:
        outcome = model.solve(solver=solver, random_seed=3, **{**limit, **given})
    except UnsupportedRequest:  # a strategy that is not made for this model, or that only counts
        return model.count(solver=solver, **given) if solver == "backtracking:halves" else "refused"
    told = {k: v for k, v in outcome.statistics.items() if "time" not in k}
    return told, outcome.stop_reason, outcome.solutions.matrix.tolist()


@pytest.mark.parametrize(("name", "strategy"), CONFIGURATIONS)
def test_what_is_declared_is_used(name: str, strategy: str | None) -> None:
    solver = label(name, strategy)
    declared = named.parameters_of(named.get_backend(name), strategy)
    defaults = {k: p.default for k, p in declared.items() if p.default is not None}
    models = MODELS if name == "local-search" and strategy not in WALKS else MODELS[:2]
    plain = [run(model, solver) for model in models]
    assert plain.count("refused") < len(models)
    assert plain == [run(model, solver, **defaults) for model in models]


def other(parameter: Parameter) -> Any:
    """Return another value than the default."""
    if parameter.choices:
        return next(choice for choice in parameter.choices if choice != parameter.default)
    if parameter.type is bool:
        return not parameter.default
    if parameter.type is float:
        return 0.7
    return 2 if parameter.default == 1 else 1


OWN = [
    (strategy, name)
    for strategy in STRATEGIES
    for name in named.get_backend("local-search").strategy_parameters(strategy)  # type: ignore[attr-defined]
]


@pytest.mark.parametrize(("strategy", "name"), OWN)
def test_every_parameter_of_a_strategy_matters(strategy: str, name: str) -> None:
    solver = f"local-search:{strategy}"
    parameter = named.parameters_of(named.get_backend("local-search"), strategy)[name]
    value = OTHERS[strategy, name] if (strategy, name) in OTHERS else other(parameter)
    given = WITH.get((strategy, name), {})
    assert any(
        run(m, solver, **given) != run(m, solver, **given, **{name: value}) for m in [*MODELS, two_bags()]
    )


def test_two_strategies_have_defaults_of_their_own() -> None:
    backend = named.get_backend("local-search")
    defaults = {
        s: named.parameters_of(backend, s)["max_sideways"].default for s in ("random-restart", "sideways")
    }
    assert defaults == {"random-restart": 0, "sideways": 100}


@pytest.mark.parametrize(
    ("solver", "message"),
    [
        ("local-search", "local-search has no parameter 'tenure'; known to local-search:tabu$"),
        ("local-search:jump", "local-search:jump has no parameter 'tenure'; known to local-search:tabu$"),
        ("local-search:jump+cpsat", r"local-search:jump\+cpsat has no parameter 'tenure'; known are "),
    ],
)
def test_a_parameter_of_another_strategy_is_refused_before_the_search(solver: str, message: str) -> None:
    with pytest.raises(UnknownParameter, match=message):
        queens(4).solve(solver=solver, tenure=3)
