"""Global constraints that MiniZinc leaves whole for us (by the folder `mznlib`), by their names there.

Where indices begin is an argument, as FlatZinc's own arrays begin at 1; arrays of two axes come row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from cpqueens.errors import ModelError
from cpqueens.language.constraints.all_different import AllDifferent, AllDifferentExcept, AllEqual
from cpqueens.language.constraints.bin_packing import BinPacking
from cpqueens.language.constraints.circuit import Circuit, SubCircuit
from cpqueens.language.constraints.count import Among, Count, GlobalCardinality, NValue
from cpqueens.language.constraints.cumulative import Cumulative, NoOverlap, NoOverlap2D
from cpqueens.language.constraints.inverse import Inverse
from cpqueens.language.constraints.lexicographic import LexChainLess, LexChainLessEqual, LexLess, LexLessEqual
from cpqueens.language.constraints.ordered import Increasing
from cpqueens.language.constraints.regular import Regular
from cpqueens.language.constraints.table import Table
from cpqueens.language.constraints.value_precede import ValuePrecede
from cpqueens.language.functions import all_, any_
from cpqueens.language.rows import as_rows

Terms = list[Any]


def _all(constraint: Callable[..., Any]) -> Callable[..., Any]:
    """Return the builder of a constraint that holds of no terms."""
    return lambda terms, *rest: constraint(terms, *rest) if terms else all_([])


def _same_length(*arrays: Sequence[Any]) -> None:
    """Refuse arrays of different lengths, where an empty one would hide that."""
    if len(lengths := sorted(set(map(len, arrays)))) > 1:
        raise ModelError(f"arrays of one length are needed, got {' and '.join(map(str, lengths))}")


def _circuit(terms: Terms, first: int) -> Any:
    if len(terms) == 1:  # in MiniZinc no node follows itself
        return any_([])
    return Circuit([t - first for t in terms]) if terms else all_([])


def _inverse(there: Terms, back: Terms, first: int, second: int) -> Any:
    if len(there) != len(back):
        return any_([])
    return Inverse([t - second for t in there], [t - first for t in back]) if there else all_([])


def _lexicographic(strictly: bool) -> Callable[[Terms, Terms], Any]:
    def build(left: Terms, right: Terms) -> Any:
        size = min(len(left), len(right))
        equal_is_fine = len(left) < len(right) or (len(left) == len(right) and not strictly)
        if not size:
            return all_([]) if equal_is_fine else any_([])
        return (LexLessEqual if equal_is_fine else LexLess)(left[:size], right[:size])

    return build


def _need_rows(cells: Sequence[Any], width: int) -> None:
    if width < 1 or len(cells) % width:
        raise ModelError(f"{len(cells)} entries are not rows of {width}")


def _rows(cells: Sequence[Any], width: int) -> list[Any]:
    _need_rows(cells, width)
    return [cells[k : k + width] for k in range(0, len(cells), width)]


def _chain(constraint: Callable[[Any], Any]) -> Callable[[Terms, int], Any]:
    def build(cells: Terms, width: int) -> Any:
        rows = _rows(cells, width) if cells else []
        return constraint(rows) if len(rows) > 1 else all_([])

    return build


def _table(terms: Terms, cells: list[int]) -> Any:
    if not cells:
        return any_([])
    _need_rows(cells, len(terms))
    # of several constraints that name one array, all have the same rows
    return Table(terms, terms[0].registry.shared(as_rows(cells)).constants.reshape(-1, len(terms)))


def _regular(terms: Terms, states: int, values: int, moves: list[int], start: int, accepting: Any) -> Any:
    """Return that a deterministic automaton accepts; ``moves`` is a row per state, 0 where there is none."""
    if len(moves) != states * values:
        raise ModelError(f"{len(moves)} transitions for {states} states and {values} values")
    arcs = [(k // values + 1, k % values + 1, head) for k, head in enumerate(moves) if 1 <= head <= states]
    return _accepts(terms, arcs, start, [state for state in accepting if 1 <= state <= states])


def _regular_nfa(terms: Terms, states: int, values: int, moves: list[Any], start: int, accepting: Any) -> Any:
    """Return the same of an automaton with sets of following states."""
    if len(moves) != states * values:
        raise ModelError(f"{len(moves)} sets of states for {states} states and {values} values")
    arcs = [
        (k // values + 1, k % values + 1, head)
        for k, heads in enumerate(moves)
        for head in heads
        if 1 <= head <= states
    ]
    return _accepts(terms, arcs, start, [state for state in accepting if 1 <= state <= states])


def _accepts(terms: Terms, arcs: list[tuple[int, int, int]], start: int, accepting: list[int]) -> Any:
    if not terms or not accepting:
        return all_([]) if not terms and start in accepting else any_([])
    return Regular(terms, arcs, start, accepting)


def _diagram(terms: Terms, tails: list[int], labels: list[Any], heads: list[int]) -> Any:
    """Return that the values are those of a path from node 1 to node 0, the end of a decision diagram."""
    _same_length(tails, labels, heads)
    ends = [term.ends() for term in terms]
    span = range(min((e[0] for e in ends), default=0), max((e[1] for e in ends), default=-1) + 1)
    arcs = [(t, v, h) for t, label, h in zip(tails, labels, heads, strict=True) for v in label if v in span]
    return _accepts(terms, arcs, 1, [0])


def _bin_packing_by(relation: str) -> Callable[[Terms, Terms, list[int], int], Any]:
    def build(loads: Terms, bins: Terms, sizes: list[int], first: int) -> Any:
        _same_length(bins, sizes)
        if not bins:
            return all_([load >= 0 if relation == "<=" else load == 0 for load in loads])
        if not loads:
            return any_([])
        return BinPacking([t - first for t in bins], sizes, loads, relation)

    return build


def _disjunctive(start: Terms, duration: Terms, strictly: bool) -> Any:
    _same_length(start, duration)
    if not start:
        return all_([])
    if strictly:
        return NoOverlap(start, duration)
    positive = [d >= 1 for d in duration]
    return all_([NoOverlap(start, duration, positive), *(d >= 0 for d in duration)])


def _boxes(x: Terms, y: Terms, dx: Terms, dy: Terms, strictly: bool) -> Any:
    _same_length(x, y, dx, dy)
    if not x:
        return all_([])
    if min(size.ends()[0] for size in (*dx, *dy)) < 0:
        raise ModelError("sizes of at least 0 are needed")
    if strictly:
        return NoOverlap2D(x, dx, y, dy)
    return NoOverlap2D(x, dx, y, dy, [all_([a >= 1, b >= 1]) for a, b in zip(dx, dy, strict=True)])


def _cumulative(start: Terms, duration: Terms, demand: Terms, capacity: Any) -> Any:
    _same_length(start, duration, demand)
    return Cumulative(start, duration, demand, capacity) if start else all_([])


def _counted(relation: str) -> Callable[[Terms, Any, Any], Any]:
    """Return the builder of a relation of the number of occurrences to a count."""

    def build(terms: Terms, value: Any, count: Any) -> Any:
        return Count(terms or [value + 1], value, relation, count)  # no terms, no occurrence

    return build


def _cardinality(closed: bool) -> Callable[[Terms, list[int], Terms], Any]:
    def build(terms: Terms, values: list[int], counts: Terms) -> Any:
        _same_length(values, counts)
        if not terms:
            return all_([c == 0 for c in counts])
        if not values:
            return any_([]) if closed else all_([])
        return GlobalCardinality(terms, values, counts, closed)

    return build


def _bounded_cardinality(closed: bool) -> Callable[[Terms, list[int], list[int], list[int]], Any]:
    def build(terms: Terms, values: list[int], lower: list[int], upper: list[int]) -> Any:
        _same_length(values, lower, upper)
        if not values:
            return any_([]) if terms and closed else all_([])
        if not terms:
            return all_([]) if all(a <= 0 <= b for a, b in zip(lower, upper, strict=True)) else any_([])
        return GlobalCardinality(terms, values, closed=closed, lower=lower, upper=upper)

    return build


def _number_of_values(count: Any, terms: Terms) -> Any:
    return NValue(terms, count) if terms else count == 0


def _among(count: Any, terms: Terms, values: Any) -> Any:
    return Among(terms, list(values), count) if terms and len(values) else count == 0


def _precede(first: int, second: int, terms: Terms) -> Any:
    return ValuePrecede(terms, first, second) if terms else all_([])


GLOBALS: dict[str, tuple[str, Callable[..., Any]]] = {
    "cpqueens_bin_packing_capa": ("KIKk", _bin_packing_by("<=")),
    "cpqueens_bin_packing_load": ("IIKk", _bin_packing_by("==")),
    "cpqueens_circuit": ("Ik", _circuit),
    "cpqueens_inverse": ("IIkk", _inverse),
    "cpqueens_lex_chain_less": ("Ik", _chain(LexChainLess)),
    "cpqueens_lex_chain_lesseq": ("Ik", _chain(LexChainLessEqual)),
    "cpqueens_mdd": ("IKSK", _diagram),
    "cpqueens_regular": ("IkkKks", _regular),
    "cpqueens_regular_nfa": ("IkkSks", _regular_nfa),
    "cpqueens_subcircuit": ("Ik", lambda terms, first: _all(SubCircuit)([t - first for t in terms])),
    "cpqueens_table_bool": ("BL", _table),
    "cpqueens_table_int": ("IK", _table),
    "fzn_all_different_int": ("I", _all(AllDifferent)),
    "fzn_all_equal_int": ("I", _all(AllEqual)),
    "fzn_alldifferent_except": ("Is", lambda terms, values: _all(AllDifferentExcept)(terms, list(values))),
    "fzn_alldifferent_except_0": ("I", _all(AllDifferentExcept)),
    "fzn_among": ("iIs", _among),
    "fzn_count_eq": ("Iii", _counted("==")),
    "fzn_count_geq": ("Iii", _counted("<=")),
    "fzn_count_gt": ("Iii", _counted("<")),
    "fzn_count_leq": ("Iii", _counted(">=")),
    "fzn_count_lt": ("Iii", _counted(">")),
    "fzn_count_neq": ("Iii", _counted("!=")),
    "fzn_cumulative": ("IIIi", _cumulative),
    "fzn_diffn": ("IIII", partial(_boxes, strictly=True)),
    "fzn_diffn_nonstrict": ("IIII", partial(_boxes, strictly=False)),
    "fzn_disjunctive": ("II", partial(_disjunctive, strictly=False)),
    "fzn_disjunctive_strict": ("II", partial(_disjunctive, strictly=True)),
    "fzn_global_cardinality": ("IKI", _cardinality(False)),
    "fzn_global_cardinality_closed": ("IKI", _cardinality(True)),
    "fzn_global_cardinality_low_up": ("IKKK", _bounded_cardinality(False)),
    "fzn_global_cardinality_low_up_closed": ("IKKK", _bounded_cardinality(True)),
    "fzn_increasing_bool": ("B", _all(Increasing)),
    "fzn_increasing_int": ("I", _all(Increasing)),
    "fzn_lex_less_bool": ("BB", _lexicographic(True)),
    "fzn_lex_less_int": ("II", _lexicographic(True)),
    "fzn_lex_lesseq_bool": ("BB", _lexicographic(False)),
    "fzn_lex_lesseq_int": ("II", _lexicographic(False)),
    "fzn_nvalue": ("iI", _number_of_values),
    "fzn_strictly_increasing_int": ("I", lambda terms: Increasing(terms, True) if terms else all_([])),
    "fzn_value_precede_chain_int": ("KI", lambda values, terms: _all(ValuePrecede)(terms, values)),
    "fzn_value_precede_int": ("kkI", _precede),
}
"""By name: the signature, see `flatzinc_constraints`, and the builder of its truth."""
