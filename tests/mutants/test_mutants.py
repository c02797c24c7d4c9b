"""The list of mutants is sound: each is found once, changes something, and can be noticed by tests there are.

Whether they are noticed is shown by ``make mutants``.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from shutil import copy
from textwrap import dedent

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from areas import AREAS
from mutant import ROOT, Area, DoesNotApply, Mutant, apply, find
from planting import HOOK, Noticed
from run import Verdict, conclude, table
from timing import QuickestFirst

EVERY = [(area, mutant) for area in AREAS for mutant in area.mutants]


def trouble(area: Area, mutant: Mutant) -> str:
    """Return why a mutant cannot be planted, or ''."""
    try:
        ast.parse(dedent(apply(mutant).body))
    except DoesNotApply as error:
        return str(error)
    except SyntaxError as error:
        return f"{mutant.name}: {error}"
    if mutant.text == mutant.replacement:
        return f"{mutant.name} changes nothing"
    lost = [test for test in mutant.tests or area.tests if not (ROOT / test).is_file()]
    return f"{mutant.name}: there is no {lost[0]}" if lost else ""


@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.name)
def test_every_mutant_applies_exactly_once_and_is_python(area: Area) -> None:
    found = [text for mutant in area.mutants if (text := trouble(area, mutant))]
    assert not found, "\n".join(["anchor these anew, in tests/mutants/list_*.py:", *found])


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


NEAREST_LAST = Mutant("nearest last", "did_you_mean", "close!r", "close")


def a_test_of_a_phrase(tmp_path: Path) -> Path:
    """Return the file of a test that notices `NEAREST_LAST`."""
    test = tmp_path / "test_phrase.py"
    test.write_text(
        "from cpqueens.text.plaintext import did_you_mean\n\n\n"
        "def test_it():\n    assert did_you_mean('quens', ['queens']) == \"; did you mean 'queens'?\"\n"
    )
    return test


def planted(tmp_path: Path, mutant: Mutant | None) -> str:
    """Load the package with a fault in it, and run a test of one function; return the end."""
    test = a_test_of_a_phrase(tmp_path)
    name = ""
    if mutant is not None:
        mutated = apply(mutant)
        file = tmp_path / "mutant.txt"
        file.write_text(mutated.source, encoding="utf-8")
        name = f"{mutated.module}={file}"
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", str(test)]
    copy(HOOK, tmp_path / "sitecustomize.py")
    hook = {"PYTHONPATH": str(tmp_path), "CPQUEENS_MUTANT": name}
    return "passed" if not subprocess.run(command, env=os.environ | hook, cwd=ROOT).returncode else "failed"


@pytest.mark.slow
def test_a_planted_fault_is_loaded_in_place_of_the_module(tmp_path: Path) -> None:
    assert planted(tmp_path, NEAREST_LAST) == "failed"
    assert planted(tmp_path, None) == "passed"


IN_PLACE = """
import sys
sys.path.insert(0, sys.argv[1])
from mutant import Area
import timing
from planting import Job, load_libraries
from warm import watch_warm
load_libraries()
timing.LEAST = 1.0
area = Area("here", (), ())
jobs = {k: Job(planted, (sys.argv[2],), area, fuzz=k % 2 == 0) for k, planted in enumerate(sys.argv[3:])}
for number, noticed in watch_warm(jobs, 1, {}):
    print("job", number, noticed.end, noticed.detail.rpartition("::")[2])
"""


@pytest.mark.slow
def test_a_fault_is_planted_in_the_functions_of_a_warm_process(tmp_path: Path) -> None:
    """Nothing is said of what a fuzzer is to look at yet, nor of what is no function.

    Of one that never ends it is known what its test took before.
    """
    endless = Mutant("endless", "did_you_mean", "if close:", "while close:\n        continue\n    if close:")
    harmless = Mutant("harmless", "did_you_mean", "close!r", "repr(close)")
    of_a_table = Mutant("a table", "base.REFUSED", 'write time_limit=",\n    "workers', '",\n    "workers')
    files = []
    for k, mutant in enumerate((NEAREST_LAST, harmless, harmless, of_a_table, of_a_table, endless)):
        mutated = apply(mutant)
        file = tmp_path / f"{k}.txt"
        file.write_text(mutated.source, encoding="utf-8")
        files.append(f"{mutated.module}={file}")
    folder = str(Path(__file__).parent)
    command = [sys.executable, "-c", IN_PLACE, folder, str(a_test_of_a_phrase(tmp_path)), *files]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == ["job 0 tests test_it", "job 1 survived ", "job 5 time test_it"]


def test_the_plugin_that_orders_tests_can_be_in_a_set(tmp_path: Path) -> None:
    """As pytest puts it into one where a folder's conftest.py does not see all tests."""
    plugin = QuickestFirst({"a": 1.0}, tmp_path)
    assert plugin in {plugin}


def test_what_an_end_means() -> None:
    area, mutant = Area("here", (), ()), Mutant("x", "f", "a", "b")
    lie, endless = replace(mutant, equivalent="as a lie"), replace(mutant, hangs=True)
    table_of_ends = {
        "tests": ("tests", "not equivalent", "tests"),
        "fuzz": ("fuzz", "not equivalent", "fuzz"),
        "time": ("time", "not equivalent", "time"),
        "late": ("time-out", "not equivalent", "time"),
        "survived": ("survived", "equivalent", "survived"),
        "broken": ("broken", "not equivalent", "broken"),
    }
    for end, meant in table_of_ends.items():
        noticed = Noticed(end, "", 1.0)
        assert tuple(conclude(area, m, noticed).end for m in (mutant, lie, endless)) == meant


def test_the_score_counts_what_was_killed() -> None:
    mutant = Mutant("x", "f", "a", "b")
    ends = ["tests", "fuzz", "survived", "equivalent"]
    text = table([Verdict("area", mutant, end, "", 1.0) for end in ends])
    assert text.splitlines()[1].split() == ["area", "4", "1", "1", "0", "1", "1", "66.7%"]
