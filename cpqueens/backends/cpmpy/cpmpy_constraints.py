"""What constraints are in CPMpy: a table from kinds to its globals and relations.

A global constraint is written whole where it is posted and where CPMpy means the same by it; elsewhere it is
decomposed here.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import COMPARED
from cpqueens.language.constraints.table_rows import are_disjoint, written
from cpqueens.language.expressions import LinearArray
from cpqueens.language.linear_rows import Row


class Writer(Protocol):
    """What turns our terms and truths into CPMpy's expressions."""

    cpmpy: Any

    def sum(self, row: Row) -> tuple[Any, int]:
        """Return a term without its constant, None if that is nothing, and the constant."""

    def terms(self, array: LinearArray) -> list[Any]:
        """Return terms as expressions, or as integers."""

    def truths(self, array: LinearArray) -> list[Any]:
        """Return 0/1 terms as Boolean expressions, or as bools."""

    def expression(self, value: Any) -> Any:
        """Return an expression that is as it is, or of an integer one that has that value."""


Written = Sequence[Any]
"""For each element of a constraint a Boolean expression, or a bool."""

# ---- relations and connectives, posted and as truths -----------------------------------------------------


def _linear(writer: Writer, c: Any) -> Written:
    relation, found = COMPARED[c.relation], []
    for row in c.expression.rows():
        expression, constant = writer.sum(row)
        found.append(relation(0 if expression is None else expression, -constant))
    return found


def _connective(make: Callable[[Any, list[Any]], Any]) -> Callable[[Writer, Any], Written]:
    def write(writer: Writer, c: Any) -> Written:
        width = c.literals.shape[-1]
        literals = writer.truths(c.literals.reshape(-1))
        return [make(writer.cpmpy, literals[k * width : (k + 1) * width]) for k in range(c.size)]

    return write


def _parity(cpmpy: Any, literals: list[Any]) -> Any:
    plain = sum(k for k in literals if isinstance(k, bool)) % 2 == 1
    others = [k for k in literals if not isinstance(k, bool)]
    if not others:
        return plain
    odd = cpmpy.Xor(others) if len(others) > 1 else others[0]
    return ~odd if plain else odd


TRUTHS: dict[str, Callable[[Writer, Any], Written]] = {
    "And": _connective(lambda cpmpy, literals: cpmpy.all(literals) if literals else True),
    "Linear": _linear,
    "Or": _connective(lambda cpmpy, literals: cpmpy.any(literals) if literals else False),
    "Xor": _connective(_parity),
}
"""What a constraint is in CPMpy, for each of its elements, in every context."""


# ---- global constraints ----------------------------------------------------------------------------------


_MANY = 1000
"""Values."""


class Global(NamedTuple):
    """How a posted constraint is written as one of CPMpy's, and whether that means the same."""

    write: Callable[[Writer, Any], Any]
    fits: Callable[[Any], bool]


def _varied(*arrays: LinearArray) -> bool:
    """Say whether several terms stand in each array, and some variable: CPMpy refuses others now and then."""
    return all(array.size > 1 and array.coefficients.any() for array in arrays)


def _of_terms(name: str) -> Global:
    return Global(lambda w, c: getattr(w.cpmpy, name)(w.terms(c.terms)), lambda c: _varied(c.terms))


def _ordered(name: str) -> Global:
    return Global(
        lambda w, c: getattr(w.cpmpy, name + "Strict" * c.strict)(w.terms(c.terms)),
        lambda c: _varied(c.terms),
    )


def _of_two(name: str) -> Global:
    return Global(
        lambda w, c: getattr(w.cpmpy, name)(w.terms(c.first), w.terms(c.second)),
        lambda c: _varied(c.first, c.second),
    )


def _chain(name: str) -> Global:
    return Global(
        lambda w, c: getattr(w.cpmpy, name)([w.terms(row) for row in c.matrix]),
        lambda c: len(c.matrix) > 1 and all(map(_varied, c.matrix)),
    )


def _counted(number: Callable[[Writer, Any], Any], relation: str = "") -> Callable[[Writer, Any], Any]:
    """Write a number of terms in relation to a count."""
    return lambda w, c: COMPARED[relation or c.relation](number(w, c), *w.terms(c.count))


def _negative_table(c: Any) -> bool:
    return len(c.rows) > 0 and _varied(c.terms) and written(c.rows) == c.rows.tolist()


def _few_values(c: Any) -> bool:
    """Say whether NValue may be CPMpy's, which looks at each value between the bounds."""
    low, high = c.terms.bounds()
    return _varied(c.terms) and int(high.max()) - int(low.min()) < _MANY


def _regular(w: Writer, c: Any) -> Any:
    arcs, start, accepting, _ = c.numbered()
    steps = [tuple(arc) for arc in arcs.tolist()]
    ends = sorted(set(accepting.tolist()).intersection(arcs[:, [0, 2]].ravel().tolist()))
    return w.cpmpy.Regular([w.expression(term) for term in w.terms(c.terms)], steps, start, ends)


