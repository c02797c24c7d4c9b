"""The collection is what it says, and ``auto`` gives its answers."""

from __future__ import annotations

import pytest

from collection.instance import Question, ask
from collection.registry import FAMILIES, INSTANCES

ROWS = [
    pytest.param(
        name,
        question,
        marks=[pytest.mark.slow] if question in instance.slow else [],
        id=f"{name}: {question}",
    )
    for name, instance in INSTANCES.items()
    for question in instance.questions
]


def test_names_are_unique_and_every_answer_has_a_source() -> None:
    assert len(INSTANCES) == sum(len(family) for family in FAMILIES.values()) >= 40
    assert [name for name, instance in INSTANCES.items() if not instance.source] == []


def test_what_is_asked_has_an_answer_and_there_are_models_of_all_kinds() -> None:
    kinds = set()
    for instance in INSTANCES.values():
        model = instance.build()
        kinds |= {posted.constraint.kind for posted in model.constraints}
        assert (model.objective is not None) == (instance.optimum is not None), instance.name
        assert instance.questions, instance.name
        assert all(instance.answer(question) is not None for question in instance.questions), instance.name
    assert {"AllDifferent", "Count", "Linear", "Table", "LexLess", "Increasing"} <= kinds
    assert {"Circuit", "Cumulative", "NoOverlap", "NoOverlap2D"} <= kinds
    assert sum(instance.solutions == 0 for instance in INSTANCES.values()) >= 10


@pytest.mark.parametrize(("name", "question"), ROWS)
def test_auto_gives_the_answer(name: str, question: Question) -> None:
    instance = INSTANCES[name]
    assert ask(instance.build(), question) == instance.answer(question)


EXACT = [
    pytest.param(name, question, solver, id=f"{name}: {question} by {solver}")
    for name, instance in INSTANCES.items()
    for question in instance.questions
    if question not in instance.slow and (question != "solve" or instance.questions == ("solve",))
    for solver in instance.exact
]


@pytest.mark.parametrize(("name", "question", "solver"), EXACT)
def test_exact_backends_give_the_answer(name: str, question: Question, solver: str) -> None:
    instance = INSTANCES[name]
    assert ask(instance.build(), question, solver) == instance.answer(question)
