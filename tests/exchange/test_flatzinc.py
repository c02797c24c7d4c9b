"""FlatZinc: what its constraints mean, models of MiniZinc against Gecode's counts, broken files."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from cpqueens import CpqueensError, ModelError, UnsupportedConstraint, from_flatzinc
from cpqueens.exchange.flatzinc import ImportedFlatZinc, load_flatzinc
from cpqueens.exchange.flatzinc_constraints import FORMS, GLOBALS
from cpqueens.exchange.flatzinc_text import Declared, parse

FOLDER = Path(__file__).with_name("minizinc")

# What Gecode 6.2 finds with the decompositions of MiniZinc 2.6.4: solutions, or the optimum. Of those marked
# with a star it refuses a part (powers, reified circuits and automata): counted by brute force.
COUNTS = {
    "abs_plus_minus": 30, "all_different": 654, "all_different_except": 240, "all_equal": 81,
    "among_count": 190, "arguments": 27, "bin_packing": 1080, "bool_orders": 3, "bool_sums": 15,
    "circuit": 126, "circuit_truths": 192,  # *
    "clauses": 5, "connectives": 12, "count_truths": 324, "counts": 16, "cumulative": 39, "diffn": 614,
    "disjunctive": 540, "div_in_a_truth": 31, "div_mod_signs": 66, "element": 216, "element_2d": 27,
    "element_bool": 16, "global_cardinality": 162, "global_cardinality_low_up": 106, "if_then_else": 4,
    "infeasible": 0, "inverse": 540, "lexicographic": 1152, "lexicographic_chains": 1224, "linear": 121,
    "min_max": 27, "orders": 2512, "pow_in_a_truth": 20,  # *
    "pow_negative": 23,  # *
    "regular": 220,  # *
    "relations": 16, "search": 2, "sets": 21, "sorted": 12, "tables": 108, "times_pow": 18,
    "value_precede": 440, "values": 300,
}  # fmt: skip
OPTIMA = {"optimise": 9, "optimise_max": 9, "search_in_turn": 5}


def load(name: str) -> ImportedFlatZinc:
    return load_flatzinc(FOLDER / f"{name}.fzn")


def printed(found: ImportedFlatZinc, solver: str) -> list[tuple[int, ...]]:
    """Return what is written out of all solutions."""
    items = [item for output in found.outputs for item in output.items]
    return [tuple(int(s[i]) for i in items) for s in found.model.enumerate(solver=solver).solutions]


@pytest.mark.parametrize("name", COUNTS)
def test_as_many_solutions_as_gecode(name: str) -> None:
    assert len(set(printed(load(name), "cpsat"))) == COUNTS[name]


@pytest.mark.parametrize("name", OPTIMA)
def test_the_optimum_of_gecode(name: str) -> None:
    assert load(name).model.solve("cpsat").objective == OPTIMA[name]


def test_every_model_is_there_twice() -> None:
    known = sorted([*COUNTS, *OPTIMA])
    assert (
        sorted(p.stem for p in FOLDER.glob("*.mzn")) == sorted(p.stem for p in FOLDER.glob("*.fzn")) == known
    )


# ---- what each constraint means ------------------------------------------------------------------


def quotient(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def power(x: int, y: int) -> int:
    return x**y if y >= 0 else quotient(1, x**-y)


_ARRAY = [2, -1, 2]
MEANINGS: dict[str, tuple[str, Callable[..., Any]]] = {
    "int_eq": ("xy", lambda x, y: x == y), "int_ne": ("xy", lambda x, y: x != y),
    "int_le": ("xy", lambda x, y: x <= y), "int_lt": ("xy", lambda x, y: x < y),
    "int_ge": ("xy", lambda x, y: x >= y), "int_gt": ("xy", lambda x, y: x > y),
    "bool_eq": ("ab", lambda a, b: a == b), "bool_ne": ("ab", lambda a, b: a != b),
    "bool_le": ("ab", lambda a, b: a <= b), "bool_lt": ("ab", lambda a, b: a < b),
    "bool_ge": ("ab", lambda a, b: a >= b), "bool_gt": ("ab", lambda a, b: a > b),
    "int_lin_eq": ("[2,-3] [x,y] 1", lambda x, y: 2 * x - 3 * y == 1),
    "int_lin_ne": ("[2,-3] [x,y] 1", lambda x, y: 2 * x - 3 * y != 1),
    "int_lin_le": ("[2,-3] [x,x] 1", lambda x: -x <= 1),
    "int_lin_lt": ("[2,-3] [x,y] 1", lambda x, y: 2 * x - 3 * y < 1),
    "int_lin_ge": ("[2,-3] [x,y] 1", lambda x, y: 2 * x - 3 * y >= 1),
    "int_lin_gt": ("[2,-3] [x,y] 1", lambda x, y: 2 * x - 3 * y > 1),
    "bool_lin_eq": ("[2,-3] [a,b] x", lambda a, b, x: 2 * a - 3 * b == x),
    "bool_lin_ne": ("[2,-3] [a,b] x", lambda a, b, x: 2 * a - 3 * b != x),
    "bool_lin_le": ("[2,-3] [a,b] 0", lambda a, b: 2 * a - 3 * b <= 0),
    "bool_lin_lt": ("[2,-3] [a,b] 0", lambda a, b: 2 * a - 3 * b < 0),
    "bool_lin_ge": ("[2,-3] [a,b] 0", lambda a, b: 2 * a - 3 * b >= 0),
    "bool_lin_gt": ("[2,-3] [a,b] 0", lambda a, b: 2 * a - 3 * b > 0),
    "array_bool_and": ("[a,b] c", lambda a, b, c: c == (a and b)),
    "array_bool_or": ("[a,b] c", lambda a, b, c: c == (a or b)),
    "array_bool_xor": ("[a,b,true] ", lambda a, b: (a + b + 1) % 2 == 1),
    "array_bool_element": ("x [true,false] b", lambda x, b: 1 <= x <= 2 and [1, 0][x - 1] == b),
    "array_int_element": ("x [2,-1,2] y", lambda x, y: 1 <= x <= 3 and _ARRAY[x - 1] == y),
    "array_var_bool_element": ("x [a,true] b", lambda x, a, b: 1 <= x <= 2 and [a, 1][x - 1] == b),
    "array_var_int_element": ("x [y,1,x] z", lambda x, y, z: 1 <= x <= 3 and [y, 1, x][x - 1] == z),
    "array_int_maximum": ("z [x,y,0]", lambda z, x, y: z == max(x, y, 0)),
    "array_int_minimum": ("z [x,y,0]", lambda z, x, y: z == min(x, y, 0)),
    "bool2int": ("a y", lambda a, y: a == y),
    "bool_and": ("abc", lambda a, b, c: c == (a and b)), "bool_or": ("abc", lambda a, b, c: c == (a or b)),
    "bool_xor": ("abc", lambda a, b, c: c == (a != b)), "bool_not": ("ab", lambda a, b: a != b),
    "bool_clause": ("[a,b] [c]", lambda a, b, c: a or b or not c),
    "int_abs": ("xy", lambda x, y: abs(x) == y), "int_negate": ("xy", lambda x, y: -x == y),
    "int_div": ("xyz", lambda x, y, z: y != 0 and quotient(x, y) == z),
    "int_mod": ("xyz", lambda x, y, z: y != 0 and x - y * quotient(x, y) == z),
    "int_max": ("xyz", lambda x, y, z: max(x, y) == z), "int_min": ("xyz", lambda x, y, z: min(x, y) == z),
    "int_minus": ("xyz", lambda x, y, z: x - y == z), "int_plus": ("xyz", lambda x, y, z: x + y == z),
    "int_pow": ("xyz", lambda x, y, z: (x != 0 or y >= 0) and power(x, y) == z),
    "int_pow_fixed": ("x -2 z", lambda x, z: x != 0 and power(x, -2) == z),
    "int_times": ("xyz", lambda x, y, z: x * y == z),
    "set_in": ("x {-2,0,1,3}", lambda x: x in (-2, 0, 1, 3)),
}  # fmt: skip
INTEGERS, TRUTHS = range(-2, 4), range(2)


def arguments_of(name: str) -> str:
    text = MEANINGS[name][0]
    return ",".join(text.split() if " " in text else text)


def wanted(name: str, ending: str) -> set[tuple[int, ...]]:
    """Return the values of the variables that occur, in the order of the meaning's parameters, and of r."""
    meaning = MEANINGS[name][1]
    names = meaning.__code__.co_varnames[: meaning.__code__.co_argcount]
    rows = product(*(TRUTHS if n in "abc" else INTEGERS for n in names))
    held = {row: bool(meaning(*row)) for row in rows}
    if not ending:
        return {row for row, holds in held.items() if holds}
    return {
        (*row, r)
        for row, holds in held.items()
        for r in TRUTHS
        if holds >= r and (ending == "_imp" or holds == r)
    }


