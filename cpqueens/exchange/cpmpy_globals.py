"""Global constraints of CPMpy as constraints of cpqueens."""

from collections.abc import Callable, Iterable
from functools import cache
from itertools import combinations, repeat
from typing import Any, Protocol

import numpy as np

from cpqueens.language.constraints import ordered
from cpqueens.language.constraints.all_different import AllDifferent, AllDifferentExcept, AllEqual
from cpqueens.language.constraints.circuit import Circuit, Inverse
from cpqueens.language.constraints.connective import Xor
from cpqueens.language.constraints.count import GlobalCardinality
from cpqueens.language.constraints.cumulative import Cumulative, NoOverlap
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.constraints.regular import Regular
from cpqueens.language.constraints.table import NegativeTable, ShortTable, Table
from cpqueens.language.constraints.table_rows import ANY
from cpqueens.language.expressions import BoolArray
from cpqueens.language.functions import all_, any_


class Reader(Protocol):
    """What reads the arguments of a constraint."""

    def condition(self, expression: Any) -> Any:
        """Return an expression as a truth, a bool if it is decided."""

    def number(self, expression: Any) -> Any:
        """Return an expression as a term or an integer."""

    def numbers(self, expressions: Any) -> list[Any]:
        """Return several."""


def conjunction(conditions: Iterable[Any]) -> Any:
    """Return that truths hold, of which some may be decided; so is what is returned then."""
    left = [c for c in conditions if c is not True]
    if not left or any(c is False for c in left):
        return not left
    return all_(left) if len(left) > 1 else left[0]


def implication(present: Any, condition: Any) -> Any:
    """Return that one truth implies another; each may be decided."""
    if isinstance(present, bool) or condition is True:
        return condition if present is True else True
    return ~present if condition is False else present.implies(condition)


@cache
def constant_truth(value: bool) -> BoolArray:
    """Return a truth that always holds, or never."""
    return all_([]) if value else any_([])


def _odd(reader: Reader, args: Iterable[Any]) -> Any:
    found = [*map(reader.condition, args)]
    left = [c for c in found if not isinstance(c, bool)]
    turned = sum(c is True for c in found) % 2 == 1
    if not left:
        return turned
    return ~Xor(left) if turned else Xor(left)


def _least(term: Any) -> int:
    return term if isinstance(term, int) else int(np.min(term.bounds()[0]))


def _terms(reader: Reader, expressions: Any) -> Any:
    """Return several terms, of which one at least is no constant; else a constraint has no model."""
    listed = isinstance(expressions, list | tuple | np.ndarray)
    found = reader.numbers(expressions if listed else [expressions])
    return found if any(not isinstance(t, int) for t in found) else NotImplemented


def _on_terms(make: Callable[[Any], Any]) -> Callable[[Reader, Any], Any]:
    def read(reader: Reader, e: Any) -> Any:
        terms = _terms(reader, e.args)
        return NotImplemented if terms is NotImplemented else make(terms)

    return read


def _on_first(make: Callable[..., Any]) -> Callable[[Reader, Any], Any]:
    """Read a global whose first argument are terms, the others constants."""

    def read(reader: Reader, e: Any) -> Any:
        terms = _terms(reader, e.args[0])
        return NotImplemented if terms is NotImplemented else make(terms, *e.args[1:])

    return read


def _on_two(make: Callable[[list[Any], list[Any]], Any]) -> Callable[[Reader, Any], Any]:
    def read(reader: Reader, e: Any) -> Any:
        left, right = reader.numbers(e.args[0]), reader.numbers(e.args[1])
        some = any(not isinstance(t, int) for t in (*left, *right))
        return make(left, right) if some and len(left) == len(right) else NotImplemented

    return read


def _cardinality(reader: Reader, e: Any) -> Any:
    terms, values, counts = reader.numbers(e.args[0]), [int(v) for v in e.args[1]], reader.numbers(e.args[2])
    if all(isinstance(t, int) for t in terms) or len(set(values)) != len(values):
        return NotImplemented
    return GlobalCardinality(terms, values, counts, closed=bool(getattr(e, "closed", False)))


def _schedule(reader: Reader, e: Any) -> Any:
    parts = schedule_parts(reader, e)
    if parts is None:
        return NotImplemented
    return conjunction(parts)


def always_holds(relation: Any) -> bool:
    """Say whether a relation has no variable, and holds."""
    if not isinstance(relation, Linear) or any(
        len(variables) for variables, _, _ in relation.expression.rows()
    ):
        return False
    return bool(relation.satisfied(np.zeros((1, 1), dtype=np.int64)).all())


SCHEDULES = ("cumulative", "cumulative_optional", "no_overlap", "no_overlap_optional")


