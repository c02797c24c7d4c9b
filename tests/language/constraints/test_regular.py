"""Automata: published numbers of words, nondeterminism, names of states, and what is refused."""

from __future__ import annotations

import itertools
import re
import sys
from enum import Enum
from random import Random
from typing import Any

import numpy as np
import oracle
import pytest
from each import each

from cpqueens import MissingLibrary, Model, ModelError, Regular
from cpqueens.files.modelfile import dump_model, parse_model
from cpqueens.language.constraints import regular
from cpqueens.lowered.lowering import Scratch

FIBONACCI = {1: 2, 4: 8, 7: 34, 10: 144}
"""OEIS A000045: binary words of a length without two ones in a row are Fibonacci(length + 2)."""

MOTZKIN = {1: 1, 3: 4, 5: 21, 6: 51}
"""OEIS A001006: paths of steps up, level and down that end where they start and never go below."""

APART = [("free", 0, "free"), ("free", 1, "one"), ("one", 0, "free")]
HEIGHTS = [(h, step, h + step) for h in range(5) for step in (-1, 0, 1) if 0 <= h + step < 5]
THIRD_LAST = [(0, 0, 0), (0, 1, 0), (0, 1, 1), (1, 0, 2), (1, 1, 2), (2, 0, 3), (2, 1, 3)]
"""The third last symbol is 1: an automaton that guesses."""


def words(size: int, low: int, high: int, *automaton: Any) -> tuple[Model, Any]:
    m = Model()
    x = m.intvar(low, high, shape=size, name="x")
    m.add(Regular(x, *automaton))
    return m, x


@pytest.mark.parametrize(("size", "number"), FIBONACCI.items())
def test_words_without_two_ones_in_a_row(solver: str, size: int, number: int) -> None:
    assert words(size, 0, 1, APART, "free", ["free", "one"])[0].count(solver=solver) == number


@pytest.mark.parametrize(("size", "number"), MOTZKIN.items())
def test_motzkin_paths(solver: str, size: int, number: int) -> None:
    assert words(size, -1, 1, HEIGHTS, 0, 0)[0].count(solver=solver) == number


@each("negated", [False, True])
def test_a_nondeterministic_automaton_accepts_where_one_way_does(solver: str, negated: bool) -> None:
    m = Model()
    x = m.boolvar(shape=5, name="x")
    accepts = Regular(x, THIRD_LAST, 0, [3])
    m.add(~accepts if negated else accepts)
    found = {tuple(row) for row in m.enumerate(solver=solver).solutions.matrix.tolist()}
    assert found == {w for w in itertools.product((0, 1), repeat=5) if (w[-3] == 1) != negated}


def test_names_of_states_are_numbered_and_numbers_are_kept() -> None:
    m = Model()
    x = m.boolvar(shape=2, name="x")
    named = Regular(x, APART, "free", "one")
    assert (named.start, named.accepting) == (0, (1,))
    assert named.transitions.tolist() == [[0, 0, 0], [0, 1, 1], [1, 0, 0]]
    numbered = Regular(x, np.array([[7, 0, -1], [7, 0, -1]]), 7, (-1, -1))
    assert (numbered.start, numbered.accepting, numbered.transitions.tolist()) == (7, (-1,), [[7, 0, -1]])


@pytest.mark.parametrize(("size", "accepting", "number"), [(0, 0, 1), (0, 1, 0), (2, [], 0), (2, 5, 0)])
def test_words_of_no_terms_and_automata_that_accept_nothing(
    solver: str, size: int, accepting: Any, number: int
) -> None:
    m = Model()
    x = m.boolvar(shape=2, name="x")
    m.add(Regular(x[:size], [(0, 0, 0)], 0, accepting))
    assert m.count(solver=solver) == 4 * number


@each("state", [2**61 - 1, -(2**61) + 1])
def test_states_and_values_far_out(solver: str, state: int) -> None:
    m = Model()
    x = m.intvar(2**60, 2**60 + 1, shape=2, name="x")
    m.add(Regular(x, [(state, 2**60, state)], state, state))
    assert m.count(solver=solver) == 1


