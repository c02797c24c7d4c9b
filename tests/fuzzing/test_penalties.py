"""Soft constraints are drawn, examined, shrunk and kept in files; each fault in them is noticed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cpqueens import Model
from cpqueens.crosscheck import oracle
from cpqueens.crosscheck.shrink import shrink
from cpqueens.files import modelfile
from cpqueens.files.modelfile import ModelWriter
from cpqueens.fuzzing.examine import examine, penalties, round_trip
from cpqueens.fuzzing.generate import random_model
from cpqueens.fuzzing.subject import Examination, Subject
from cpqueens.language.objectives import Goal, Objectives, Soft
from cpqueens.language.rebuild import rebuilt

SOFT = [(seed, model) for seed in range(120) if (model := random_model(seed, soft=True)).soft]


def accused(examination: Examination) -> set[str]:
    """Return who is accused of anything on any of the models, without any solver."""
    return {d.accused for seed, model in SOFT for d in examination(Subject(model, [], seed=seed))}


def test_every_way_to_state_penalties_is_drawn() -> None:
    stated = {tuple(goal.penalties for goal in model.stated) for _, model in SOFT}
    assert stated == {(), (None,), (1,), (None, 1), (1, None), (-1,), (-3,)}
    assert {soft.constraint.size for _, model in SOFT for soft in model.soft} >= {1, 2}
    assert len({soft.constraint.kind for _, model in SOFT for soft in model.soft}) > 10


def of_the_first(self: Soft, values: Any, store: Any) -> Any:
    """Report only one element of each."""
    return list(HONEST_VIOLATED(self, values, store))[:1]


def never_subtracted(self: Objectives) -> Any:
    """Add penalties also to what is maximised."""
    goals = HONEST_GOALS(self)
    first = next(iter(self.stated), None)
    if first is None or first.penalties is not None or not first.maximizing:
        return goals
    return (Goal(2 * first.term - goals[0].term, True), *goals[1:])


def without_weights(self: ModelWriter, soft: Soft) -> dict[str, Any]:
    """Forget what they cost."""
    return {**HONEST_WRITER(self, soft), "weight": 1}


HONEST_VIOLATED, HONEST_GOALS, HONEST_WRITER = Soft.violated, Objectives._with_penalties, ModelWriter.soft
FAULTS: list[tuple[Examination, str, type, str, Callable[..., Any]]] = [
    (penalties, "checker", Soft, "violated", of_the_first),
    (penalties, "checker", Objectives, "_with_penalties", never_subtracted),
    (round_trip, "model file", ModelWriter, "soft", without_weights),
]


@pytest.mark.parametrize(("examination", "who", "owner", "name", "fault"), FAULTS)
def test_a_fault_is_noticed(
    examination: Examination,
    who: str,
    owner: type,
    name: str,
    fault: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert accused(examination) == set()
    monkeypatch.setattr(owner, name, fault)
    for _, model in SOFT:
        monkeypatch.setattr(model, "_goals", None)  # made again with the fault
    assert who in accused(examination)


def test_rebuilt_models_cost_the_same_and_are_shrunk_to_what_matters() -> None:
    for _, model in SOFT[:20]:
        again = rebuilt(model)
        assert [goal.penalties for goal in again.stated] == [goal.penalties for goal in model.stated]
        assert np.array_equal(
            oracle.penalties(again, oracle.assignments(again)),
            oracle.penalties(model, oracle.assignments(model)),
        )
    several = next(model for _, model in SOFT if len(model.soft) > 2)
    small = shrink(several, lambda m: any(soft.name == "s1" for soft in m.soft))
    assert [soft.name for soft in small.soft] == ["s1"]
    assert small.constraints == []


def test_solvers_are_examined_on_them() -> None:
    from cpqueens.crosscheck.participants import as_participants

    participants = as_participants(["cpsat", "backtracking", "python-constraint"])
    for seed, model in SOFT[:8]:
        assert examine(Subject(model, participants, seed=seed, deep=False)) == []


def test_an_objective_behind_the_first_must_be_defined_for_the_oracle_too() -> None:
    model = Model()
    x, y = model.intvar(0, 2, shape=2, name="x")
    model.minimize(x, x // y)
    assert oracle.solve(model).count == model.count("backtracking") == 6
    assert oracle.solve(modelfile.parse_model(modelfile.dump_model(model))).count == 6
