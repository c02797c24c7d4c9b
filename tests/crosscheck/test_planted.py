"""The net is proved: every planted bug is caught and shrunk, and a clean run raises no alarm.

``python tests/crosscheck/test_planted.py`` prints the table.
"""

from __future__ import annotations

import numpy as np
import pytest
from planted import BUGS, CONTROL, hunt

from cpqueens.answers.check import Checker
from cpqueens.fuzzing.fuzz import fuzz

MODELS = 1500
# Hunting them all takes minutes: those that come up within seconds are hunted here, the rest by slow tests.
QUICK = {
    "a dropped constraint",
    "a time-out called infeasible",
    "the objective's constant dropped",
}
HUNTED = [
    pytest.param(bug, id=bug.name, marks=[] if bug.name in QUICK else [pytest.mark.slow]) for bug in BUGS
]


@pytest.mark.parametrize("bug", HUNTED)
def test_a_planted_bug_is_caught_and_shrunk(bug):
    found = hunt(bug, MODELS)
    assert found is not None, f"{bug.name} went unnoticed"
    assert found.accused == "planted"
    assert found.variables <= 3  # asked for is a median of 3 and 2: every single one keeps it
    assert found.constraints <= 2


def test_there_are_enough_bugs_and_no_two_of_one_name():
    names = {bug.name for bug in BUGS}
    assert names > QUICK
    assert len(names) == len(BUGS) >= 24


def test_the_clean_control_raises_no_alarm():
    assert hunt(CONTROL, 10) is None


def test_a_checker_that_accepts_one_bad_value_is_caught(monkeypatch):
    honest = Checker.accepts

    def lenient(self, matrix):
        """Take the upper end of each domain for the lower one."""
        ends = self.model.upper[self.known], self.model.lower[self.known]
        return honest(self, np.where(matrix == ends[0], ends[1], matrix))

    monkeypatch.setattr(Checker, "accepts", lenient)
    report = fuzz(5, 7, ["python-constraint"], processes=0)
    assert ("CHECKER_DOUBT", "checker") in {(str(f.code), f.accused) for f in report.failures}
    monkeypatch.undo()
    assert fuzz(5, 7, ["python-constraint"], processes=0).exit_code == 0


def table() -> str:
    """Return the table of all planted bugs."""
    lines = [f"{'planted bug':44} {'models':>6}  {'code':20} {'size':>6}  shrunk to"]
    for bug in BUGS:
        c = hunt(bug, MODELS)
        size = "" if c is None else f"{c.variables}, {c.constraints}"
        shown = ("-", "NOT CAUGHT", "", "") if c is None else (c.models, c.code, size, c.text)
        lines.append(f"{bug.name:44} {shown[0]:>6}  {shown[1]:20} {shown[2]:>6}  {shown[3]}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
