"""The list of mutants is sound: each is found once, changes something, and can be noticed by tests there are.

Whether they are noticed is shown by ``make mutants``.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from areas import AREAS
from mutant import ROOT, Area, DoesNotApply, Mutant, apply, find
from run import Verdict, judge, table

EVERY = [(area, mutant) for area in AREAS for mutant in area.mutants]


@pytest.mark.parametrize(("area", "mutant"), EVERY, ids=[f"{a.name}: {m.name}" for a, m in EVERY])
def test_a_mutant_applies_exactly_once_and_is_python(area: Area, mutant: Mutant) -> None:
    ast.parse(dedent(apply(mutant).body))
    assert mutant.text != mutant.replacement
    for test in mutant.tests or area.tests:
        assert (ROOT / test).is_file(), test


def test_there_are_enough_and_no_two_of_one_name() -> None:
    names = [(area.name, mutant.name) for area, mutant in EVERY]
    assert len(set(names)) == len(names) >= 120
    assert len({area.name for area in AREAS}) == len(AREAS)


def test_what_no_longer_applies_is_said() -> None:
    with pytest.raises(DoesNotApply, match="0 times"):
        apply(Mutant("gone", "Checker.accepts", "no such text", ""))
    with pytest.raises(DoesNotApply, match="2 times"):
        apply(Mutant("twice", "Checker.accepts", "self._accepts", ""))
    with pytest.raises(DoesNotApply, match="nowhere"):
        find("no_such_function")
    with pytest.raises(DoesNotApply, match="places: "):
        find("run")


def test_a_planted_fault_is_noticed(tmp_path: Path) -> None:
    test = tmp_path / "test_phrase.py"
    test.write_text(
        "from cpqueens.suggest import did_you_mean\n\n\n"
        "def test_it():\n    assert did_you_mean('quens', ['queens']) == \"; did you mean 'queens'?\"\n"
    )
    area = Area("here", (), (str(test),), solvers="local-search")
    fault = Mutant("nearest last", "did_you_mean", "close[0]!r", "close[0]")
    assert judge(area, fault).end == "tests"
    assert judge(area, replace(fault, equivalent="as a lie")).end == "not equivalent"
    assert judge(area, replace(fault, text="no such text")).end == "does not apply"


def test_the_score_counts_what_was_killed() -> None:
    mutant = Mutant("x", "f", "a", "b")
    ends = ["tests", "fuzz", "survived", "equivalent"]
    text = table([Verdict("area", mutant, end, "", 1.0) for end in ends])
    assert text.splitlines()[1].split() == ["area", "4", "1", "1", "0", "1", "1", "66.7%"]
