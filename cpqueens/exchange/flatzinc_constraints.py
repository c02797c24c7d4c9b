"""What the constraints of FlatZinc mean here: tables from name to signature and builder.

A signature has a letter for each argument: ``i`` a term, ``b`` a 0/1 term, ``k`` an integer, ``s`` a set of
integers; ``I``, ``B``, ``K``, ``L`` (truth values) and ``S`` arrays of these. A *relation* returns a truth; a
*function* the value of one argument, at the given position, by the others. Of each there are ``name_reif``
and ``name_imp``, with a last argument that is the truth, or implies it. Quotients and remainders round
towards zero; where a function is undefined, its relation is false.

Global constraints that MiniZinc leaves whole for us (by the folder `mznlib`), by their names there.

Where indices begin is an argument, as FlatZinc's own arrays begin at 1; arrays of two axes come row by row.
"""

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from cpqueens.errors import ModelError, UnsupportedConstraint
from cpqueens.language.constraints import ordered
from cpqueens.language.constraints.all_different import AllDifferent, AllDifferentExcept, AllEqual
from cpqueens.language.constraints.bin_packing import BinPacking
from cpqueens.language.constraints.circuit import Circuit, Inverse, SubCircuit
from cpqueens.language.constraints.connective import Xor
from cpqueens.language.constraints.count import Among, Count, GlobalCardinality, NValue
from cpqueens.language.constraints.cumulative import Cumulative, NoOverlap, NoOverlap2D
from cpqueens.language.constraints.regular import Regular
from cpqueens.language.constraints.table import Table
from cpqueens.language.expressions import BoolArray
from cpqueens.language.functions import all_, any_, div_trunc, element, maximum, minimum, mod_trunc
from cpqueens.language.rows import as_rows
from cpqueens.language.term import Term, weighted_sum
from cpqueens.text.plaintext import shown

_MOST_POWERS = 200
"""Exponents that a variable one may take."""


class Form(NamedTuple):
    """How a constraint is read; ``result`` is the argument that a function defines, None for a relation."""

    signature: str
    build: Callable[..., Any]
    result: int | None = None

    def truth(self, arguments: Sequence[Any]) -> BoolArray:
        """Return that the constraint holds."""
        if self.result is None:
            found: BoolArray = self.build(*arguments)
            return found
        equal: BoolArray = self.value(arguments) == arguments[self.result]
        return equal

    def value(self, arguments: Sequence[Any]) -> Any:
        """Return what the function is of its arguments; a truth counts as 0 or 1."""
        at = self.result
        assert at is not None
        found = self.build(*arguments[:at], *arguments[at + 1 :])
        return 1 * found if isinstance(found, BoolArray) else found


def linear(weights: Sequence[int], terms: Sequence[Term]) -> Term:
    """Return the weighted sum of as many terms, all of one model."""
    if len(weights) != len(terms):
        raise ModelError(f"{len(weights)} coefficients for {len(terms)} variables")
    if not terms:
        raise ModelError("a sum of nothing")
    return weighted_sum(weights, terms)


def within(term: Any, values: range | tuple[int, ...]) -> BoolArray:
    """Return that a term is in a set, run by run of its values."""
    spans = [(values.start, values.stop)] if isinstance(values, range) else _runs(values)
    truths = [
        term == low if low == end - 1 else all_([term >= low, term < end])
        for low, end in (spans if len(values) else ())
    ]
    return truths[0] if len(truths) == 1 else any_(truths)


