import contextlib
import json
import typing
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from each import each
from hypothesis import given, settings, strategies as st
from seeds import seeds, sweep

from cpqueens import (
    AllDifferent,
    Circuit,
    Cumulative,
    Model,
    ModelError,
    NoOverlap,
    Predicate,
    Table,
    all_,
    any_,
    element,
    from_flatzinc,
    maximum,
    mod_trunc,
)
from cpqueens.crosscheck import oracle
from cpqueens.files.modelfile import dump_model, load_model, model_digest, parse_model, save_model
from cpqueens.files.schema import MAX_BYTES
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.constraints.kinds import KINDS, kind_class
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray
from cpqueens.language.views import Board, Colouring
from cpqueens.text.bounded import MAX_DEPTH

DIGEST_OF_FOUR_QUEENS = "2bdde673ab598950cb9248eb5e311193fdf96a2bba79e09eddc73fad05a1b4aa"


def queens(n: int = 4) -> Model:
    m = Model("queens")
    q = m.intvar(0, n - 1, shape=n, name="q")
    i = np.arange(n)
    m.add(AllDifferent(q), name="columns")
    m += [AllDifferent(q + i), AllDifferent(q - i)]
    return m


def document(**changes: Any) -> dict[str, Any]:
    """A small right document, to be made wrong in one place."""
    return {
        "format": "cpqueens-model",
        "version": 2,
        "name": "small",
        "variables": [{"name": "q", "shape": [3], "lower": 0, "upper": 4}, {"name": "y", "domain": [1, 5]}],
        "definitions": [{"name": "d", "kind": "abs", "args": [{"terms": ["y"]}]}],
        "constraints": [
            {"kind": "AllDifferent", "args": ["q"]},
            {"kind": "Linear", "args": [[[1, "q[0]"], [-2, "d[0]"], 3], "<="]},
            {"kind": "Table", "args": [{"terms": ["q[0]", "y"]}, [[1, 5], [2, 1]]]},
            {"kind": "Count", "args": ["q", 1, ">=", "y"]},
        ],
        **changes,
    }


def refused(value: Any) -> str:
    """The one line with which a document or text is refused."""
    text = value if isinstance(value, str | bytes) else json.dumps(value)
    with pytest.raises(ModelError) as caught:
        parse_model(text, "m.json")
    line = str(caught.value)
    assert line.startswith("m.json: ")
    assert "\n" not in line
    assert len(line) < 500
    return line.removeprefix("m.json: ")


# ---- round trips --------------------------------------------------------------------------------------


def test_a_model_is_written_as_one_would_by_hand() -> None:
    assert dump_model(queens()) == (
        '{"format":"cpqueens-model","version":2,"name":"queens",\n'
        '"variables":[\n{"name":"q","shape":[4],"lower":0,"upper":3}],\n'
        '"constraints":[\n'
        '{"kind":"AllDifferent","args":["q"],"name":"columns"},\n'
        '{"kind":"AllDifferent","args":[{"of":"q","plus":[0,1,2,3]}]},\n'
        '{"kind":"AllDifferent","args":[{"of":"q","plus":[0,-1,-2,-3]}]}]}\n'
    )


def same(model: Model) -> Model:
    """Assert that the file of ``model`` gives the same file and the same solutions; return what was read."""
    again = parse_model(dump_model(model))
    assert dump_model(again) == dump_model(model)
    assert model_digest(again) == model_digest(model)
    assert [p.name for p in again.constraints] == [p.name for p in model.constraints]
    expected, found = oracle.solve(model), oracle.solve(again)
    assert np.array_equal(found.solutions, expected.solutions)
    assert found.optimum == expected.optimum
    return again


@given(st.integers(0, 10**9))
def test_random_models_of_every_kind_come_back_the_same(seed: int) -> None:
    same(random_model(seed))


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("context", ["plain", "negated", "reified"])
def test_every_kind_in_every_context_comes_back_the_same(kind: str, context: str) -> None:
    for seed in sweep(2, 4):
        same(random_model(seed, kinds=[kind], contexts=[context]))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_fields_of_every_kind_can_be_read(kind: str) -> None:
    hints = typing.get_type_hints(kind_class(kind))
    known = (LinearArray, IntArray, int, str, bool, tuple[int, ...])
    assert all(any(hints[name] == hint for hint in known) for name in kind_class(kind).fields)