def test_the_violation_is_the_distance_to_the_nearest_word() -> None:
    m = Model()
    x = m.intvar(0, 1, shape=5, name="x")
    constraint = Regular(x, APART, "free", ["free", "one"])
    rows = np.array(list(itertools.product((0, 1), repeat=5)))
    accepted = rows[(rows[:, 1:] * rows[:, :-1]).sum(axis=1) == 0]
    nearest = [(accepted != row).sum(axis=1).min() for row in rows]
    assert constraint.amounts(rows)[:, 0].tolist() == nearest
    assert Regular(x, [], 0, 0).amounts(rows[:1]).tolist() == [[5]]


def test_many_words_are_judged_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    m = Model()
    x = m.boolvar(shape=5, name="x")
    constraint = Regular(x, THIRD_LAST, 0, 3)
    rows = np.array(list(itertools.product((0, 1), repeat=5)))
    whole = constraint.amounts(rows).tolist()
    monkeypatch.setattr(regular, "_CELLS", 21)
    assert constraint.amounts(rows).tolist() == whole == [[1 - row[2]] for row in rows.tolist()]


REFUSED = [
    ((7, 0, 0), "Regular: transitions: a list is needed, got 7"),
    ((["001"], 0, 0), "Regular: transitions are (state, value, next state), got '001'"),
    (([(0, 1)], 0, 0), "Regular: transitions are (state, value, next state), got (0, 1)"),
    (([(0, "a", 0)], 0, 0), "transitions: integers only, got 'a'"),
    (([(0, 1, 2**70)], 0, 0), "states: "),
    (([(0, 1, [3])], 0, 0), "Regular: a state is an integer or a name, got [3]"),
    (([(0, 1, 1.5)], 0, 0), "Regular: a state is an integer or a name, got 1.5"),
    (([(0, 1, 0)], 0, None), "Regular: accepting: a list is needed, got None"),
]


@pytest.mark.parametrize(("automaton", "message"), REFUSED)
def test_what_is_no_automaton_is_refused_in_one_line(automaton: Any, message: str) -> None:
    with pytest.raises(ModelError) as error:
        words(2, 0, 1, *automaton)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_cpsat_has_an_automaton_of_its_own() -> None:
    m, _ = words(4, 0, 1, APART, "free", ["free", "one"])
    assert "automaton" in str(m.to_cpsat().model.proto)
    m, _ = words(4, 0, 1, THIRD_LAST, 0, [3])
    assert "automaton" not in str(m.to_cpsat().model.proto)


EXPRESSIONS = {
    "1(0|1)*": lambda w: w[0] == "1",
    "[^1]+": lambda w: "1" not in w,
    ".{2}1.{2}": lambda w: w[2] == "1",
    "(01?)+": lambda w: w[0] == "0" and "11" not in w,
    "0*10*10*": lambda w: w.count("1") == 2,
    "0{3}": lambda w: False,
    "0*|1*": lambda w: len(set(w)) == 1,
    "": lambda w: False,
}


@each("expression", EXPRESSIONS)
def test_expressions_are_matched_as_a_whole(expression: str) -> None:
    m = Model()
    x = m.intvar(0, 1, shape=5, name="x")
    m.add(Regular.from_expression(x, expression))
    found = {"".join(map(str, row)) for row in m.enumerate(solver="cpsat").solutions.matrix.tolist()}
    words = map("".join, itertools.product("01", repeat=5))
    assert found == {w for w in words if EXPRESSIONS[expression](w)}


def drawn_expression(random: Random, depth: int) -> str:
    """Return an expression over 0 and 1 that Python reads as greenery does."""
    if not depth:
        return random.choice(["0", "1", "[01]", "[^0]", ".", "(0|1)"])
    times = random.choice(["", "", "*", "+", "?", "{2}", "{1,2}", "{0,3}", "{1,}", "{0}"])
    parts = [drawn_expression(random, depth - 1) for _ in range(random.randint(1, 3))]
    return f"({random.choice(['', '|']).join(parts)}){times}"


def test_random_expressions_are_read_as_python_reads_them() -> None:
    words = np.array(list(itertools.product((0, 1), repeat=6)))
    x = Model().intvar(0, 1, shape=6, name="x")
    accepted = set()
    for seed in range(60):
        expression = drawn_expression(Random(seed), seed % 4)
        automaton = Regular.from_expression(x, expression)
        wanted = [bool(re.fullmatch(expression, "".join(map(str, w)))) for w in words.tolist()]
        assert automaton.holds(words).tolist() == wanted, expression
        accepted.add((sum(wanted), automaton.deterministic))
    assert len(accepted) >= 8
    assert {deterministic for _, deterministic in accepted} == {True, False}


