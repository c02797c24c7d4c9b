"""What a user asks of a solver is validated before any search, equally for all backends.

What a solver is called means the same wherever a name is taken, heuristic+exact included.
"""

from __future__ import annotations

import numpy as np
import pytest
from collection.perfect_squares import DUIJVESTIJN, MORON, squares
from each import each
from fake_backend import FakeBackend, installed, says

from cpqueens import (
    CpqueensError,
    IntegerError,
    Model,
    ModelError,
    UnknownBackend,
    UnknownParameter,
    UnsupportedRequest,
)
from cpqueens.backends import named
from cpqueens.backends.base import REFUSED, Feature, Want
from cpqueens.cli.options import run_options
from cpqueens.crosscheck.metamorphic import _lister
from cpqueens.fuzzing.fuzz import fuzz
from cpqueens.fuzzing.testing import queens
from cpqueens.solving.request import choose, named_solver


@each("value", [0, -1, -0.5, float("nan"), "5", True, None.__class__, [1]])
def test_time_limits(solver: str, value) -> None:
    with pytest.raises(ModelError, match="time_limit: seconds above 0"):
        queens(4).solve(solver=solver, time_limit=value)


def test_an_infinite_time_limit_is_none() -> None:
    fake = FakeBackend(says())
    with installed(fake):
        queens(4).enumerate(solver="fake", time_limit=float("inf"))
    assert fake.requests[0].clock.time_limit is None


@each("value", [0, -3, 1.0, "2", True, float("nan")])
def test_solution_limits(solver: str, value) -> None:
    with pytest.raises(ModelError, match="solution_limit: an integer of at least 1"):
        queens(4).enumerate(solver=solver, solution_limit=value)


@each("value", [-1, 2**31, 2**64, 1.5, "7", True])
def test_seeds(solver: str, value) -> None:
    with pytest.raises(ModelError, match="random_seed: an integer of at least 0"):
        queens(4).solve(solver=solver, random_seed=value)


@each("value", [0, -1, 1.5, "2", True])
def test_workers(solver: str, value) -> None:
    with pytest.raises(ModelError, match="num_workers: an integer of at least 1"):
        queens(4).solve(solver=solver, num_workers=value)


@each("name", REFUSED)
def test_parameters_that_would_change_a_status_are_refused(solver: str, name: str) -> None:
    with pytest.raises(UnknownParameter, match=f"{name} is not accepted: "):
        queens(4).solve(solver=solver, **{name: 1})


def test_unknown_parameters_are_named(solver: str) -> None:
    with pytest.raises(UnknownParameter, match="did you mean 'time_limit'"):
        queens(4).solve(solver=solver, time_limits=3)
    with pytest.raises(UnknownParameter, match=f"{solver} has no parameter 'frobnicate'"):
        queens(4).solve(solver=solver, frobnicate=3)


def test_a_backends_own_parameters_are_typed() -> None:
    m = queens(4)
    fake = FakeBackend(says(exhausted=False, reason="step_limit"))
    with installed(fake):
        m.solve(solver="fake", pace=3, mood="bad", share=1)
        for bad, message in (
            ({"pace": 1.5}, "pace: an integer is needed, got 1.5"),
            ({"pace": True}, "pace: an integer is needed"),
            ({"mood": "ugly"}, "mood: one of good, bad is needed, got 'ugly'"),
            ({"share": "half"}, "share: a number is needed, got 'half'"),
            ({"pacce": 1}, "did you mean 'pace'"),
        ):
            with pytest.raises(UnknownParameter, match=message):
                m.solve(solver="fake", **bad)
    assert {k: v for k, v in fake.requests[0].parameters.items() if not k.startswith("_")} == {
        "pace": 3,
        "mood": "bad",
        "share": 1.0,
    }


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cpsta", "did you mean 'cpsat'"),
        ("", "a name is needed"),
        (None, "a name is needed"),
        (3, "a name is needed"),
        ("cpsat:fast", "has no strategies"),
        ("fake:quik", "did you mean 'quick'"),
    ],
)
def test_unknown_solvers(name, message: str) -> None:
    with installed(FakeBackend(says())), pytest.raises(UnknownBackend, match=message):
        queens(4).solve(solver=name)


def test_strategies_are_handed_on() -> None:
    fake = FakeBackend(says(exhausted=False, reason="step_limit"))
    with installed(fake):
        outcome = queens(4).solve(solver="fake:slow")
    assert fake.requests[0].strategy == "slow"
    assert outcome.solver == "fake:slow"


NEEDS = [
    (Feature.ENUMERATE, lambda m: m.enumerate(solver="fake")),
    (Feature.ENUMERATE, lambda m: m.count(solver="fake")),
    (Feature.HINT, lambda m: m.solve(solver="fake", hint={"q": [0, 1, 2, 3]})),
    (Feature.WORKERS, lambda m: m.solve(solver="fake", num_workers=2)),
    (Feature.STEP_LIMIT, lambda m: m.solve(solver="fake", step_limit=5)),
    (Feature.RESUME, lambda m: m.enumerate(solver="fake", after={"q": [1, 3, 0, 2]})),
]


@each("case", range(len(NEEDS)))
def test_missing_features_are_refused_before_the_search(case: int) -> None:
    feature, use = NEEDS[case]
    fake = FakeBackend(says(), features=frozenset(Feature) - {feature})
    with installed(fake), pytest.raises(UnsupportedRequest, match="solvers that can: ") as caught:
        use(queens(4))
    assert not fake.requests
    assert caught.value.exit_code == 20