def schedule_parts(reader: Reader, e: Any) -> list[Any] | None:
    """Read no_overlap and cumulative, with or without ends and presence; None where it has no equal here."""
    args = list(e.args)
    present = [reader.condition(p) for p in args.pop()] if e.name.endswith("_optional") else None
    rest = [reader.number(args.pop()), reader.numbers(args.pop())] if e.name.startswith("cumulative") else []
    start, duration = reader.numbers(args[0]), reader.numbers(args[1])
    if not start or all(isinstance(t, int) for t in (*start, *duration)) or (rest and _least(rest[0]) < 0):
        return None
    conditions: list[Any] = []
    if len(args) == 3:
        ends = reader.numbers(args[2])
        conditions = [s + d == end for s, d, end in zip(start, duration, ends, strict=True)]
    here = repeat(True) if present is None else present
    conditions = [implication(p, c) for p, c in zip(here, conditions, strict=False) if not always_holds(c)]
    if rest:
        return [Cumulative(start, duration, rest[1], rest[0], present), *conditions]
    main, signs = _disjoint(start, duration, present)
    return [main, *conditions, *signs]


def _disjoint(start: list[Any], duration: list[Any], present: list[Any] | None) -> tuple[Any, list[Any]]:
    """Return that no two tasks overlap; those without duration are in nobody's way, as absent ones.

    So it is from CPMpy 1.1 on; before, such a task may not lie within another one.
    """
    if all(_least(d) > 0 for d in duration):
        return NoOverlap(start, duration, present), []
    here = [True] * len(start) if present is None else present
    signs = [implication(p, _not_negative(d)) for p, d in zip(here, duration, strict=True) if _least(d) < 0]
    if _empty_ones_are_in_the_way():
        tasks = [(s, d, _holding(p)) for s, d, p in zip(start, duration, here, strict=True)]
        apart = [
            ~(p & q) | _holding(s + d <= t) | _holding(t + e <= s)
            for (s, d, p), (t, e, q) in combinations(tasks, 2)
        ]
        return all_(apart), signs
    taking = [_taking_time(p, d) for p, d in zip(here, duration, strict=True)]
    return NoOverlap(start, duration, taking), signs


@cache
def _empty_ones_are_in_the_way() -> bool:
    """Ask the CPMpy that is installed what it means by a task without duration within another one."""
    import cpmpy

    return not cpmpy.NoOverlap([0, 1], [2, 0]).value()


def _holding(truth: Any) -> Any:
    return truth if isinstance(truth, BoolArray) else constant_truth(bool(truth))


def _taking_time(present: Any, duration: Any) -> Any:
    """Return that a task is there, and has a duration."""
    if _least(duration) > 0 or present is False:
        return present
    if isinstance(duration, int):
        return False
    return duration > 0 if present is True else present & (duration > 0)


def _not_negative(duration: Any) -> Any:
    return False if isinstance(duration, int) else duration >= 0


def _starred(terms: list[Any], rows: Any) -> Any:
    return ShortTable(terms, [[ANY if value == "*" else int(value) for value in row] for row in rows])


GLOBALS: dict[str, Callable[[Reader, Any], Any]] = {
    "alldifferent": _on_terms(AllDifferent),
    "alldifferent_except_0": _on_first(AllDifferentExcept),
    "alldifferent_except_n": _on_first(AllDifferentExcept),
    "allequal": _on_terms(AllEqual),
    "circuit": _on_terms(Circuit),
    "cumulative": _schedule,
    "cumulative_optional": _schedule,
    "decreasing": _on_terms(ordered.Decreasing),
    "gcc": _cardinality,
    "increasing": _on_terms(ordered.Increasing),
    "indomain": _on_first(lambda terms, values: Table(terms, [[int(v)] for v in values])),
    "inverse": _on_two(Inverse),
    "lex_chain_less": lambda r, e: _chain(r, e, ordered.LexChainLess),
    "lex_chain_lesseq": lambda r, e: _chain(r, e, ordered.LexChainLessEqual),
    "lex_less": _on_two(ordered.LexLess),
    "lex_lesseq": _on_two(ordered.LexLessEqual),
    "mdd": lambda r, e: _diagram(r, e),
    "negative_table": _on_first(lambda terms, rows: NegativeTable(terms, np.asarray(rows).tolist())),
    "no_overlap": _schedule,
    "no_overlap_optional": _schedule,
    "precedence": _on_first(lambda terms, values: ordered.ValuePrecede(terms, [int(v) for v in values])),
    "regular": _on_first(Regular),
    "short_table": _on_first(_starred),
    "strictly_decreasing": _on_terms(lambda terms: ordered.Decreasing(terms, strict=True)),
    "strictly_increasing": _on_terms(lambda terms: ordered.Increasing(terms, strict=True)),
    "table": _on_first(lambda terms, rows: Table(terms, np.asarray(rows).tolist())),
    "xor": lambda r, e: _odd(r, e.args),
}
"""Global constraints by their names in CPMpy; NotImplemented where an instance has no equal here."""


def _diagram(reader: Reader, e: Any) -> Any:
    """Read a decision diagram: an automaton whose states are its nodes."""
    terms = _terms(reader, e.args[0])
    if terms is NotImplemented:
        return NotImplemented
    arcs = [(node, int(v), to) for node, leaving in e.mapping.items() for v, to in leaving.items()]
    return Regular(terms, arcs, e.root_node, [e.sink_node])


def _chain(reader: Reader, e: Any, make: Callable[[Any], Any]) -> Any:
    rows = [reader.numbers(row) for row in e.args]
    if any(isinstance(t, int) for row in rows for t in row):
        return NotImplemented
    return make(rows)
