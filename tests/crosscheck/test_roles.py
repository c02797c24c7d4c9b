"""What each constraint is there for: redundant, refusing, breaking symmetries; by the sets themselves."""

from __future__ import annotations

import json
import time
from pathlib import Path
from random import Random

import numpy as np
import pytest
from cpqueens.models.queens import queens

from cpqueens import AllDifferent, CpqueensError, Model
from cpqueens.answers.symmetry import QUEENS_BOARD, canonical
from cpqueens.cli.main import main
from cpqueens.crosscheck import oracle
from cpqueens.crosscheck.given import small_enough
from cpqueens.crosscheck.roles import Role, constraint_roles
from cpqueens.fuzzing.generate import random_model


def test_roles_up_to_symmetries() -> None:
    """The four boards of 6 queens, 1 3 5 0 2 4 and 2 5 1 4 0 3 and their mirror images, are one orbit."""
    m = queens(6)
    m += [m["q"][0] < 3, m["q"][0] != m["q"][3] - 3]
    found = constraint_roles(m, symmetries=QUEENS_BOARD, time_limit=600)
    assert [one.role for one in found[3:]] == [Role.BREAKS_SYMMETRIES, Role.REDUNDANT]
    assert (found[3].orbits_lost, found[4].proved_by) == (0, ("cpsat", "backtracking"))
    for one in found:
        if one.witness is not None:
            assert m.without([one.position]).check(dict(one.witness)).ok
            assert not m.check(dict(one.witness)).ok


def test_positions_are_those_of_a_model_with_conditions_of_its_objective() -> None:
    m = Model()
    x = m.intvar(0, 4, shape=2, name="x")
    m.minimize(x[0] // x[1])
    m += [x[0] >= 2, x[0] >= 1]
    found = constraint_roles(m, time_limit=600)
    assert [m.constraints[one.position].name for one in found] == [None, None]
    assert [one.role for one in found] == [Role.REFUSES, Role.REDUNDANT]


def test_orbits_that_are_lost_are_counted() -> None:
    rows = queens(7).enumerate(solver="cpsat").solutions.matrix
    kept = canonical(rows[rows[:, 3] == 3], QUEENS_BOARD)
    m = queens(7)
    m += m["q"][3] == 3
    found = constraint_roles(m, symmetries=QUEENS_BOARD, time_limit=600)[-1]
    assert found.role is Role.LOSES_ORBITS
    assert found.orbits_lost == 6 - len(np.unique(kept, axis=0)) > 0  # 6: OEIS A002562


def test_the_time_limit_holds_and_nothing_is_claimed() -> None:
    m = Model()
    x = m.intvar(0, 10**6, shape=40, name="x")
    m += [x[k] * x[k + 1] % 1009 == x[k + 2] % 997 for k in range(38)]
    m += AllDifferent(x)
    began = time.process_time()
    found = constraint_roles(m, time_limit=1, solvers=("cpsat",))
    assert time.process_time() - began < 6  # a second, and the machine may be slow
    for one in found:
        assert one.role in (Role.UNDECIDED, Role.REFUSES)
        assert one.witness is None or m.without([one.position]).check(dict(one.witness)).ok


@pytest.mark.parametrize("first", [0, pytest.param(100, marks=pytest.mark.slow)])
def test_roles_are_those_of_brute_force(first: int) -> None:
    decided = 0
    for seed in range(first, first + (8 if first == 0 else 150)):
        m = random_model(Random(seed))
        m.drop_objectives()
        if not small_enough(m):
            continue
        try:
            roles = constraint_roles(m, time_limit=600)
        except CpqueensError:
            continue
        all_of_them = oracle.solve(m).rows
        for one in roles:
            more = oracle.solve(m.without([one.position])).rows
            assert (one.role is Role.REDUNDANT) == (more == all_of_them), (seed, one)
            decided += 1
    assert decided > 5


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.py"
    path.write_text(
        "from cpqueens import Model\nm = Model()\nx = m.intvar(0, 3, shape=3, name='x')\n"
        "m.add(x[0] < x[1], name='first')\nm.add(x[1] < x[2], name='second')\n"
        "m.add(x[0] < x[2], name='third')\n"
    )

    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit):
            main(["compare", str(path), str(path), *arguments])
        return capsys.readouterr().out

    text = run("--redundant")
    assert "implied by the others in a: third" in text
    assert "refuses what the others accept in b: first" in text
    assert "the others accept x[0] = " in text
    roles = json.loads(run("--redundant", "--json"))["roles"]
    assert [one["role"] for one in roles[0]] == ["REFUSES", "REFUSES", "REDUNDANT"]
