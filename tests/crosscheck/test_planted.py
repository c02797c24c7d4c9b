"""The net is proved: every planted bug is caught and shrunk, and a clean run raises no alarm.

``python tests/crosscheck/test_planted.py`` prints the table.
"""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from planted import BUGS, CONTROL, Bug, Catch, hunt

from cpqueens.check import Checker
from cpqueens.crosscheck.fuzz import fuzz

MODELS = 1500
_CAUGHT: dict[str, Catch | None] = {}


def caught(bug: Bug) -> Catch | None:
    """Hunt each bug once."""
    if bug.name not in _CAUGHT:
        _CAUGHT[bug.name] = hunt(bug, MODELS)
    return _CAUGHT[bug.name]


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_planted_bug_is_caught(bug):
    found = caught(bug)
    assert found is not None, f"{bug.name} went unnoticed"
    assert found.accused == "planted"


def test_shrunk_models_have_at_most_3_variables_and_2_constraints_in_the_median():
    sizes = [(c.variables, c.constraints) for bug in BUGS if (c := caught(bug)) is not None]
    assert len(sizes) >= 24
    assert statistics.median(v for v, _ in sizes) <= 3
    assert statistics.median(c for _, c in sizes) <= 2


def test_the_clean_control_raises_no_alarm():
    assert hunt(CONTROL, 150) is None


def test_a_checker_that_accepts_one_bad_value_is_caught(monkeypatch):
    honest = Checker.accepts

    def lenient(self, matrix):
        """Take the upper end of each domain for the lower one."""
        ends = self.model.upper[self.known], self.model.lower[self.known]
        return honest(self, np.where(matrix == ends[0], ends[1], matrix))

    monkeypatch.setattr(Checker, "accepts", lenient)
    report = fuzz(12, 7, ["python-constraint"], processes=0)
    assert ("CHECKER_DOUBT", "checker") in {(str(f.code), f.accused) for f in report.failures}
    monkeypatch.undo()
    assert fuzz(12, 7, ["python-constraint"], processes=0).exit_code == 0


def table() -> str:
    """Return the table of all planted bugs."""
    lines = [f"{'planted bug':44} {'models':>6}  {'code':20} {'size':>6}  shrunk to"]
    for bug in BUGS:
        c = caught(bug)
        size = "" if c is None else f"{c.variables}, {c.constraints}"
        shown = ("-", "NOT CAUGHT", "", "") if c is None else (c.models, c.code, size, c.text)
        lines.append(f"{bug.name:44} {shown[0]:>6}  {shown[1]:20} {shown[2]:>6}  {shown[3]}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