@pytest.mark.parametrize("name", MEANINGS)
@pytest.mark.parametrize("ending", ["", "_reif", "_imp"])
def test_meaning(name: str, ending: str) -> None:
    meaning = MEANINGS[name][1]
    names = [*meaning.__code__.co_varnames[: meaning.__code__.co_argcount], *(["r"] if ending else [])]
    declared = "".join(f"var {'bool' if n in 'abcr' else '-2..3'}: {n} :: output_var;" for n in names)
    call = f"constraint {name}{ending}({arguments_of(name)}{',r' if ending else ''});"
    found = from_flatzinc(f"{declared}{call}solve satisfy;")
    rows = printed(found, "python-constraint")
    assert len(rows) == len(set(rows))
    assert set(rows) == wanted(name, ending)


def test_no_builtin_is_without_a_test() -> None:
    assert set(MEANINGS) == set(FORMS) - set(GLOBALS)


@pytest.mark.parametrize(
    "name", [n for n, form in FORMS.items() if form.result is not None and n in MEANINGS]
)
def test_a_variable_may_be_what_a_constraint_defines_it_to_be(name: str) -> None:
    meaning = MEANINGS[name][1]
    names = meaning.__code__.co_varnames[: meaning.__code__.co_argcount]
    text = MEANINGS[name][0]
    result = (text.split() if " " in text else list(text))[FORMS[name].result or 0]
    kind = "bool" if result in "abc" else "-2..3"
    declared = "".join(
        f"var {'bool' if n in 'abc' else '-2..3'}: {n}{'' if n == result else ' :: output_var'};"
        for n in names
    )
    equal = "bool_eq" if kind == "bool" else "int_eq"
    copy = f"var {kind}: copy :: output_var; constraint {equal}(copy, {result});"
    call = f"constraint {name}({arguments_of(name)}) :: defines_var({result});"
    rows = printed(from_flatzinc(f"{declared}{copy}{call}solve satisfy;"), "python-constraint")
    at = names.index(result)
    assert {(*row[:at], row[-1], *row[at:-1]) for row in rows} == wanted(name, "")
    assert len(rows) == len(wanted(name, ""))