@pytest.mark.parametrize("places", [5, 40])
def test_an_automaton_that_would_explode_guesses(places: int) -> None:
    m = Model()
    x = m.intvar(0, 1, shape=places + 3, name="x")
    m.add(Regular.from_expression(x, f"(0|1)*1(0|1){{{places}}}"), x.sum() == 1)
    assert [row.index(1) for row in m.enumerate(solver="cpsat").solutions.matrix.tolist()] == [2]
    assert m.constraints[0].constraint.deterministic == (places < 10)  # type: ignore[attr-defined]


class Duty(Enum):
    DAY = "d"
    FREE = "f"


STATES: list[list[Any]] = [
    [0, 1],
    ["any", "one"],
    [Duty.DAY, Duty.FREE],
    [("day", 0), ("day", (1, Duty.FREE))],
    [7, "one"],
]


@each("states", STATES)
def test_states_have_numbers_or_names(states: list[Any]) -> None:
    m, (a, b) = Model(), states
    x = m.intvar(0, 1, shape=4, name="x")
    m.add(Regular(x, [(a, 0, a), (a, 1, b), (b, 0, a)], a, [a, b]))
    assert m.count("backtracking") == 8
    assert parse_model(dump_model(m)).count("backtracking") == 8


@pytest.mark.parametrize(("expression", "count"), [("0{0,1500}", 1), ("(0?){500}", 1), ("(){99999999}", 0)])
def test_large_expressions_take_no_time(expression: str, count: int) -> None:
    m = Model()
    m.add(Regular.from_expression(m.intvar(0, 1, shape=3, name="x"), expression))
    assert m.count("backtracking") == count


def test_characters_stand_for_values() -> None:
    m = Model()
    x = m.intvar(-9, 9, shape=3, name="x")
    m.add(Regular.from_expression(x, "a+b+", {"a": -7, "b": 5, "c": 0}))
    assert m.enumerate(solver="cpsat").solutions.matrix.tolist() == [[-7, -7, 5], [-7, 5, 5]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a(",), "expression 'a(': "),
        (("1?x",), "expression '1?x': 'x' has no value, only '0123456789' have"),
        ((7,), "a regular expression is needed, got int 7"),
        (("a", {"ab": 1}), "symbols: a single character is needed, got 'ab'"),
        (("a", {"a": 1.5}), "transitions: integers only, got 1.5"),
        (("0{2001}",), "expression '0{2001}': more than 2000 characters, repetitions counted"),
        (("(((0|1){99}){99}){99}",), "more than 2000 characters"),
        (("(0?){1000}",), "500500 transitions, allowed are at most 200000"),
        (("a", "a"), "symbols: a mapping of characters to values is needed, got str 'a'"),
    ],
)
def test_what_is_no_expression_is_refused_in_one_line(arguments: Any, message: str) -> None:
    m = Model()
    with pytest.raises(ModelError) as error:
        Regular.from_expression(m.intvar(0, 1, shape=2, name="x"), *arguments)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_without_greenery_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    m = Model()
    monkeypatch.setitem(sys.modules, "greenery", None)
    with pytest.raises(MissingLibrary, match=r"^an expression needs greenery, [^\n]*: pip install '[^\n]*'$"):
        Regular.from_expression(m.boolvar(shape=2, name="x"), "01")


def test_states_that_are_computed_are_as_far_from_holding_as_truths() -> None:
    """One definition for each term, where there were some for each transition."""
    compared = 0
    for seed in range(12):
        random = np.random.default_rng(seed)
        states, length = int(random.integers(2, 5)), int(random.integers(3, 5))
        arcs = [
            (s, v, int(random.integers(states)))
            for s in range(states)
            for v in (-1, 0, 1)
            if random.random() < 0.8
        ]
        m, _ = words(length, -1, 1, arcs, 0, [1])
        if not m.constraints[0].constraint.layers()[1]:
            continue
        amounts, defined = [], []
        for computed in (False, True):
            scratch = Scratch(m)
            parts = m.constraints[0].constraint.decompose(scratch, computed=computed)
            everything, _ = scratch.complete_where_defined(oracle.assignments(m), m.decisions)
            amounts.append(sum(part.violation(everything) for part in parts))
            defined.append(sum(len(d.results) for d in scratch.definitions))
        assert (amounts[0] == amounts[1]).all()
        assert defined[1] == length < defined[0]
        compared += bool(amounts[0].any())
    assert compared > 5