def _usual_automaton(c: Any) -> bool:
    """Say whether CPMpy takes an automaton: it knows the states of transitions alone, and one way at most."""
    states = set(c.transitions[:, [0, 2]].ravel().tolist())
    return _varied(c.terms) and c.deterministic and c.start in states and not states.isdisjoint(c.accepting)


def _least(array: LinearArray) -> int:
    return int(array.bounds()[0].min())


def _cumulative(w: Writer, c: Any) -> Any:
    return _of_tasks(w, c, w.terms(c.demand), *w.terms(c.capacity))


def _of_tasks(w: Writer, c: Any, *resource: Any) -> Any:
    """Return a constraint of tasks, in the form for optional ones where some may be absent."""
    tasks = w.terms(c.start), w.terms(c.duration), None, *resource
    if (c.present.bounds()[0] > 0).all():
        return getattr(w.cpmpy, c.kind)(*tasks)
    present = [w.cpmpy.BoolVal(p) if isinstance(p, bool) else p for p in w.truths(c.present)]
    return getattr(w.cpmpy, f"{c.kind}Optional")(*tasks, present)


GLOBALS: dict[str, Global] = {
    "AllDifferent": _of_terms("AllDifferent"),
    "AllDifferentExcept": Global(
        lambda w, c: w.cpmpy.AllDifferentExceptN(w.terms(c.terms), list(c.excepted)),
        lambda c: _varied(c.terms) and len(c.excepted) > 0,
    ),
    "AllEqual": _of_terms("AllEqual"),
    "Among": Global(
        _counted(lambda w, c: w.cpmpy.Among(w.terms(c.terms), list(c.values)), "=="),
        lambda c: _varied(c.terms) and len(c.values) > 0,
    ),
    "Circuit": Global(
        lambda w, c: w.cpmpy.Circuit(w.terms(c.successor)), lambda c: _varied(c.successor) and not c.depots
    ),
    "Count": Global(
        _counted(lambda w, c: w.cpmpy.Count(w.terms(c.terms), *w.terms(c.value))),
        lambda c: _varied(c.terms),
    ),
    "Cumulative": Global(
        _cumulative,
        lambda c: _varied(c.start) and min(map(_least, (c.duration, c.demand, c.capacity))) >= 0,
    ),
    "Decreasing": _ordered("Decreasing"),
    "GlobalCardinality": Global(
        lambda w, c: w.cpmpy.GlobalCardinalityCount(
            w.terms(c.terms), list(c.values), w.terms(c.counts), closed=c.closed
        ),
        lambda c: _varied(c.terms) and c.counts.ndim == 1 and len(c.values) > 0,
    ),
    "Increasing": _ordered("Increasing"),
    "Inverse": _of_two("Inverse"),
    "LexChainLess": _chain("LexChainLess"),
    "LexChainLessEqual": _chain("LexChainLessEq"),
    "LexLess": _of_two("LexLess"),
    "LexLessEqual": _of_two("LexLessEq"),
    "NValue": Global(_counted(lambda w, c: w.cpmpy.NValue(w.terms(c.terms)), "=="), _few_values),
    "NegativeTable": Global(
        lambda w, c: w.cpmpy.NegativeTable(w.terms(c.terms), c.rows.tolist()), _negative_table
    ),
    "NoOverlap": Global(_of_tasks, lambda c: _varied(c.start) and _least(c.duration) > 0 and not c.has_setup),
    "Regular": Global(_regular, _usual_automaton),
    "ShortTable": Global(  # of rows with common instances CPMpy's solvers list each for every one of them
        lambda w, c: w.cpmpy.ShortTable(w.terms(c.terms), written(c.rows)),
        lambda c: _varied(c.terms) and len(c.rows) > 0 and are_disjoint(c.rows),
    ),
    "Table": Global(
        lambda w, c: w.cpmpy.Table(w.terms(c.terms), c.rows.tolist()),
        lambda c: _varied(c.terms) and len(c.rows) > 0,
    ),
    "ValuePrecede": Global(
        lambda w, c: w.cpmpy.Precedence(w.terms(c.terms), list(c.values)),
        lambda c: _varied(c.terms) and len(c.values) > 1,
    ),
}
"""Posted constraints as CPMpy's own; in its NoOverlap tasks without duration may lie within others."""


def supports(constraint: Constraint, context: str) -> bool:
    """Say whether CPMpy takes a constraint as it is: a global one if it is posted."""
    known = GLOBALS.get(constraint.kind)
    return constraint.kind in TRUTHS or (known is not None and context == "plain" and known.fits(constraint))


def posted(writer: Writer, constraint: Constraint) -> Written:
    """Return what a posted constraint is, for each of its elements."""
    known = GLOBALS.get(constraint.kind)
    return TRUTHS[constraint.kind](writer, constraint) if known is None else [known.write(writer, constraint)]
