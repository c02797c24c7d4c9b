"""What people write by the habits of other tools is answered with what is meant, in one line."""

from __future__ import annotations

import pydoc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import cpqueens
from cpqueens import (
    AllDifferent,
    BinPacking,
    Circuit,
    CpqueensError,
    Cumulative,
    Increasing,
    Inverse,
    Model,
    NoOverlap,
    NoOverlap2D,
    Regular,
    SubCircuit,
    ValuePrecede,
    element,
)


def asked() -> Any:
    """Return a model with variables of the names that the tables use."""
    m = Model()
    m.intvar(0, 3, shape=4, name="x")
    m.intvar(0, 3, shape=(4, 3), name="wide")
    m.boolvar(shape=4, name="b")
    return m


def named(m: Any) -> Any:
    """Return variables that have names for their values and labels along their axis."""
    return m.var(["day", "night"], shape=["ann", "bob"], name="shift")


Row = tuple[Callable[[Any], Any], str]

REFUSED: dict[str, Row] = {
    "arcs": (
        lambda m: Circuit([(0, 1, m["b"][0]), (1, 0, m["b"][1])]),
        r"no arcs \(tail, head, literal\): write Circuit\(x\) with x = m.intvar",
    ),
    "arcs of SubCircuit": (lambda m: SubCircuit([[0, 1, True]]), r"write SubCircuit\(x\) with"),
    "a table of nodes": (lambda m: Circuit(m["x"].reshape(2, 2)), r"one axis, .* got shape \(2, 2\)$"),
    "Inverse of a table": (lambda m: Inverse(m["x"], m["x"].reshape(2, 2)), r"^Inverse: one axis, "),
    "rows as one word": (
        lambda m: Regular(m["wide"], [(0, 1, 0)], 0, 0), r"^Regular: one row of terms .*; write a Regular",
    ),
    "rows in order": (lambda m: Increasing(m["wide"]), r"^Increasing: one row .* got shape \(4, 3\)"),
    "rows of values": (lambda m: ValuePrecede(m["wide"], 0, 1), "^ValuePrecede: one row of terms is needed"),
    "nodes from 1": (lambda m: m.add(Circuit([2, 3, 1])), "^Circuit: successors count from 0 to 2"),
    "positions from 1": (lambda m: m.add([Inverse(m["x"], [2, 1, 4, 3])]), "^Inverse: positions count"),
    "a number of vehicles": (lambda m: Circuit(m["x"], depots=2), r"got 2; for two .* depots=\[0, 1\]$"),
    "depots in a table": (lambda m: Circuit(m["x"], depots=[[0, 1]]), r"got \[\[0, 1\]\]; for two"),
    "depots by truths": (
        lambda m: Circuit(m["x"], depots=[True, False, True, False]), r"got Booleans; write np\.flat",
    ),
    "minimize a list": (lambda m: m.minimize([m["x"][0], m["x"][1]]), r"\.sum\(\) .* m\.minimize\(a, b\)"),
    "ends of NoOverlap": (
        lambda m: NoOverlap(m["x"], [1, 1, 1, 1], m["x"] + 1),
        r"^NoOverlap: present: Booleans or 0/1 terms .*; ends are not given: they are start \+ duration$",
    ),
    "ends of Cumulative": (
        lambda m: Cumulative(m["x"], 1, m["x"] + 1, 2), r"^Cumulative: demand is start \+ duration; ends ",
    ),
    "ends and demands": (
        lambda m: Cumulative(m["x"], 1, m["x"] + 1, [1, 1, 1, 1], True), "one capacity, got 4; given are",
    ),
    "present='yes'": (lambda m: NoOverlap(m["x"], 1, present="yes"), "^NoOverlap: present: .*, got 'yes'$"),
    "ragged setup": (
        lambda m: NoOverlap(m["x"], 1, setup=[[0, 1], [1]]),
        r"^NoOverlap: setup: parts of one shape are needed in a list, got \(2,\) and \(1,\)$",
    ),
    "named types": (
        lambda m: NoOverlap(m["x"], 1, setup=[[0, 1], [1, 0]], types=["a", "b", "a", "b"]),
        "^NoOverlap: types: .* for each task its row of setup, 0 to 1, or, of a frame, the label$",
    ),
    "1 & x": (lambda m: m.add(m["x"][0] > 1 & m["x"][1] > 2), r"in parentheses, as in \(x > 1\) & "),
    "a capacity as text": (
        lambda m: (named(m), Cumulative(m["x"], 1, 1, "3")), "^Cumulative: capacity: no variable has .* '3'",
    ),
    "an objective as text": (lambda m: (named(m), m.minimize("cost")), "^objective: no variable .* 'cost'"),
    "a key too long": (
        lambda m: named(m)["ann", 0],
        r"^index \('ann', 0\) of an array of shape \(2,\): 2 indices are too many$",
    ),
    "two weights for four": (
        lambda m: m.add_soft(m["x"] == 1, weight=[1, 2]),
        r"^weights of shape \(2,\) do not fit constraints of shape \(4,\)$",
    ),
    "a bound that is missing": (
        lambda m: m.intvar(0, pd.Series({"a": 1, "b": np.nan}), shape=2),
        "upper bound: integers only, got nan at 'b'",
    ),
    "how many values": (lambda m: ValuePrecede(m["x"], 3), "a list of values, or two or more, got 3$"),
    "fix a name that is not there": (lambda m: m.fix("widd", 1), "^no variable 'widd'; did you mean 'wide'"),
    "3.75 * x": (lambda m: 3.75 * m["x"], r"1/100 it is 375: write 375\*x, and 100 times"),
    "weight=1.5": (
        lambda m: m.add_soft(m["b"][0] == 1, weight=1.5), "is 15: write 15, and 10 times all other",
    ),
    "element the other way": (lambda m: element(m["x"][0], [4, 5]), r"; the array comes first: element"),
    "elements the other way": (lambda m: element(m["x"], [30, 10, 20]), "index 30 of an array of 4; the "),
    "how many terms": (lambda m: AllDifferent(3), "^AllDifferent: an array or a list of terms is needed"),
    "a duration below 0": (
        lambda m: m.add(NoOverlap(m["x"], [1, -1, 1, 1])), "^NoOverlap: duration: below 0 at position 1; at ",
    ),
    "a size below 0": (lambda m: m.add(NoOverlap2D(m["x"], 1, m["x"], -1)), "^NoOverlap2D: dy: below 0 at "),
    "a demand below 0": (
        lambda m: m.add([Cumulative(m["x"], 1, [0, 1, -2, 1], 3)]), "^Cumulative: demand: below 0 at ",
    ),
    "a capacity below 0": (
        lambda m: m.add(Cumulative(m["x"], 1, 1, -3)), "^Cumulative: capacity: below 0; ",
    ),
    "fixed outside": (lambda m: m.fix(m["x"][1], 9), r"^fix: x\[1\] == 9 never holds: the "),
    "one of two is outside": (lambda m: m.fix(m["x"][:2], [1, -1]), r"^fix: x\[1\] == -1 never holds: "),
    "fixed in a gap": (
        lambda m: m.fix(m.intvar(domain=[1, 3, 9], name="y"), 4), "^fix: y == 4 never holds: the ",
    ),
    "one load": (lambda m: BinPacking(m["x"], [1] * 4, 7), "^BinPacking: loads: an array or a list "),
    "one number in order": (lambda m: Increasing(3), "^Increasing: an array or a list of terms "),
    "a name twice": (lambda m: m.var(["a", "b", "a"]), "^values: 'a' is there twice; of a column write "),
    "a value twice": (lambda m: m.var([3, 1, 3]), "^values: 3 is there twice; "),
    "a list among values": (lambda m: m.var([[1], [2]]), "^values: unhashable type: 'list'"),
    "intvar(values=)": (lambda m: m.intvar(values=[1, 2]), "has no keyword 'values'; write domain=$"),
    "intvar(min=)": (lambda m: m.intvar(min=0, max=3), "has no keyword 'min'; write lower=$"),
    "var(labels=)": (lambda m: m.var(labels=["a"]), "has no keyword 'labels'; write values=$"),
    "a cost": (lambda m: m.add_soft(m["b"][0], cost=3), "has no keyword 'cost'; write weight=$"),
    "a penalty": (lambda m: m.add(m["b"][0], penalty=3), "'penalty'; write m.add_soft"),
    "setup_times": (lambda m: NoOverlap(m["x"], 1, setup_times=1), "'setup_times'; write setup=$"),
    "solve(cores=)": (lambda m: m.solve(cores=2), "has no parameter 'cores'; write num_workers=$"),
    "solve(method=)": (lambda m: m.solve(method="cpsat"), "has no parameter 'method'; write solver=$"),
    "one assumption": (lambda m: m.solve(assumptions=m["x"][0] == 1), "^assumptions: a list of Booleans"),
    "a keyword": (lambda m: AllDifferent(m["x"], strict=True), r"no keyword 'strict'; it takes none"),
    "a third value": (lambda m: Circuit(m["x"], [0], 3), r"^Circuit\(\) takes successor, depots without"),
    "CP-SAT": (lambda m: m.solve("CP-SAT"), "did you mean 'cpsat'"),
    "Auto": (lambda m: m.solve("Auto"), "did you mean 'auto'"),
    "no such solver": (lambda m: m.solve("zzz"), "known are auto, "),
    "transposed hint": (
        lambda m: m.solve(hint={"wide": np.zeros((3, 4))}),
        r"^hint: wide: values of shape \(4, 3\) are needed, got shape \(3, 4\)$",
    ),
    "a row too long": (
        lambda m: m.solve(hint={m["wide"][1:]: np.zeros((3, 4))}),
        r"^hint: wide of shape \(3, 3\): takes 9 values, got 12 in shape \(3, 4\)$",
    ),
}  # fmt: skip