def test_options_that_are_not_used_are_left_out() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=4, name="x")
    m += [Circuit(x), Circuit(x, [1, 0]), NoOverlap(x, 1), NoOverlap(x, 1, setup=2)]
    m += NoOverlap(x[:2], 1, setup=[[0, x[3]], [1, 0]])
    written = json.loads(dump_model(m))["constraints"]
    assert [entry["args"][1:] for entry in written[:2]] == [[], [[1, 0]]]
    assert [len(entry["args"]) for entry in written[2:]] == [3, 4, 4]
    again = parse_model(dump_model(m), "m.json")
    assert [str(c.constraint) for c in again.constraints] == [str(c.constraint) for c in m.constraints]
    assert dump_model(again) == dump_model(m)


def test_one_number_in_a_file_stands_for_all_tasks() -> None:
    schedule = [
        {"kind": "Cumulative", "args": ["q", 2, 1, "y", 1]},
        {"kind": "NoOverlap", "args": ["q", 1, 0]},
    ]
    m = parse_model(json.dumps(document(constraints=schedule)), "m.json")
    q, y = m["q"], m["y"]
    by_hand = Model()
    x, limit = by_hand.intvar(0, 4, shape=3, name="q"), by_hand.intvar(domain=[1, 5], name="y")
    by_hand.add(Cumulative(x, [2, 2, 2], [1, 1, 1], limit))
    assert (q.size, y.size, m.count(solver="cpsat")) == (3, 1, by_hand.count(solver="backtracking"))


def _interleaved(m: Model) -> None:
    x = m.intvar(0, 2, name="x")
    distance = abs(x - 1)
    y = m.intvar(0, 2, shape=(2, 2), name="y")
    m += y.sum() == distance + x


def _gaps(m: Model) -> None:
    x = m.intvar(domain=[-3, 0, 4], shape=2, name="x")
    m += x[0] != x[1]


def _own_bounds(m: Model) -> None:
    x = m.intvar([0, 1, 2], [1, 1, 4], shape=3, name="x")
    m += -2 * x + [5, 4, 3] >= 0


def _names_like_definitions(m: Model) -> None:
    d = m.intvar(-1, 1, shape=2, name="d0")
    m += abs(d) == 1


