"""Annotations of ``solve``: the orders that the exact engine is told, where others begin, what is unheard."""

from __future__ import annotations

from cpqueens import from_flatzinc
from cpqueens.backends.backtracking.orders import VALUE_ORDERS, VARIABLE_ORDERS
from cpqueens.exchange import flatzinc_searches as searches

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


def test_where_to_begin_and_what_nobody_follows() -> None:
    start = "warm_start_array([warm_start_int([x, s], [2, 3]), warm_start_bool([b], [true])])"
    others = "restart_luby(50) :: restart_none :: priority_search([x, y], ["
    others += (
        "int_search([y], impact, indomain_min, complete), float_search([], a, b, c)], smallest, complete)"
    )
    found = from_flatzinc(f"{DECLARED} solve :: {start} :: {others} minimize s;", searched_first=True)
    assert searches.hint_of(found, found.guides) == {"x": 2}
    assert searches.orders_of(found, found.guides) == {"phases": [(["y"], "dom/wdeg", "ascending")]}
    assert searches.unfollowed(found.guides) == [
        "restart_luby",
        "priority_search by smallest: in the order as written",
        "float_search",
        "impact: dom/wdeg in its place",
    ]