ELSEWHERE: dict[str, Row] = {
    "m.x": (lambda m: m.x, r"has no attribute 'x'; a variable is found by its name in brackets, \['x'\]$"),
    "solution.x": (lambda m: m.solve().solution.x, r"by its name in brackets, \['x'\]$"),
    "x.solution_value()": (lambda m: m["x"].solution_value(), r"; write outcome\[x\], or solution\[x\]$"),
    "outcome.x": (lambda m: m.solve().x, r"by its name in brackets, \['x'\]$"),
    "if b": (
        lambda m: m["b"][0] and m["b"][1],
        r"write ~b instead of not b, b\.implies\(c\) instead of if b",
    ),
    "dict(outcome)": (lambda m: dict(m.solve("backtracking")), r"dict\(outcome\.solution\)"),
    "Interval": (lambda m: cpqueens.Interval, r"write NoOverlap\(start, duration\) or Cumulative"),
    "MultipleCircuit": (lambda m: cpqueens.MultipleCircuit, r"write Circuit\(successor, depots=depots\)"),
    "Precede": (lambda m: cpqueens.Precede, r"write ValuePrecede\(x, values\)"),
    "Reservoir": (
        lambda m: cpqueens.Reservoir,
        r"level = \(\(time\[None, :\] <= time\[:, None\]\) \* change\)",
    ),
    "m.post": (lambda m: m.post, r"write m\.add\("),
    "m.status": (lambda m: m.status, "write outcome.status"),
    "m.solution": (lambda m: m.solution, "write outcome.solution"),
    "m.floatvar": (lambda m: m.floatvar, r"m\.intvar\(lower, upper\) in finer units"),
}