def _partial(m: Model) -> None:
    x = m.intvar(-1, 2, shape=2, name="x")
    m += (3 // x[0] == 1) & (x[1] > 0)
    m.maximize(mod_trunc(4, x[1]))


def _guarded(m: Model) -> None:
    x, y = m.intvar(0, 3, shape=2, name="x")
    m += (y != 0).implies(x // y == 1)
    m += ~(element([3, x, 1], x + y) != 1)


def _element_of_terms(m: Model) -> None:
    x = m.intvar(0, 3, shape=3, name="x")
    m += element(x, x[0] - 1) == x[2]


def _truths(m: Model) -> None:
    b = m.boolvar(shape=(2, 3), name="b")
    m += [any_(b[0]), all_(b[1]) | ~b[0, 0], b[0] ^ b[1], (b.sum(axis=0) >= 1).implies(b[1] == 1)]


def _odd_names(m: Model) -> None:
    x = m.intvar(0, 1, name='a "b"\\ [0] é')
    y = m.intvar(0, 1, shape=2, name="x[y]")
    m += x + y[0] >= y[1]


def _minimum(m: Model) -> None:
    x = m.intvar(0, 3, shape=3, name="x")
    m += x.sum() == 4
    m.minimize(maximum(x) - 1)


def _in_order(m: Model) -> None:
    x = m.intvar(0, 3, shape=3, name="x")
    m += x.sum() == 4
    m.minimize(maximum(x), x[0])
    m.then_maximize(x[1] * x[2])


def _nothing(m: Model) -> None:
    m.intvar(0, 1, shape=0, name="none")
    m += [AllDifferent([]), Table([], [])]


def _large(m: Model) -> None:
    x = m.intvar(2**59, 2**59 + 1, name="x")
    m += x * 2 - 2**59 <= 0


BUILDERS: list[Callable[[Model], None]] = [
    _interleaved, _gaps, _own_bounds, _names_like_definitions, _partial, _guarded, _element_of_terms, _truths,
    _odd_names, _minimum, _in_order, _nothing, _large,
]  # fmt: skip


@each("build", BUILDERS, ids=lambda build: build.__name__)
def test_particular_models_come_back_the_same(build: Callable[[Model], None]) -> None:
    model = Model("particular")
    build(model)
    same(model)


def test_the_empty_model() -> None:
    assert same(Model()).variable_count == 0


def test_objectives_come_back_in_their_order() -> None:
    m = Model("in order")
    _in_order(m)
    again = parse_model(dump_model(m))
    assert [goal.maximizing for goal in again.goals] == [False, False, True]
    assert again.solve("backtracking").objectives == m.solve("backtracking").objectives == (2, 0, 4)


def test_a_predicate_is_written_as_its_table() -> None:
    m = Model()
    x = m.intvar(0, 2, shape=2, name="x")
    m += Predicate(lambda a, b: a < b, 2 - x[0], x[1])
    again = same(m)
    assert again.constraints[0].constraint.kind == "Table"
    assert '"args":[{"of":"x","times":[-1,1],"plus":[2,0]},[[0,1],[0,2],[1,2]]]' in dump_model(m)


def test_labels_of_axes_are_kept_as_plain_data(tmp_path: Path) -> None:
    import datetime

    m = Model()
    days = [datetime.date(2026, 1, 5), datetime.date(2026, 1, 6)]
    m.intvar(0, 1, shape=(["ann", "bob"], days, 2), name="x")
    m.var(["off", "day"], shape=range(2024, 2026), name="y")
    save_model(m, tmp_path / "m.json")
    again = load_model(tmp_path / "m.json")
    assert [block.labels for block in again.blocks] == [
        (("ann", "bob"), ("2026-01-05", "2026-01-06"), None),
        ((2024, 2025),),
    ]
    assert dump_model(again) == dump_model(m)


@pytest.mark.parametrize("labels", [[["a"]], [["a", "b", "c"], None], [["a", "a", "b"]], [None, None]])
def test_labels_that_do_not_fit_are_refused(labels: Any) -> None:
    entry = {"name": "q", "shape": [3], "lower": 0, "upper": 4, "labels": labels}
    with pytest.raises(ModelError, match=r"variables\[0\].*label"):
        parse_model(json.dumps(document(variables=[entry, {"name": "y", "domain": [1, 5]}])))


def test_names_views_and_the_sense_of_the_objective_are_kept(tmp_path: Path) -> None:
    m = queens()
    m.maximize(m["q"][0])
    m.view = Board("q")
    path = tmp_path / "m.json"
    save_model(m, path)
    again = load_model(path)
    assert again.name == "queens"
    assert again.view == m.view
    assert again.maximizing
    assert again.constraints[0].name == "columns"
    assert str(path) in again.constraints[0].where
    m.view = Colouring("q", ((0, 1), (2, 3)))
    assert parse_model(dump_model(m)).view == m.view


def test_definitions_that_nothing_reaches_are_left_out() -> None:
    m, plain = queens(), queens()
    abs(m["q"] - 1)
    assert m.variable_count > plain.variable_count
    assert dump_model(m) == dump_model(plain)
    assert model_digest(m) == model_digest(plain)


def test_writing_does_not_change_the_model() -> None:
    m = queens()
    before = (m.variable_count, len(m.constraints))
    dump_model(m)
    model_digest(m)
    assert (m.variable_count, len(m.constraints)) == before


def test_a_million_variables_pass() -> None:
    n = 10**6
    again = parse_model(dump_model(queens(n)))
    terms = again.constraints[1].constraint.arguments[0]
    assert terms.size == n
    assert np.array_equal(terms.constants, np.arange(n))


# ---- partial functions: another meaning since version 2 -----------------------------------------------


def test_files_of_version_1_are_read_where_nothing_can_be_undefined() -> None:
    old = document(version=1)
    assert dump_model(parse_model(json.dumps(old))) == dump_model(parse_model(json.dumps(document())))
    total = [{"name": "d", "kind": "quotient", "args": [{"terms": ["q[0]"]}, {"terms": ["y"]}]}]
    parse_model(json.dumps(document(version=1, definitions=total)))
    partial = [{"name": "d", "kind": "quotient", "args": [{"terms": ["y"]}, {"terms": ["q[0]"]}]}]
    line = refused(document(version=1, definitions=partial))
    assert line.startswith(
        "definitions[0]: a quotient that may be undefined has another meaning since version 2"
    )
    assert parse_model(json.dumps(document(definitions=partial))).has_partial


def test_a_literal_of_a_file_that_may_be_undefined_is_a_truth() -> None:
    """As in the language, where ``~element(b, k)`` holds outside the array."""
    text = document(
        variables=[
            {"name": "b", "shape": [2], "lower": 0, "upper": 1},
            {"name": "k", "lower": 0, "upper": 2},
        ],
        definitions=[{"name": "d", "kind": "element", "args": [{"terms": ["k"]}, "b"]}],
        constraints=[{"kind": "Negation", "args": [{"terms": ["d[0]"]}]}],
    )
    m = parse_model(json.dumps(text))
    expected = {(a, b, k) for a in (0, 1) for b in (0, 1) for k in range(3) if k == 2 or not (a, b)[k]}
    assert oracle.solve(m).rows == expected
    assert {tuple(r) for r in m.enumerate(solver="backtracking").solutions.matrix.tolist()} == expected


# ---- digest -------------------------------------------------------------------------------------------


def test_the_digest_is_the_same_tomorrow() -> None:
    """A change here means that files and long runs of earlier versions no longer match: raise the version."""
    assert model_digest(queens()) == DIGEST_OF_FOUR_QUEENS


def test_what_the_digest_does_not_see() -> None:
    m = Model("other name")
    q = m.intvar(0, 3, shape=4, name="q")
    i = np.arange(4)
    m += [AllDifferent(q - i), AllDifferent(q + i)]
    m.add(AllDifferent(q), name="another name")
    m.view = Board("q")
    assert model_digest(m) == model_digest(queens())


def _fix(m: Model) -> None:
    m.fix(m["q"][0], 1)


def _goal(m: Model) -> None:
    m.minimize(m["q"][0])


def _second_goal(m: Model) -> None:
    m.minimize(m["q"][0], m["q"][1])


def test_the_digest_sees_each_objective() -> None:
    one, two = queens(), queens()
    _goal(one)
    _second_goal(two)
    assert model_digest(one) != model_digest(two)


@pytest.mark.parametrize("change", [_fix, _goal, _second_goal, lambda m: m.boolvar(name="b")])
def test_what_the_digest_sees(change: Callable[[Model], None]) -> None:
    m = queens()
    change(m)
    assert model_digest(m) != model_digest(queens())
    assert model_digest(queens(5)) != model_digest(queens())


# ---- refusals: the text -------------------------------------------------------------------------------


GOOD = dump_model(queens())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON: Expecting value at line 1, column 1"),
        ("{", "not JSON"),
        (GOOD + "x", "not JSON: Extra data"),
        (GOOD + GOOD, "not JSON: Extra data"),
        (GOOD.replace('"', "'"), "not JSON"),
        ("\ufeff" + GOOD, "byte order mark"),
        (GOOD.encode("utf-16"), "byte order mark"),
        (GOOD.replace("queens", "que\0ns"), "a NUL at byte "),
        (b"\xff" + GOOD.encode(), "not UTF-8: byte 0 is 0xff"),
        (GOOD.encode().replace(b"queens", b"qu\xc3ens"), "not UTF-8: byte "),
        ("\ud800", "UTF-8"),
        (GOOD.replace('"upper":3', '"upper":NaN'), "NaN is not allowed"),
        (GOOD.replace('"upper":3', '"upper":Infinity'), "Infinity is not allowed"),
        (GOOD.replace('"upper":3', '"upper":3.0'), "variables[0].upper: "),
        (GOOD.replace('"upper":3', '"upper":true'), "variables[0].upper: "),
        (GOOD.replace('"upper":3', '"upper":"3"'), "variables[0].upper: "),
        (GOOD.replace('"upper":3', '"upper":' + "3" * 5000), "thousands of digits"),
        (GOOD.replace('"upper":3', '"upper":3,"upper":4'), "variables[0]: the key 'upper' is there twice"),
        (GOOD.replace('{"format"', '{"name":"x","format"'), "top level: the key 'name' is there twice"),
        ("[" * 100_000, "nested more than 32 levels"),
        ("[" * 100_000 + "]" * 100_000, "nested more than 32 levels"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested more than 32 levels"),
        ("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2), "nested more than 32 levels"),
        ("[]", "top level: Expected `object`, got `array`"),
        ("null", "top level: "),
        ("3", "top level: "),
    ],
    ids=lambda value: repr(value)[:20] if isinstance(value, str | bytes) else None,
)
def test_texts_that_are_refused(text: str | bytes, message: str) -> None:
    assert message in refused(text)


def test_a_file_of_a_gigabyte_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(2**30)
    with pytest.raises(
        ModelError, match=f"huge.json: {2**30} bytes or more, allowed are at most {MAX_BYTES}"
    ):
        load_model(path)
    with pytest.raises(ModelError, match="bytes, allowed are at most"):
        parse_model(b" " * (MAX_BYTES + 1))


@pytest.mark.parametrize("name", ["", "none.json", "\0.json"])
def test_files_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelError) as caught:
        load_model(f"{tmp_path}/{name}")
    assert "\n" not in str(caught.value)


def test_an_endless_file_is_not_read_to_its_end() -> None:
    if not Path("/dev/zero").exists():
        pytest.skip("this system has no endless file")
    with pytest.raises(ModelError, match="is a device; a file or a pipe is needed"):
        load_model("/dev/zero")


def test_files_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none/m\.json: No such file or directory"):
        save_model(queens(), tmp_path / "none" / "m.json")


def test_nothing_is_executed(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    attack = f"__import__('pathlib').Path({str(mark)!r}).touch()"
    for key in ("name", "kind"):
        wrong = document()
        wrong["constraints"][0][key] = attack
        with contextlib.suppress(ModelError):
            parse_model(json.dumps(wrong))
    wrong = document()
    wrong["constraints"][1]["args"][0] = [[1, attack]]
    assert "no variable" in refused(wrong)
    assert not mark.exists()


# ---- refusals: the content ----------------------------------------------------------------------------


def test_the_small_document_is_right() -> None:
    same(parse_model(json.dumps(document())))


def changed(path: list[Any], value: Any) -> dict[str, Any]:
    """The small document with the value at ``path`` replaced."""
    found: Any = document(
        objective={"sense": "minimize", "term": "y"}, view={"kind": "Board", "variable": "q"}
    )
    whole = found
    for key in path[:-1]:
        found = found[key]
    found[path[-1]] = value
    return whole


V, D, C = "variables", "definitions", "constraints"


def automaton(transitions: Any, start: Any) -> dict[str, Any]:
    return {"kind": "Regular", "args": ["q", transitions, start, [0]]}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["format"], "other", "format: Invalid enum value 'other'"),
        (["version"], 3, "version: 3 was written by a newer cpqueens"),
        (["version"], 0, "version: "),
        (["version"], True, "version: "),
        (["constraint"], [], "top level: Object contains unknown field `constraint`; did you mean"),
        (["name"], 3, "name: Expected `str`"),
        (["name"], "a\0b", "name: text 'a\\x00b': the character U+0000 is not allowed"),
        ([V], None, "variables: Expected `array`"),
        ([V, 0, "name"], "", "variables[0].name: "),
        ([V, 0, "name"], "x" * 201, "variables[0].name: "),
        ([V, 0, "name"], "y", "variables[1]: variable name 'y' is in use"),
        ([V, 0, "shape"], [-1], "variables[0].shape[0]: "),
        ([V, 0, "shape"], [10**9], "variables[0].shape: more than 2000000 variables"),
        ([V, 0, "shape"], [10**9, 10**9, 10**9], "variables[0].shape: more than 2000000 variables"),
        ([V, 0], {"name": "q", "lower": 3}, "variables[0].upper: missing; give lower and upper, or domain"),
        ([V, 0, "shape"], 3, "variables[0].shape: Expected `array`"),
        ([V, 0, "lower"], 5, "variables[0]: q: empty domain 5..4"),
        ([V, 0, "lower"], None, "variables[0].lower: Expected `int | array`"),
        ([V, 0, "lower"], [0, 0], "variables[0].lower: takes 3 values, got 2"),
        ([V, 0, "upper"], 10**30, "out of range"),
        ([V, 0, "upper"], [1, 2, 10**30], "out of range"),
        ([V, 0, "uper"], 3, "variables[0]: Object contains unknown field `uper`; did you mean 'upper'"),
        ([V, 0, "domain"], [1], "variables[0]: bounds and domain are both given"),
        ([V, 1, "domain"], [], "variables[1]: y: domain: empty"),
        ([V, 1, "domain"], [1, 2.5], "variables[1].domain[1]: Expected `int`"),
        ([D, 0, "kind"], "maximun", "definitions[0].kind: no definition 'maximun'; did you mean 'maximum'"),
        ([D, 0, "name"], "q", "definitions[0].name: 'q' is in use"),
        ([D, 0, "args"], None, "definitions[0]: abs has args"),
        ([D, 0, "args"], ["y", "y"], "definitions[0].args: abs takes 1"),
        ([D, 0, "args"], [], "definitions[0].args: abs takes 1"),
        ([D, 0, "args"], [{"terms": []}], "definitions[0].args: arrays of one length"),
        ([D, 0, "args", 0], "z", "definitions[0].args[0]: no variable 'z'"),
        ([D, 0, "args", 0], "d[0]", "definitions[0].args[0]: no variable 'd[0]'"),
        ([D, 0, "kind"], "truth", "definitions[0]: a reified Boolean has a constraint and no args"),
        ([C, 0, "kind"], "AllDiferent", "'AllDiferent'; did you mean 'AllDifferent'?"),
        ([C, 0, "kind"], "Predicate", "constraints[0].kind: no constraint 'Predicate'"),
        ([C, 0, "kind"], "os.system", "constraints[0].kind: no constraint"),
        ([C, 0], {"kind": "NoOverlap", "args": ["q", 1]}, "constraints[0].args: 3 or 4 needed (start,"),
        ([C, 0], {"kind": "NoOverlap", "args": ["q", 1, "q"]}, "NoOverlap: present: Booleans or 0/1"),
        ([C, 0], {"kind": "NoOverlap", "args": ["q", 1, 1, "q"]}, "NoOverlap: setup: one time, or shape"),
        ([C, 0], {"kind": "Circuit", "args": ["q", [9]]}, "Circuit: depots: different nodes from 0 to "),
        ([C, 0], {"kind": "Cumulative", "args": ["q", 1, 1, "q", 1]}, "Cumulative: one capacity"),
        ([C, 0, "args"], [], "constraints[0].args: 1 needed (terms), got 0"),
        ([C, 0, "args"], ["q", "q"], "constraints[0].args: 1 needed (terms), got 2"),
        ([C, 0, "args", 0], "p", "constraints[0].args[0]: no variable 'p'; known are d, q, y"),
        ([C, 0, "args", 0], "q[3]", "constraints[0].args[0]: no variable 'q[3]'"),
        ([C, 0, "args", 0], "q[0,0]", "constraints[0].args[0]: no variable 'q[0,0]'"),
        ([C, 0, "args", 0], "d[1]", "constraints[0].args[0]: no variable 'd[1]'"),
        ([C, 0, "args", 0], 1.5, "constraints[0].args[0]: an integer, a name, or [coefficient, name]"),
        ([C, 0, "args", 0], True, "constraints[0].args[0]: an integer"),
        ([C, 0, "args", 0], None, "constraints[0].args[0]: an integer"),
        ([C, 0, "args", 0], {"of": "z"}, "constraints[0].args[0]: no variable 'z'"),
        ([C, 0, "args", 0], {"of": 3}, "constraints[0].args[0].of: the name of an array"),
        ([C, 0, "args", 0], {"of": "q", "plus": [1]}, "args[0].plus: takes 3 values, got 1"),
        ([C, 0, "args", 0], {"of": "q", "times": 0.5}, "constraints[0].args[0].times: 64-bit integers"),
        ([C, 0, "args", 0], {"of": "q", "times": 10**30}, "constraints[0].args[0].times: 64-bit integers"),
        ([C, 0, "args", 0], {"of": "q", "pluss": 1}, "args[0]: no key 'pluss'; did you mean 'plus'"),
        ([C, 0, "args", 0], {"terms": "q"}, "constraints[0].args[0].terms: a list of terms"),
        ([C, 0, "args", 0], {"shape": [2], "terms": ["y"]}, "constraints[0].args[0].shape: (2,) does not"),
        ([C, 0, "args", 0], {"shape": [-1], "terms": ["y"]}, "constraints[0].args[0].shape: "),
        ([C, 0, "args", 0], {"terms": ["y", "q"]}, "constraints[0].args[0].terms[1]: 'q' is an array"),
        ([C, 0, "args", 0], {"terms": [[["1", "y"]]]}, "constraints[0].args[0].terms[0]: an integer"),
        ([C, 1, "args", 0, 0], [10**30, "y"], "constraints[1].args[0]: a coefficient or constant"),
        ([C, 1, "args", 1], "=<", "constraints[1].args[1]: relation '=<': allowed are"),
        ([C, 1, "args", 1], 3, "constraints[1].args[1]: Expected `str`"),
        ([C, 1, "args", 1], ["<="], "constraints[1].args[1]: Expected `str`"),
        ([C, 2, "args", 1], 3, "constraints[2].args[1]: a list of rows"),
        ([C, 2, "args", 1], [[1]], "constraints[2]: a table over 2 terms needs rows of 2"),
        ([C, 2, "args", 1], [[1, 2], [3]], "constraints[2].args[1]: rows of one length"),
        ([C, 2, "args", 1], [[1, 2.0]], "constraints[2].args[1][0][1]: Expected `int`"),
        ([C, 2, "args", 1], [[1, 10**30]], "constraints[2].args[1]: an integer does not fit 64 bits"),
        ([C, 3, "args", 1], "q", "constraints[3]: Count: value and count must be single terms"),
        ([C, 3, "name"], 3, "constraints[3].name: "),
        ([C, 3, "name"], "\ud800", "constraints[3].name: text '\\ud800': the character U+D800"),
        ([C, 3], {"kind": "Or", "args": ["q"]}, "constraints[3]: a term with values 0..4 is not Boolean"),
        ([C, 3], {"kind": "Or", "args": [1]}, "constraints[3].args[0]: any number of literal(s)"),
        ([C, 3], {"kind": "Negation", "args": ["q"]}, "constraints[3].args[0]: 1 literal(s)"),
        ([C, 3], {"kind": "Among", "args": ["q", [True], 1]}, "constraints[3].args[1][0]: Expected `int`"),
        ([C, 3], {"kind": "Increasing", "args": ["q", 1]}, "constraints[3].args[1]: Expected `bool`"),
        ([C, 2, "args", 1], [[1, "?"], [1, "*"]], "constraints[2].args[1][0][1]: Invalid enum value '?'"),
        ([C, 2, "args", 1], [[10**30, "*"]], "constraints[2]: table rows: "),
        ([C, 3], automaton([["*", 1, 0]], 0), "constraints[3].args[1][0][0]: Expected `int`"),
        ([C, 3], automaton([[0, 1]], 0), "constraints[3]: Regular: transitions are (state, value, "),
        ([C, 3], automaton([], "a"), "constraints[3].args[2]: Expected `int`"),
        ([C, 3], automaton([], 10**30), "constraints[3]: states: "),
        ([C, 3], {"kind": "LexChainLess", "args": ["q"]}, "constraints[3]: LexChainLess: rows of one length"),
        ([C, 3], {"kind": "NValue", "args": ["q", "q"]}, "constraints[3]: NValue: count must be a single"),
        ([C, 3], {"kind": "BinPacking", "args": ["q", [1], [1], "=="]}, "constraints[3]: BinPacking: 3"),
        ([C, 3], {"kind": "ValuePrecede", "args": ["q", [1, 1]]}, "constraints[3]: ValuePrecede: each value"),
        (["objective", "sense"], "min", "objective.sense: "),
        (["objective", "term"], "q", "objective: the objective must be a single term"),
        (["objective", "term"], "z", "objective.term: no variable 'z'"),
        (["then"], [{"sense": "maximize", "term": "q"}], "then[0]: the objective must be a single term"),
        (["view", "kind"], "Bord", "view.kind: no view 'Bord'; did you mean 'Board'"),
        (["view", "variable"], "z", "view.variable: no variable 'z'"),
        (["view", "variable"], 3, "view.variable: Expected `str`"),
        (["view", "size"], 3, "view: no key 'size'"),
    ],
    ids=str,
)  # fmt: skip
def test_documents_that_are_refused(path: list[Any], value: Any, message: str) -> None:
    assert message in refused(changed(path, value))


