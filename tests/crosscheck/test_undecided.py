"""Comparisons whose time runs out: what is not decided is neither a verdict nor a proof."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cpqueens import Model
from cpqueens.crosscheck import equivalence
from cpqueens.crosscheck.directions import Direction
from cpqueens.crosscheck.matching import matched
from cpqueens.crosscheck.roles import Questions
from cpqueens.crosscheck.two_models import ModelRelation
from cpqueens.system.interrupts import listening

PROVED = SimpleNamespace(proved=True, difference=None)
DIFFERS = SimpleNamespace(proved=False, difference="a witness")
OPEN = SimpleNamespace(proved=False, difference=None)


@pytest.mark.parametrize(
    ("only_a", "only_b", "common", "verdict"),
    [
        (PROVED, PROVED, None, "EQUAL"),
        (PROVED, DIFFERS, None, "A_IN_B"),
        (DIFFERS, PROVED, None, "B_IN_A"),
        (PROVED, OPEN, None, "NO_DIFFERENCE_FOUND"),
        (OPEN, PROVED, None, "NO_DIFFERENCE_FOUND"),
        (OPEN, OPEN, None, "NO_DIFFERENCE_FOUND"),
        (DIFFERS, DIFFERS, True, "OVERLAP"),
        (DIFFERS, DIFFERS, False, "DISJOINT"),
        (DIFFERS, DIFFERS, None, "DIFFERENT"),
        (DIFFERS, OPEN, True, "DIFFERENT"),
        (OPEN, DIFFERS, True, "DIFFERENT"),
        (DIFFERS, OPEN, None, "DIFFERENT"),
        (OPEN, DIFFERS, False, "DISJOINT"),
    ],
)
def test_a_verdict_says_no_more_than_is_known(
    only_a: Any, only_b: Any, common: bool | None, verdict: str
) -> None:
    assert equivalence._verdict(only_a, only_b, common) is ModelRelation(verdict)


def pair() -> Any:
    """Two models of which the second has a variable of its own that is no function of the shared one."""
    a, b = Model("a"), Model("b")
    a.intvar(0, 3, name="x")
    x, y = b.intvar(0, 3, name="x"), b.intvar(0, 5, name="y")
    b.add(x + y <= 5, y >= 1)
    return matched(a, b, None)


def direction(found: Any, questions: Questions) -> Direction:
    return Direction(found.a, found.b, list(found.shared.values()), tuple(found.shared), questions)


@pytest.mark.parametrize("answer", [(None, None), ("backtracking", "some values")])
def test_candidates_one_by_one_prove_only_if_each_was_decided(
    answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Direction, "_refused_by", lambda *_: answer)
    with listening() as interrupt:
        questions = Questions(("backtracking",), 60.0, interrupt)
        one = direction(pair(), questions)
        one._one_by_one(questions.end)
    assert one.difference is None
    assert one.proved is (answer[0] is not None)
    assert one.decided is one.proved


def test_candidates_that_were_not_all_tried_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def refused(self: Direction, values: Any, seconds: float) -> Any:
        asked.append(values)
        self._questions.end = 0.0  # the time is over
        return "backtracking", "some values"

    monkeypatch.setattr(Direction, "_refused_by", refused)
    with listening() as interrupt:
        questions = Questions(("backtracking",), 60.0, interrupt)
        one = direction(pair(), questions)
        one._one_by_one(questions.end)
    assert len(asked) == 1
    assert not one.decided


def test_what_both_accept_is_open_where_there_was_no_time() -> None:
    found = pair()
    pairs = list(found.shared.values())
    with listening() as interrupt:
        questions = Questions(("backtracking",), 60.0, interrupt)
        assert equivalence._common(found, pairs, questions)[0] is True
        late = Questions(("backtracking",), 60.0, interrupt)
        late.end = 0.0
        assert equivalence._common(found, pairs, late) == (None, [])