def test_what_is_meant_is_said_in_one_line() -> None:
    tables = (REFUSED, CpqueensError), (ELSEWHERE, (AttributeError, TypeError))
    for table, kinds in tables:
        for name, (written, match) in table.items():
            with pytest.raises(kinds, match=match) as caught:  # type: ignore[call-overload]
                written(asked())
            assert "\n" not in str(caught.value), name


def test_a_variable_is_fixed_by_its_name() -> None:
    m = asked()
    named(m)
    m.fix("x", [3, 1, 2, 0])
    m.fix("shift", "night")
    outcome = m.solve("backtracking")
    assert outcome["x"].tolist() == [3, 1, 2, 0]
    assert outcome["shift"].tolist() == ["night", "night"]


def test_tasks_that_take_no_time_may_demand_what_their_start_is() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    m.add(Cumulative(x, 0, x, 1))
    assert m.count("backtracking") == m.count("cpsat") == 16


def test_positions_from_1_are_false_within_a_condition() -> None:
    m = Model()
    x, b = m.intvar(0, 2, shape=3, name="x"), m.boolvar(name="b")
    m.add(b.implies(Inverse(x, [2, 1, 3])), ~Circuit([2, 3, 1]))
    for solver in ("cpsat", "backtracking"):
        assert m.count(solver) == m.count(solver, assumptions=[~b]) == 27


def test_assignments_of_another_shape_are_refused() -> None:
    m = asked()
    rest = {"x": [0] * 4, "b": [0] * 4}
    wrong = r"wide: values of shape \(4, 3\) are needed, got shape \(3, 4\)"
    assert [m.check({"wide": np.zeros((3, 4)), **rest}).problems[0]] == [wrong.replace("\\", "")]
    for fitting in (np.zeros((4, 3)), [0] * 12, np.zeros((1, 4, 3))):
        assert m.check({"wide": fitting, **rest}).ok


def test_what_is_advised_for_a_reservoir_keeps_its_level() -> None:
    m = Model()
    time = m.intvar(0, 2, shape=3, name="time")
    change = np.array([2, -1, -1])
    level = ((time[None, :] <= time[:, None]) * change).sum(axis=1)
    m.add(level >= 0, level <= 2)
    orders = np.array(np.meshgrid(*[range(3)] * 3, indexing="ij")).reshape(3, -1).T
    kept = [row for row in orders.tolist() if all(
        0 <= sum(c for t, c in zip(row, change.tolist(), strict=True) if t <= now) <= 2 for now in range(3)
    )]  # fmt: skip
    assert sorted(s["time"].tolist() for s in m.solutions("backtracking")) == kept


def test_types_go_by_the_labels_of_a_frame() -> None:
    m = asked()
    names = ["a", "b", "a", "b"]
    setup = pd.DataFrame([[3, 0], [0, 1]], index=["b", "a"], columns=["a", "b"])
    by_name = NoOverlap(m["x"], 1, setup=setup, types=names)
    assert str(by_name) == str(NoOverlap(m["x"], 1, setup=[[0, 3], [1, 0]], types=[1, 0, 1, 0]))


def test_help_of_a_constraint_is_a_page() -> None:
    for kind in (AllDifferent, Circuit, Cumulative):
        text = pydoc.render_doc(kind, renderer=pydoc.plaintext)
        assert len(text.splitlines()) < 100
        assert "implies(self" in text
        assert "OnlyEnforceIf" not in text
