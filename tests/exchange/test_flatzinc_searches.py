"""Annotations of ``solve``: the orders that the exact engine is told, where others begin, what is unheard."""

from __future__ import annotations

import pytest

from cpqueens import from_flatzinc
from cpqueens.backends.backtracking.orders import VALUE_ORDERS, VARIABLE_ORDERS
from cpqueens.exchange import flatzinc_searches as searches
from cpqueens.text.parameters import LARGEST_COUNT

DECLARED = """
var 0..4: x; var 0..4: y; var 0..8: s :: is_defined_var; var bool: b :: is_defined_var; var 1..3: z = x;
constraint int_lin_eq([1, 1, -1], [x, y, s], 0) :: defines_var(s);
constraint int_le_reif(x, y, b) :: defines_var(b);
"""


def test_every_choice_of_minizinc_is_an_order_here() -> None:
    """Those of its handbook; nothing of them is left unfollowed but what another one stands for."""
    variables = "anti_first_fail dom_w_deg first_fail impact input_order largest max_regret most_constrained"
    values = "indomain indomain_interval indomain_max indomain_median indomain_middle indomain_min"
    values += " indomain_random indomain_reverse_split indomain_split indomain_split_random"
    assert set(f"{variables} occurrence smallest".split()) == set(searches.VARIABLE_ORDERS)
    assert set(f"{values} outdomain_max outdomain_min".split()) == set(searches.VALUE_ORDERS)
    assert set(searches.VARIABLE_ORDERS.values()) <= set(VARIABLE_ORDERS)
    assert set(searches.VALUE_ORDERS.values()) <= set(VALUE_ORDERS)


def test_what_is_a_function_of_others_is_searched_too() -> None:
    annotations = "seq_search([bool_search([b], input_order, indomain_max, complete),"
    annotations += "int_search([s, x, z], occurrence, outdomain_min, complete)])"
    found = from_flatzinc(f"{DECLARED} solve :: {annotations} satisfy;", searched_first=True)
    told = searches.orders_of(found, found.guides)
    assert told == {
        "phases": [(["b"], "lexicographic", "descending"), (["s", "x"], "most-occurrences", "split-upper")]
    }
    first = found.values(found.model.solve("backtracking", **told))
    assert (first["b"], first["s"], first["x"]) == (1, 7, 3)
    assert found.model.count("backtracking") == found.model.count("cpsat") == 15


def test_one_order_of_all_variables_is_that_of_a_listing_and_else_one_of_several_searches() -> None:
    text = "".join(f"var 1..11: a{k};\n" for k in range(12))
    names = ", ".join(f"a{k}" for k in range(12))
    text += "".join(f"constraint int_ne(a{i}, a{j});\n" for j in range(12) for i in range(j))
    found = from_flatzinc(f"{text} solve :: int_search([{names}], smallest, indomain_max) satisfy;")
    told = {"variable_order": "smallest-value", "value_order": "descending"}
    assert searches.orders_of(found, found.guides, listing=True) == told
    written = [f"a{k}" for k in range(12)]
    assert searches.orders_of(found, found.guides) == {"phases": [(written, *told.values())]}


def test_where_to_begin_and_what_nobody_follows() -> None:
    start = "warm_start_array([warm_start_int([x, s], [2, 3]), warm_start_bool([b], [true])])"
    others = "complete :: priority_search([x, y], ["
    others += (
        "int_search([y], impact, indomain_min, complete), float_search([], a, b, c)], smallest, complete)"
    )
    found = from_flatzinc(f"{DECLARED} solve :: {start} :: {others} minimize s;", searched_first=True)
    assert searches.hint_of(found, found.guides) == {"x": 2}
    assert searches.orders_of(found, found.guides) == {"phases": [(["y"], "dom/wdeg", "ascending")]}
    assert searches.unfollowed(found.guides) == [
        "complete",
        "priority_search by smallest: in the order as written",
        "float_search",
        "impact: dom/wdeg in its place",
    ]


@pytest.mark.parametrize(
    ("said", "lengths"),
    [
        ("restart_constant(30)", [30, 30, 30, 30, 30, 30, 30]),
        ("restart_linear(10)", [10, 20, 30, 40, 50, 60, 70]),
        ("restart_geometric(1.5, 100)", [100, 150, 225, 337, 506, 759, 1139]),
        ("restart_luby(50)", [50, 50, 100, 50, 50, 100, 200]),
        ("restart_none", [LARGEST_COUNT] * 7),
        ("restart_geometric(0.1, -5)", [1] * 7),
    ],
)
def test_restarts_are_the_engines(said: str, lengths: list[int]) -> None:
    found = from_flatzinc(f"{DECLARED} solve :: {said} satisfy;")
    told = searches.parameters_of(found, found.guides)
    assert told["restarts"][:7] == lengths
    assert searches.unfollowed(found.guides) == []
    assert found.model.solve("backtracking", **told).status == "FEASIBLE"


def test_luby_has_whole_periods_and_none_is_said_twice() -> None:
    found = from_flatzinc(f"{DECLARED} solve :: restart_luby(1) :: restart_constant(9) satisfy;")
    assert found.guides.restarts is not None
    assert max(found.guides.restarts) == (len(found.guides.restarts) + 1) // 2 == found.guides.restarts[-1]
    assert searches.unfollowed(found.guides) == ["restart_constant"]


def test_what_is_relaxed_is_told_local_search() -> None:
    """A function of variables is kept with these; what is no percentage is one in effect."""
    said = "relax_and_reconstruct([x, s, 7], 80) :: relax_and_reconstruct([y], 130, [3])"
    found = from_flatzinc(f"{DECLARED} solve :: {said} minimize s;")
    told = searches.parameters_of(found, found.guides)
    assert told == {"relax": [(["x", "y"], 80), (["y"], 100)]}
    assert searches.hint_of(found, found.guides) == {"y": 3}
    assert found.model.solve("local-search", step_limit=3000, **told).objective == 1
    assert found.model.solve("auto", **told).complete