def test_a_second_objective_needs_a_first_one() -> None:
    assert "then: further objectives" in refused(document(then=[{"sense": "minimize", "term": "y"}]))


@pytest.mark.parametrize("key", ["format", "version", "variables", "constraints"])
def test_what_must_be_there(key: str) -> None:
    wrong = document()
    del wrong[key]
    assert f"required field `{key}`" in refused(wrong)


def test_small_files_cannot_ask_for_huge_models() -> None:
    many = [{"name": "x", "shape": [2_000_000], "lower": 0, "upper": 1}]
    demand = [{"kind": "AllDifferent", "args": ["x"]}] * 1000
    line = refused(document(variables=many, definitions=[], constraints=demand))
    assert "args[0]: more than 20000000 terms in all" in line
    many.append({"name": "y", "lower": 0, "upper": 1})
    assert "variables[1].shape: more than 2000000" in refused(document(variables=many, constraints=[]))


@pytest.mark.slow
def test_too_many_table_rows_are_refused() -> None:
    wrong = document()
    wrong["constraints"][2]["args"][1] = [[1, 5]] * 1_000_001
    assert "constraints[2].args[1]: more than 1000000 table rows" in refused(wrong)


def test_range_conditions_that_a_file_lacks_are_added_once() -> None:
    m = Model()
    x = m.intvar(-1, 1, name="x")
    m += 2 // x == 2
    whole = json.loads(dump_model(m))
    assert [c.get("name") for c in whole["constraints"]] == [None, "range of 2 // x"]
    assert len(parse_model(json.dumps(whole)).constraints) == 2
    del whole["constraints"][1]
    again = parse_model(json.dumps(whole))
    assert [p.name for p in again.constraints] == [None, "range of 2 // x"]
    assert oracle.solve(again).count == oracle.solve(m).count == 1