def test_a_wide_term_or_an_automaton_that_guesses_has_no_table_of_states() -> None:
    for terms, automaton in ((3, (THIRD_LAST, 0, [3])), (2, ([(0, 1, 0), (0, 9**9, 0)], 0, [0]))):
        m, _ = words(terms, 0, 9**9, *automaton)
        scratch = Scratch(m)
        m.constraints[0].constraint.decompose(scratch, computed=True)
        assert {d.kind for d in scratch.definitions} == {"truth"}


@pytest.mark.parametrize(
    ("start", "accepting", "said"),
    [
        ("day", ["dya"], "Regular: accepting: no transition has the state 'dya'; did you mean 'day'?"),
        ("dya", ["day"], "Regular: start: no transition has the state 'dya'; did you mean 'day'?"),
        ("day", ["day", ("day", 1)], r"accepting: no transition has the state \('day', 1\)"),
        ("day", ["end"], "no transition has the state 'end'; known are day, night"),
    ],
)
def test_a_name_of_a_state_that_no_transition_has_is_refused(start: Any, accepting: Any, said: str) -> None:
    z = Model().var(["D", "N"], shape=3, name="z")
    with pytest.raises(ModelError, match=said.replace("?", r"\?")):
        Regular(z, [("day", "D", "day"), ("day", "N", "night")], start, accepting)


def test_numbers_of_states_may_be_unreached_and_no_term_needs_no_transition() -> None:
    m = Model()
    x = m.intvar(0, 1, shape=2, name="x")
    m += Regular(x, [(0, 0, 0), (0, 1, 0)], 0, [0, 7])
    m += Regular([], [], "here", ["here"])
    assert m.count() == 4


def test_names_of_states_stay_in_texts_and_a_dict_states_transitions():
    m = Model()
    s = m.var(["off", "day"], shape=2, name="s")
    steps = {("rest", "off"): "rest", ("rest", "day"): "work", ("work", "off"): "rest"}
    m.add(Regular(s, steps, "rest", ["rest"]))
    arcs = "[('rest', 'off', 'rest'), ('rest', 'day', 'work'), ('work', 'off', 'rest')]"
    text = f"Regular(s, {arcs}, 'rest', ['rest'])"
    assert str(m.constraints[0].constraint) == str(m.copy().constraints[0].constraint) == text
    assert m.count(solver="backtracking") == 2
    with pytest.raises(ModelError, match="a dict of transitions is"):
        Regular(s, {"rest": "rest"}, "rest", ["rest"])


def test_equal_automata_over_equal_bounds_are_computed_together() -> None:
    """One table for each place of those alike; another automaton, or other bounds, have their own."""
    m = Model()
    x = m.intvar(0, 2, shape=(4, 3), name="x")
    y = m.intvar(0, 1, shape=3, name="y")
    rising = [(k, v, v) for k in range(3) for v in range(k, 3)]
    for terms, start in ((x[0], 0), (x[1], 1), (x[2], 0), (y, 0), (x[3] // 2 + x[0], 0)):
        m.add(Regular(terms, rising, start, [0, 1, 2]))
    scratch = Scratch(m)
    constraints = [posted.constraint.bind(scratch) for posted in m.constraints]
    forms = Regular.computed_forms(constraints)
    assert sorted(len(d.results) for d in scratch.definitions) == [1] * 9 + [2] * 3 + [3]
    rng = np.random.default_rng(1)
    batch = np.concatenate([rng.integers(0, 3, (200, 12)), rng.integers(0, 2, (200, 3))], axis=1)
    values, _ = scratch.complete_where_defined(batch, m.decisions)
    for constraint, parts in zip(constraints, forms, strict=True):
        assert (constraint.violation(values) > 0).any()
        held = np.all([part.violation(values) == 0 for part in parts], axis=0)
        assert (held == (constraint.violation(values) == 0)).all()