# ---- names, definitions, annotations -------------------------------------------------------------


def test_names_shapes_and_definitions() -> None:
    text = """
    % a comment; with a semicolon
    array [1..2] of int: w = [1, -1];
    var 1..3: x1; var {1, 3}: x2; var 1..3: x3; var 0..2: x4;
    var 0..9: y :: output_var; var bool: b :: is_defined_var;
    var int: s :: is_defined_var;
    array [1..4] of var int: q :: output_array([0..1, 1..2]) = [x1, x2, x3, x4];
    constraint int_le_reif(s, 3, b) :: mzn_path("a;b %") :: defines_var(b);
    constraint int_lin_eq([1, 1, -1], [x1, x2, s], 0) :: defines_var(s);
    constraint bool2int(b, y);
    solve :: int_search(q, first_fail, indomain_max, complete) maximize s;
    """
    found = from_flatzinc(text, "place.fzn")
    model = found.model
    assert (model.name, model["q"].shape, model.variable_count - int(model.is_defined.sum())) == (
        "place",
        (2, 2),
        5,
    )
    assert [model.domains[1].tolist(), found.outputs[1].indices] == [[1, 3], (range(2), range(1, 3))]
    assert found.guides.searches[0].names == ("x1", "x2", "x3", "x4")
    assert model.solve("cpsat").objective == 6
    assert model.posted(0).where == "place.fzn:10"
    assert found.values(model.solve("cpsat"))["s"] == 6


def test_an_objective_with_holes_is_bounded_by_them() -> None:
    """Of the sum alone 11 would be the bound, and 10 no proof."""
    found = from_flatzinc(
        "var 0..1: a; var 0..1: b; var 0..1: c; var {1, 4, 10}: k :: is_defined_var;"
        "constraint int_lin_eq([3, 1, 7, -1], [a, b, c, k], 0) :: defines_var(k); solve maximize k;"
    )
    outcome = found.model.solve("backtracking")
    assert (outcome.status, outcome.objective, len(found.model.decisions)) == ("OPTIMAL", 10, 4)