@settings(max_examples=len(sweep(60, 150)))
@given(st.data())
def test_no_damage_to_a_file_gives_anything_but_a_model_or_one_line(data: st.DataObject) -> None:
    text = bytearray(dump_model(random_model(data.draw(st.integers(0, 50)))).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 3))] = data.draw(
            st.sampled_from([b"", b"0", b"-", b"9", b"[", b"]", b'"', b"x", b",", b"{}", b"null", b"1e9"])
        )
    line = ""
    try:
        parse_model(bytes(text))
    except ModelError as error:
        line = str(error)
    assert "\n" not in line


# ---- one text for one model ---------------------------------------------------------------------------


@seeds(range(200))
def test_what_is_read_is_written_again_in_the_same_text(seed: int) -> None:
    text = dump_model(random_model(10_000 + seed))
    assert dump_model(parse_model(text)) == text


def test_names_of_other_types_of_text_are_plain_text() -> None:
    class Shouted(str):
        def __str__(self) -> str:
            return self.upper()

    m = Model(np.str_("model"))
    x, y = m.intvar(0, 3, name=np.str_("x")), m.intvar(0, 3, name=Shouted("y"))
    m.add(x >= y, name=np.str_("posted"))
    m.add_soft(x > y, weight=2, name=Shouted("soft"))
    text = dump_model(m)
    assert dump_model(parse_model(text)) == text
    assert [block.name for block in parse_model(text).blocks] == ["x", "y"]