def _runs(ascending: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first of each run of consecutive numbers, and the number behind its last."""
    breaks = [k for k in range(1, len(ascending)) if ascending[k] != ascending[k - 1] + 1]
    for begin, end in pairwise([0, *breaks, len(ascending)]):
        yield ascending[begin], ascending[end - 1] + 1


def _compared(relation: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def build(weights: Sequence[int], terms: Sequence[Term], side: Any) -> Any:
        if weights or terms:
            return relation(linear(weights, terms), side)
        truth = relation(0, side)  # a sum of nothing
        return truth if isinstance(truth, BoolArray) else all_([]) if truth else any_([])

    return build


def _power(base: Any, exponent: Any) -> Any:
    """Return ``base ** exponent``, of a negative exponent the quotient of 1 by the power, as in MiniZinc."""
    low, high, _ = exponent.ends()
    if high - low >= _MOST_POWERS:
        raise ModelError(f"an exponent of at most {_MOST_POWERS} values is needed, got {low}..{high}")
    if low == high:
        return _fixed_power(base, low)
    total = base if low >= 0 else base + (base == 0)  # an entry that is undefined would make all so
    powers = [_fixed_power(total if k < 0 else base, k) for k in range(low, high + 1)]
    outside = (high - low + 1) * all_([base == 0, exponent < 0]) if low < 0 else 0
    return element(powers, exponent - low - outside)


def _fixed_power(base: Any, exponent: int) -> Any:
    if exponent == 0:
        return 0 * base + 1
    return base**exponent if exponent > 0 else div_trunc(0 * base + 1, base**-exponent)


def _clause(positive: list[Any], negative: list[Any]) -> BoolArray:
    return any_([*positive, *(1 - term for term in negative)])


def _parity(truths: list[Any]) -> BoolArray:
    return Xor(truths) if truths else any_([])


_COMPARISONS = {name: getattr(operator, name) for name in ("eq", "ne", "le", "lt", "ge", "gt")}


def _entry(index: Any, table: Any) -> Any:
    return element(table, index - 1)


SHORTER: dict[tuple[str, int], Form] = {("bool_xor", 2): Form("bb", operator.ne)}
"""Those that have another meaning with fewer arguments."""

ENDINGS = ("_reif", "_imp")


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
        return (ordered.LexLessEqual if equal_is_fine else ordered.LexLess)(left[:size], right[:size])

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
    return _regular_nfa(terms, states, values, [[head] for head in moves], start, accepting)


def _regular_nfa(terms: Terms, states: int, values: int, moves: list[Any], start: int, accepting: Any) -> Any:
    """Return the same of an automaton with sets of following states."""
    if len(moves) != states * values:
        raise ModelError(f"{len(moves)} transitions for {states} states and {values} values")
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
    if min(size.ends()[0] for size in (*dx, *dy)) < 0:  # no boxes: what MiniZinc's own definition says
        ends = list(zip(x, y, dx, dy, strict=True))
        return all_([_apart(a, b, strictly) for k, a in enumerate(ends) for b in ends[:k]])
    if strictly:
        return NoOverlap2D(x, dx, y, dy)
    return NoOverlap2D(x, dx, y, dy, [all_([a >= 1, b >= 1]) for a, b in zip(dx, dy, strict=True)])


def _apart(one: Sequence[Any], other: Sequence[Any], strictly: bool) -> Any:
    """Return that one of two boxes (x, y, width, height) ends before the other begins, or has no area."""
    ways = [a[k] + a[k + 2] <= b[k] for k in (0, 1) for a, b in ((one, other), (other, one))]
    return any_(ways if strictly else [*ways, *(size == 0 for size in (*one[2:], *other[2:]))])


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
    return ordered.ValuePrecede(terms, first, second) if terms else all_([])


GLOBALS: dict[str, tuple[str, Callable[..., Any]]] = {
    "cpqueens_bin_packing_capa": ("KIKk", _bin_packing_by("<=")),
    "cpqueens_bin_packing_load": ("IIKk", _bin_packing_by("==")),
    "cpqueens_circuit": ("Ik", _circuit),
    "cpqueens_inverse": ("IIkk", _inverse),
    "cpqueens_lex_chain_less": ("Ik", _chain(ordered.LexChainLess)),
    "cpqueens_lex_chain_lesseq": ("Ik", _chain(ordered.LexChainLessEqual)),
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
    "fzn_increasing_bool": ("B", _all(ordered.Increasing)),
    "fzn_increasing_int": ("I", _all(ordered.Increasing)),
    "fzn_lex_less_bool": ("BB", _lexicographic(True)),
    "fzn_lex_less_int": ("II", _lexicographic(True)),
    "fzn_lex_lesseq_bool": ("BB", _lexicographic(False)),
    "fzn_lex_lesseq_int": ("II", _lexicographic(False)),
    "fzn_nvalue": ("iI", _number_of_values),
    "fzn_strictly_increasing_int": (
        "I",
        lambda terms: ordered.Increasing(terms, True) if terms else all_([]),
    ),
    "fzn_value_precede_chain_int": ("KI", lambda values, terms: _all(ordered.ValuePrecede)(terms, values)),
    "fzn_value_precede_int": ("kkI", _precede),
}
"""By name: the signature, see `flatzinc_constraints`, and the builder of its truth."""


FORMS: dict[str, Form] = {
    **{f"int_{name}": Form("ii", relation) for name, relation in _COMPARISONS.items()},
    **{f"bool_{name}": Form("bb", relation) for name, relation in _COMPARISONS.items()},
    **{f"int_lin_{name}": Form("KIk", _compared(relation)) for name, relation in _COMPARISONS.items()},
    **{f"bool_lin_{name}": Form("KBi", _compared(relation)) for name, relation in _COMPARISONS.items()},
    **{name: Form(signature, build) for name, (signature, build) in GLOBALS.items()},
    "array_bool_and": Form("Bb", all_, 1),
    "array_bool_element": Form("iLb", _entry, 2),
    "array_bool_or": Form("Bb", any_, 1),
    "array_bool_xor": Form("B", _parity),
    "array_int_element": Form("iKi", _entry, 2),
    "array_int_maximum": Form("iI", maximum, 0),
    "array_int_minimum": Form("iI", minimum, 0),
    "array_var_bool_element": Form("iBb", _entry, 2),
    "array_var_int_element": Form("iIi", _entry, 2),
    "bool2int": Form("bi", lambda truth: truth, 1),
    "bool_and": Form("bbb", lambda a, b: all_([a, b]), 2),
    "bool_clause": Form("BB", _clause),
    "bool_eq": Form("bb", lambda a: a, 1),
    "bool_not": Form("bb", lambda a: 1 - a, 1),
    "bool_or": Form("bbb", lambda a, b: any_([a, b]), 2),
    "bool_xor": Form("bbb", lambda a, b: a != b, 2),
    "int_abs": Form("ii", abs, 1),
    "int_div": Form("iii", div_trunc, 2),
    "int_eq": Form("ii", lambda a: a, 1),
    "int_max": Form("iii", maximum, 2),
    "int_min": Form("iii", minimum, 2),
    "int_minus": Form("iii", operator.sub, 2),
    "int_mod": Form("iii", mod_trunc, 2),
    "int_negate": Form("ii", operator.neg, 1),
    "int_plus": Form("iii", operator.add, 2),
    "int_pow": Form("iii", _power, 2),
    "int_pow_fixed": Form("iki", _fixed_power, 2),
    "int_times": Form("iii", operator.mul, 2),
    "set_in": Form("is", within),
}
"""Every constraint that is known, without its forms ``_reif`` and ``_imp``."""


def form_of(name: str, many: int) -> tuple[Form, str]:
    """Return how a constraint with so many arguments is read, and the ending of its name."""
    for ending in ("", *ENDINGS):
        base = name.removesuffix(ending) if ending else name
        form = SHORTER.get((base, many - bool(ending))) or FORMS.get(base)
        if form is not None and name.endswith(ending):
            return form, ending
    raise UnsupportedConstraint(f"constraint {shown(name, 80)} is not supported")
