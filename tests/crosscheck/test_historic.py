"""Regression models: ways in which solvers went wrong, on the backends of today.

Our backends must be right on all of them; the raw calls of the libraries must still be caught.

* OR-Tools 9.15, presolve on, one worker: enumerating ``y >= max(x, y)`` beside ``x - y != 1`` delivers three
  assignments that are no solutions. Found by our fuzzer; without presolve, as our backend enumerates where
  there are minima and maxima, the answer is right.
* OR-Tools 9.15, one worker: of a table in which a value of 2^31 or more stands in two rows, a solution is
  lost, with presolve and without. Found by our fuzzer; our backend writes such tables as a disjunction.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from cpqueens import cross_check
from cpqueens.system.requirements import versions

_PATH = Path(__file__).parents[2] / "examples" / "13_historic_bugs.py"
_SPEC = importlib.util.spec_from_file_location("historic_bugs", _PATH)
historic = importlib.util.module_from_spec(_SPEC)
sys.modules["historic_bugs"] = historic  # dataclasses look for their module
_SPEC.loader.exec_module(historic)

AFFECTED = versions()["ortools"].startswith("9.15.")


@pytest.mark.parametrize("case", historic.cases(6), ids=lambda case: case.name)
def test_backends_are_right(case):
    report = cross_check(case.model, published=case.solution_count)
    assert not report.disagreements
    assert all(solver.distinct == case.solution_count for solver in report.solvers)


@pytest.mark.skipif(not AFFECTED, reason="these faults are those of OR-Tools 9.15")
def test_the_faults_of_the_installed_libraries_are_caught():
    table = {case.name: dict(historic.verdicts(case))[case.raw.name] for case in historic.cases(8)}
    assert table["enumeration with two workers"].startswith("MISSING")
    assert table["a stopped enumeration"] != "agrees"
    assert table["one-sided Booleans"].startswith("DUPLICATE")
    assert table["y >= max(x, y)"].startswith("INVALID_SOLUTION")
    assert table["y >= max(x, y), no presolve"] == "agrees"
    assert table["table beyond 32 bits"].startswith("MISSING")
    assert table["same, no presolve"].startswith("MISSING")
    assert table["reified sum of 36 bits"].startswith("MISSING")
    assert table["AllDifferent of 0 and 2^31"] == "agrees"