def test_what_is_searched_first_comes_first() -> None:
    search = "seq_search([int_search([y], input_order, indomain_min, complete)])"
    text = f"var 0..1: x; var 0..1: y; solve :: {search} satisfy;"
    assert [b.name for b in from_flatzinc(text, searched_first=True).model.blocks] == ["y", "x"]


def test_a_circle_of_definitions_is_a_plain_model() -> None:
    text = (
        "var 0..3: x; var 0..3: y;"
        "constraint int_plus(y, 1, x) :: defines_var(x);"
        "constraint int_min(x, 2, y) :: defines_var(y); solve satisfy;"
    )
    assert from_flatzinc(text).model.count("python-constraint") == 1


def test_variables_that_are_declared_to_be_others() -> None:
    text = "var 1..5: x = y; var 1..4: y = z; var 1..9: z = 3; var 0..1: w; solve satisfy;"
    assert from_flatzinc(text).model.count("python-constraint") == 2
    circle = "var 1..3: x = y; var 2..5: y = x; solve satisfy;"
    assert from_flatzinc(circle).model.count("python-constraint") == 2
    with pytest.raises(ModelError, match=r"line 2: .* got a"):
        from_flatzinc("array [1..1] of var int: a = [a];\nconstraint int_le(a[1], 3); solve satisfy;")


def test_a_long_chain_of_definitions_in_reverse() -> None:
    size = 3000
    names = "".join(f"var int: x{k} :: is_defined_var;" for k in range(1, size))
    chain = "".join(
        f"constraint int_plus(x{k - 1}, 1, x{k}) :: defines_var(x{k});" for k in range(size - 1, 0, -1)
    )
    found = from_flatzinc(f"var 0..3: x0;{names}{chain}solve maximize x{size - 1};")
    assert found.model.goals[0].term.bounds()[1].tolist() == [size + 2]


@pytest.mark.parametrize("name", ["fzn_diffn", "fzn_diffn_nonstrict"])
def test_boxes_of_negative_size_are_what_the_standard_library_says(name: str) -> None:
    text = "".join(f"var -1..1: {v};\n" for v in "abcdefg")
    text += f"constraint {name}([a,b],[c,0],[d,e],[f,g]);\nsolve satisfy;\n"

    def apart(a: int, b: int, c: int, d: int, e: int, f: int, g: int) -> bool:
        empty = name == "fzn_diffn_nonstrict" and 0 in (d, e, f, g)
        return empty or a + d <= b or b + e <= a or c + f <= 0 or g <= c

    expected = sum(apart(*values) for values in product((-1, 0, 1), repeat=7))
    assert from_flatzinc(text).model.count() == expected


def test_lists_of_numbers_alone_mean_what_their_words_do() -> None:
    lists = {
        "[1,-2, 3]": [1, -2, 3],
        "[1,2,]": [1, 2],
        "[ 4 , 5]": [4, 5],
        "[7]": [7],
        "[]": [],
        "[1,2..3]": [1, range(2, 4)],
        "[1,0x10,007]": [1, 16, 7],
        "[1,123456789012345678,-1234567890123456789]": [1, 123456789012345678, -1234567890123456789],
        "[1,2.5,3]": [1, 2.5, 3],
        "[1,true]": [1, True],
        "[[1,2],3]": [[1, 2], 3],
    }
    for given, entries in lists.items():
        found = parse(f"array [1..{len(entries)}] of int: a = {given};")
        assert isinstance(found, Declared)
        assert found.value == entries
    table = "var 1..3: x; var 1..3: y; constraint cpqueens_table_int([x, y], [{}]); solve satisfy;"
    assert from_flatzinc(table.format("1,2, 3,1")).model.count("python-constraint") == 2
    for cells, said in (("1,2,3", "3 entries are not rows of 2"), ("1,true", "an integer is needed")):
        with pytest.raises(ModelError, match=said):
            from_flatzinc(table.format(cells))


# ---- what is refused -----------------------------------------------------------------------------

