"""Wider domains and costs as they were written: faults of the language layer are found, refusals counted."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from cpqueens import Model
from cpqueens.crosscheck import as_written
from cpqueens.crosscheck.findings import Code
from cpqueens.crosscheck.participants import as_participants
from cpqueens.fuzzing.examine import costs_as_written, wider_domains
from cpqueens.fuzzing.generate import written_model
from cpqueens.fuzzing.subject import Subject
from cpqueens.fuzzing.written import Script
from cpqueens.language.store import VariableStore


def subject(model: Model, script: Script | None, seed: int = 0) -> Subject:
    known = None if script is None else as_written.solve(model, script)
    return Subject(model, as_participants(["backtracking"]), seed=seed, script=script, known=known)


def product_of_a_decided_truth() -> Subject:
    """Return 7 // y times what the bounds of x decide, which is to be 0, posted and as a soft constraint."""
    model, script = Model(), Script()
    x, y = script.variable(model, [0, 1, 2, 3], "x"), script.variable(model, [0, 1], "y")
    node = (x > 3).truth() * (7 // y) == 0
    model.add((node | (x == 0)).built)
    script.posted.append(node | (x == 0))
    model.add_soft(node.built, weight=3)
    script.soft.append((node, 3))
    return subject(model, script)


def test_nothing_is_found_in_what_is_right() -> None:
    asked: Counter[str] = Counter()
    for seed in range(40):
        one = subject(*written_model(Random(seed), soft=True, cancelling=seed % 2 == 0), seed)
        assert not [*wider_domains(one), *costs_as_written(one)], seed
        asked.update({what: many for (what, _), many in one.asked.items()})
    assert asked["wider domains"] > 30 > 4 * asked["wider domains refused"] > 0
    assert asked["costs as written"] > 4


def test_a_condition_that_is_lost_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    one = product_of_a_decided_truth()
    assert not [*wider_domains(one), *costs_as_written(one)]
    monkeypatch.setattr(
        VariableStore, "_with_zeros", lambda self, variables, coefficients, lost: (variables, coefficients)
    )
    lossy = product_of_a_decided_truth()
    (narrow,) = [
        d for d in wider_domains(Subject(lossy.model, [], script=lossy.script)) if "wider" in d.message
    ]
    assert (narrow.code, narrow.message) == (Code.RELATION_BROKEN, "5 solutions over wider domains, 8 before")
    assert [d.code for d in costs_as_written(lossy)] == [Code.RELATION_BROKEN]


def test_a_solver_is_asked_over_wider_domains(monkeypatch: pytest.MonkeyPatch) -> None:
    import cpqueens.fuzzing.examine as widening

    one = product_of_a_decided_truth()
    right = widening.widened

    def wrong(script: Script, random: Random) -> Any:
        model = right(script, random)
        model.add(model["y"] == 0)
        return model

    monkeypatch.setattr(widening, "widened", wrong)
    assert [d.code for d in wider_domains(one)] == [Code.RELATION_BROKEN, Code.COUNT_DIFF]