def test_a_flatzinc_model_is_written_again_in_the_same_text() -> None:
    text = "var bool: b :: output_var;\nconstraint bool_clause([b], []);\nsolve satisfy;\n"
    written = dump_model(from_flatzinc(text).model)
    assert dump_model(parse_model(written)) == written


def test_terms_are_equal_in_whatever_order_they_arose() -> None:
    m = Model()
    x, y = m.intvar(-3, 3, shape=2, name="x")
    tables = [x - y, 1], [-y + x, 1]
    both = [abs(x + y), abs(y + x)], [x * (y - x), x * (-x + y)], [element(t, x) for t in tables]
    for one, other in both:
        assert one.variable_list == other.variable_list
    m.add(*(one + other <= 3 for one, other in both), (x - y <= 1) | (-y + x <= 1) | (y == 2))
    text = dump_model(m)
    assert dump_model(parse_model(text)) == text


def test_the_conditions_of_an_objective_go_with_it_after_a_file_too() -> None:
    """Whatever becomes of objectives, the model of a file is what the written one would be."""
    changes: list[Callable[[Model], None]] = [
        lambda m: None,
        lambda m: m.minimize(m["x"].sum()),
        lambda m: m.then_minimize(m["x"][1] % m["x"][0]),
        lambda m: m.drop_objectives(),
    ]
    for seed in range(12):
        model, random = Model(), Random(seed)
        x = model.intvar(-1, 2, shape=3, name="x")
        terms = [x[0] // x[1], x[2] % (x[0] // x[1]), element([4, 5], x[2])]
        for _ in range(random.randint(0, 1)):
            model.add(random.choice(terms) >= 0)
        model.minimize(*random.sample(terms, random.randint(1, 2)))
        for change in changes:
            ours, theirs = model.copy(), parse_model(dump_model(model))
            assert [p.source is None for p in ours.constraints] == [
                p.source is None for p in theirs.constraints
            ]
            change(ours)
            change(theirs)
            assert [p.name for p in ours.constraints] == [p.name for p in theirs.constraints]
            assert np.array_equal(oracle.solve(ours).solutions, oracle.solve(theirs).solutions)
