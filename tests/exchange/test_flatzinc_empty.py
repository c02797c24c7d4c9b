"""FlatZinc constraints over empty arrays: plain, as truths and implied, against what they mean of nothing."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from cpqueens import ModelError, from_flatzinc
from cpqueens.exchange.flatzinc_constraints import FORMS, GLOBALS

Meaning = Callable[[int, int], bool]


def always(x: int, y: int) -> bool:
    return True


def never(x: int, y: int) -> bool:
    return False


def nothing(x: int, y: int) -> bool:
    return x == y == 0


EMPTY: dict[str, Meaning] = {
    "array_bool_xor([]": never,
    "bool_clause([], []": never,
    "bool_lin_eq([], [], x": lambda x, y: x == 0,
    "bool_lin_lt([], [], x": lambda x, y: x > 0,
    "cpqueens_bin_packing_capa([3, 0], [], [], 1": always,
    "cpqueens_bin_packing_capa([3, -1], [], [], 1": never,
    "cpqueens_bin_packing_capa([], [], [], 1": always,
    "cpqueens_bin_packing_load([x, y], [], [], 1": nothing,
    "cpqueens_bin_packing_load([], [x, y], [1, 1], 1": never,
    "cpqueens_bin_packing_load([], [], [], 1": always,
    "cpqueens_circuit([], 1": always,
    "cpqueens_inverse([], [], 1, 1": always,
    "cpqueens_inverse([], [x], 1, 1": never,
    "cpqueens_lex_chain_less([], 2": always,
    "cpqueens_lex_chain_lesseq([], 2": always,
    "cpqueens_regular([], 2, 1, [1, 2], 1, {1}": always,
    "cpqueens_regular([], 2, 1, [1, 2], 1, {2}": never,
    "cpqueens_regular([x], 2, 1, [1, 2], 1, {}": never,
    "cpqueens_regular_nfa([], 2, 1, [{1}, {2}], 1, {1}": always,
    "cpqueens_regular_nfa([], 2, 1, [{1}, {}], 1, {2}": never,
    "cpqueens_subcircuit([], 1": always,
    "cpqueens_table_bool([], []": never,
    "cpqueens_table_int([], []": never,
    "cpqueens_table_int([x, y], []": never,
    "cpqueens_mdd([], [], [], []": never,
    "cpqueens_mdd([x, y], [1, 1, 2], [{0}, {1, 2, 9}, {2}], [2, 0, 0]": lambda x, y: (x, y) == (0, 2),
    "fzn_all_different_int([]": always,
    "fzn_all_equal_int([]": always,
    "fzn_alldifferent_except([], {1}": always,
    "fzn_alldifferent_except([x, y], {}": lambda x, y: x != y,
    "fzn_alldifferent_except_0([]": always,
    "fzn_among(x, [], {1}": lambda x, y: x == 0,
    "fzn_among(x, [y], {}": lambda x, y: x == 0,
    "fzn_count_eq([], x, y": lambda x, y: y == 0,
    "fzn_count_geq([], x, y": lambda x, y: y >= 0,
    "fzn_count_gt([], x, y": lambda x, y: y > 0,
    "fzn_count_leq([], x, y": lambda x, y: y <= 0,
    "fzn_count_lt([], x, y": never,
    "fzn_count_neq([], x, y": lambda x, y: y != 0,
    "fzn_cumulative([], [], [], x": always,
    "fzn_diffn([], [], [], []": always,
    "fzn_diffn_nonstrict([], [], [], []": always,
    "fzn_disjunctive([], []": always,
    "fzn_disjunctive_strict([], []": always,
    "fzn_global_cardinality([], [1, 2], [x, y]": nothing,
    "fzn_global_cardinality([], [], []": always,
    "fzn_global_cardinality([x], [], []": always,
    "fzn_global_cardinality_closed([], [1, 2], [x, y]": nothing,
    "fzn_global_cardinality_closed([], [], []": always,
    "fzn_global_cardinality_closed([x], [], []": never,
    "fzn_global_cardinality_low_up([], [1, 2], [0, 0], [1, 0]": always,
    "fzn_global_cardinality_low_up([], [1, 2], [0, 1], [1, 1]": never,
    "fzn_global_cardinality_low_up([x], [], [], []": always,
    "fzn_global_cardinality_low_up_closed([], [1], [0], [0]": always,
    "fzn_global_cardinality_low_up_closed([], [1], [-2], [-1]": never,
    "fzn_global_cardinality_low_up_closed([x], [], [], []": never,
    "fzn_increasing_bool([]": always,
    "fzn_increasing_int([]": always,
    "fzn_lex_less_bool([], []": never,
    "fzn_lex_less_int([], []": never,
    "fzn_lex_less_int([], [x]": always,
    "fzn_lex_lesseq_bool([], []": always,
    "fzn_lex_lesseq_int([], []": always,
    "fzn_lex_lesseq_int([x], []": never,
    "fzn_nvalue(x, []": lambda x, y: x == 0,
    "fzn_strictly_increasing_int([]": always,
    "fzn_value_precede_chain_int([1, 2], []": always,
    "fzn_value_precede_chain_int([], [x, y]": always,
    "fzn_value_precede_int(1, 2, []": always,
    "int_lin_eq([], [], 0": always,
    "int_lin_eq([], [], 1": never,
    "int_lin_le([], [], -1": never,
    "int_lin_ne([], [], 1": always,
    "set_in(x, {}": never,
}
"""A call without its end, and what it says of two variables in 0..2."""

HEAD = "var 0..2: x :: output_var;\nvar 0..2: y :: output_var;\n"


def solutions(text: str) -> set[tuple[int, ...]]:
    model = from_flatzinc(text).model
    found = model.enumerate(solver="backtracking").solutions.matrix
    assert len(found) == len(set(map(tuple, found.tolist())))
    return set(map(tuple, found.tolist()))


@pytest.mark.parametrize("call", EMPTY)
def test_of_nothing(call: str) -> None:
    holds, every = EMPTY[call], [*product(range(3), repeat=2)]
    plain = solutions(f"{HEAD}constraint {call});\nsolve satisfy;\n")
    assert plain == {(x, y) for x, y in every if holds(x, y)}
    name, _, arguments = call.partition("(")
    head = f"{HEAD}var bool: b :: output_var;\n"
    truth = solutions(f"{head}constraint {name}_reif({arguments}, b);\nsolve satisfy;\n")
    assert truth == {(x, y, int(holds(x, y))) for x, y in every}
    implied = solutions(f"{head}constraint {name}_imp({arguments}, b);\nsolve satisfy;\n")
    assert implied == {(x, y, b) for x, y in every for b in (0, 1) if not b or holds(x, y)}


def test_every_global_is_here() -> None:
    names = {call.partition("(")[0] for call in EMPTY}
    assert set(GLOBALS) <= names <= set(FORMS)


@pytest.mark.parametrize(
    "call",
    [
        "cpqueens_bin_packing_load([x], [], [1], 1)",
        "cpqueens_mdd([x], [1], [], [0])",
        "fzn_cumulative([], [1], [], 1)",
        "fzn_cumulative([], [], [1], 1)",
        "fzn_diffn([], [], [1], [])",
        "fzn_disjunctive([], [1])",
        "fzn_global_cardinality([], [1], [])",
        "fzn_global_cardinality([x], [], [y])",
        "fzn_global_cardinality_low_up([], [1], [0], [])",
        "int_lin_eq([1], [], 0)",
        "int_lin_eq([], [x], 0)",
    ],
)
def test_an_empty_array_beside_another_is_refused(call: str) -> None:
    with pytest.raises(ModelError, match=r"of one length|coefficients for"):
        from_flatzinc(f"{HEAD}constraint {call};\nsolve satisfy;\n")