REFUSED = {
    "array [1..1] of var int: a :: output_array([1..1]) = [[]];\nsolve satisfy;": "a: an int is needed",
    "var 0..cpqueens_cir0: x;\nsolve satisfy;": "line 1: a number of at most",
    "var 0..e1: x;\nsolve satisfy;": "line 1: a number of at most",
    "var 1..3: x;\nconstraint int_le(x);\nsolve satisfy;": "line 2: int_le: 2 arguments are needed, got 1",
    "var 1..3: x;\nconstraint int_le(x, y);\nsolve satisfy;": "line 2: int_le: argument 2: y is not declared",
    "var 1..3: x;\nconstraint int_le(x, true);\nsolve satisfy;": "line 2: int_le: argument 2: an int",
    "var 1..3: x;\n\nconstraint bool_not(x, true);\nsolve satisfy;": "line 3: bool_not: argument 1: a bool",
    "var 1..3: x;\nvar 1..3: x;\nsolve satisfy;": "line 2: x: declared twice",
    "var 3..1: x;\nsolve satisfy;": "line 1: x: empty domain",
    "var 1..3: x\nsolve satisfy;": "line 1: ; is needed",
    "var 1..3: x;\nsolve satisfy": "m.fzn: line 2: a statement without its ';'",
    "var 1..3: x;": "the statement 'solve' is missing",
    "solve satisfy;\nvar 1..3: x;": "line 2: 'solve' must be the last statement",
    "solve satisfy;\nsolve satisfy;": "line 2: 'solve' must be the last statement",
    "array [1..3] of int: a = [1, 2];\nsolve satisfy;": "line 1: a: 3 entries needed",
    "array [2..3] of int: a = [1, 2];\nsolve satisfy;": "line 1: indices 1..size are needed",
    "var 1..99999999999999999999999999: x;\nsolve satisfy;": "line 1: a number of at most 20 digits",
    "var 1..9999999999999999999: x;\nsolve satisfy;": "out of range",
    "var 1..3: x;\nconstraint int_lin_le([1, 2], [x], 3);\nsolve satisfy;": "line 2: int_lin_le: 2",
    "var 1..3: x :: " + "a(" * 200 + ")" * 200 + ";\nsolve satisfy;": "line 1: nested more than 50 deep",
    "var 1..3: x;\nconstraint int_le(x, 2.5);\nsolve satisfy;": "an int is needed, got 2.5",
    "var 1..3: x;\nsolve minimize y;": "y is not declared",
    "\x00": "line 1",
    "": "the statement 'solve' is missing",
}  # fmt: skip
UNSUPPORTED = {
    "var 1..3: x;\nconstraint foo(x);\nsolve satisfy;": "line 2: constraint 'foo'",
    "var 0.0..1.5: f;\nconstraint float_le(f, 1.0);\nsolve satisfy;": "line 2: constraint 'float_le'",
    "var set of 1..3: s;\nconstraint set_card(s, 2);\nsolve satisfy;": "line 2: constraint 'set_card'",
    "var set of 1..3: s;\nsolve satisfy;": "s is a variable of type set",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused_in_one_line(text: str) -> None:
    with pytest.raises(ModelError) as caught:
        from_flatzinc(text, "m.fzn")
    assert str(caught.value).startswith("m.fzn: ")
    assert REFUSED[text] in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", UNSUPPORTED)
def test_unsupported_by_name(text: str) -> None:
    with pytest.raises(UnsupportedConstraint, match=f"m.fzn: .*{UNSUPPORTED[text].replace('line 2: ', '')}"):
        from_flatzinc(text, "m.fzn")


def test_broken_files_are_refused_in_one_line() -> None:
    """Cut, doubled, swapped and overwritten pieces of real files: read, or refused, and nothing else."""
    texts = [path.read_text() for path in sorted(FOLDER.glob("*.fzn"))]
    source, refused = random.Random(1), 0
    pieces = ["(", "]", "::", '"', ";", "..", "-", "1e9", "9" * 11, "true", "x", "{}", "%", "[]", "\x00", "é"]
    for _ in range(400):
        text = source.choice(texts)
        for _ in range(source.randint(1, 3)):
            a, b = sorted(source.sample(range(len(text)), 2))
            b = min(b, a + source.choice([1, 5, 60]))
            text = text[:a] + source.choice(["", source.choice(pieces), text[a:b] * 2]) + text[b:]
        message = complaint(text)
        refused += bool(message)
        assert not message or (message.startswith("m.fzn: ") and "\n" not in message)
    assert 200 < refused < 400


def complaint(text: str) -> str:
    try:
        from_flatzinc(text, "m.fzn")
    except CpqueensError as error:
        return str(error)
    return ""