def test_an_objective_is_a_feature() -> None:
    m = queens(4)
    m.minimize(m["q"][0])
    fake = FakeBackend(says(), features=frozenset(Feature) - {Feature.OBJECTIVE})
    with installed(fake), pytest.raises(UnsupportedRequest, match="objective"):
        m.solve(solver="fake")


HINTS = {
    "wrong name": ({"p": [0, 1, 2, 3]}, "no variable 'p'"),
    "wrong size": ({"q": [0, 1]}, "4 value"),
    "floats": ({"q": [0.5, 1, 2, 3]}, "integers only"),
    "not a mapping": ([0, 1, 2, 3], "hint:"),
    "text": ("0123", "hint:"),
}


@each("case", HINTS)
def test_wrong_hints(case: str) -> None:
    hint, message = HINTS[case]
    with installed(FakeBackend(says())), pytest.raises((ModelError, IntegerError), match=message):
        queens(4).solve(solver="fake", hint=hint)


def test_hints_reach_the_backend() -> None:
    m = queens(4)
    fake = FakeBackend(says(exhausted=False, reason="step_limit"))
    with installed(fake):
        outcome = m.solve(solver="fake", hint={m["q"][1:3]: [9, 2]})
    request = fake.requests[0]
    assert request.hinted.tolist() == [False, False, True, False]
    assert request.hint[2] == 2
    assert outcome.messages == ("hint q[1] = 9 ignored: outside its domain",)


def test_hints_by_outcome_and_solution() -> None:
    m = queens(4)
    found = m.solve()
    fake = FakeBackend(says(exhausted=False, reason="step_limit"))
    with installed(fake):
        m.solve(solver="fake", hint=found)
        m.solve(solver="fake", hint=found.solution)
    for request in fake.requests:
        assert request.hinted.all()
        assert request.hint.tolist() == found.solution.values.tolist()


def test_resuming_needs_a_whole_assignment() -> None:
    with installed(FakeBackend(says())), pytest.raises(ModelError, match="after: no value for"):
        queens(4).enumerate(solver="fake", after={"q[0]": 1})


def test_logs() -> None:
    lines: list[str] = []
    queens(6).solve(solver="cpsat", log=lines.append)
    assert any("CP-SAT" in line for line in lines)
    with pytest.raises(ModelError, match="log:"):
        queens(4).solve(solver="cpsat", log="yes")


def test_every_refusal_is_one_line_of_ours() -> None:
    m = queens(4)
    for options in ({"time_limit": -1}, {"random_seed": -1}, {"solver": "nope"}, {"x": 1}, {"hint": 3}):
        with pytest.raises(CpqueensError) as caught:
            m.solve(**options)
        assert "\n" not in str(caught.value)
        assert caught.value.exit_code == 2


def test_numpy_numbers_are_welcome() -> None:
    outcome = queens(6).enumerate(
        solver="cpsat", time_limit=np.float32(20), random_seed=np.int64(3), solution_limit=np.int32(2)
    )
    assert outcome.count == 2


@each("verb", ["solve", "count", "enumerate", "solutions"])
@each("option", ["time_limit", "random_seed", "num_workers"])
def test_false_is_no_number_but_none_is_no_option(verb: str, option: str) -> None:
    model = Model()
    model.intvar(0, 3, name="x")
    with pytest.raises(ModelError, match=option):
        list(model.solutions(**{option: False})) if verb == "solutions" else getattr(model, verb)(
            **{option: False}
        )
    assert model.count("backtracking", **{option: None}) == 4


def test_switches_that_are_off_ask_for_nothing() -> None:
    model = Model()
    model.intvar(0, 3, name="x")
    outcome = model.enumerate(solver="backtracking", optimal=False, prove_complete=False, log=False)
    assert outcome.count == 4


@pytest.mark.parametrize("there", [True, False])
def test_programs_that_are_installed_are_among_the_solvers_that_can(
    there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named.shutil, "which", lambda name: name if there else None)
    with pytest.raises(UnsupportedRequest) as caught:
        queens(4).count(solver="local-search")
    assert str(caught.value).endswith(", minizinc") is there


BOTH = "local-search:tabu+cpsat"


def test_a_hand_over_is_called_by_both_its_parts() -> None:
    name, backend, strategy = named_solver(BOTH)
    assert (name, backend.name, strategy) == (BOTH, BOTH, None)


def test_a_hand_over_takes_parameters_on_the_command_line() -> None:
    given = run_options(BOTH, ["linearization_level=0", "audit=full"])
    assert given == {"solver": BOTH, "linearization_level": 0, "audit": "full"}


def test_a_hand_over_is_fuzzed() -> None:
    assert fuzz(4, 1, [BOTH], processes=0).exit_code == 0


def test_a_hand_over_that_lists_nothing_has_its_orbits_listed_by_another() -> None:
    assert [_lister(solver) for solver in ("auto", "cpsat", BOTH)] == ["auto", "cpsat", "auto"]


def test_auto_places_many_rectangles_by_local_search() -> None:
    many, few = squares(DUIJVESTIJN, 112, 112), squares(MORON, 33, 32)
    loose, tight = squares(DUIJVESTIJN, 140, 140), squares(DUIJVESTIJN, 112, 111)
    chosen = [choose(m, "auto", Want.ONE)[0] for m in (many, few, loose, tight)]
    assert chosen == ["local-search+cpsat", "auto", "auto", "auto"]
    assert choose(many, "auto", Want.ALL)[0] == "auto"
    outcome = many.solve(time_limit=600)
    assert outcome.status == "FEASIBLE"
    assert outcome.statistics["reason"].startswith("many rectangles that fill all there is, ")
