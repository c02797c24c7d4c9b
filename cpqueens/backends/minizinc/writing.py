"""A model as MiniZinc text (Nethercote et al. 2007).

Every function in it is total; where one of the model's is not defined, the conditions that lowering adds say
what follows: the nearest truth around it is false.

Constraints and functions as MiniZinc text, by tables; all arguments are texts of terms (`Names`).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from cpqueens.language.blocks import Block
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.table_rows import has_stars
from cpqueens.language.definitions import Definition, Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.statement import Statement
from cpqueens.lowered.lowering import lower
from cpqueens.text.plaintext import printable

KEYWORDS = frozenset(
    {
        "ann", "annotation", "any", "array", "bool", "case", "constraint", "default", "diff", "div", "else",
        "elseif", "endif", "enum", "false", "float", "function", "if", "in", "include", "int", "intersect",
        "let", "list", "maximize", "minimize", "mod", "not", "of", "op", "opt", "output", "par", "predicate",
        "record", "satisfy", "set", "solve", "string", "subset", "superset", "symdiff", "test", "then",
        "true", "tuple", "type", "union", "var", "where", "xor",
    }
)  # fmt: skip
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
_MOST_CELLS = 10**6  # of an automaton's transitions


def identifier(name: str) -> str | None:
    """Return a name as MiniZinc has it, in quotes where it must; None if it cannot be one."""
    if _PLAIN.match(name) and name not in KEYWORDS:
        return name
    return f"'{name}'" if name.isprintable() and name.isascii() and not set(name) & set("'\\") else None


class Names:
    """What variables are called, and which of them MiniZinc knows as truths."""

    def __init__(self, names: dict[int, str], truths: frozenset[int]) -> None:
        self.names = names
        self.truths = truths

    def term(self, row: tuple[Sequence[int], Sequence[int], int]) -> str:
        """Return one term."""
        variables, coefficients, constant = row
        text = ""
        for v, a in zip(variables, coefficients, strict=True):
            if a:
                size = "" if abs(a) == 1 else f"{abs(a)}*"
                text += (" - " if a < 0 else " + ") + size + self.names[v]
        text += f" {'-' if constant < 0 else '+'} {abs(constant)}" if constant or not text else ""
        return text[3:] if text.startswith(" + ") else text.strip().replace("- ", "-", 1)

    def terms(self, array: LinearArray) -> list[str]:
        """Return each term of an array."""
        return [self.term(row) for row in array.rows()]

    def array(self, array: LinearArray) -> str:
        """Return an array of terms."""
        return f"[{', '.join(self.terms(array))}]"

    def literal(self, row: tuple[Sequence[int], Sequence[int], int]) -> str:
        """Return a 0/1 term as a truth."""
        variables, coefficients, constant = row
        left = [(v, a) for v, a in zip(variables, coefficients, strict=True) if a]
        if len(left) == 1 and left[0][0] in self.truths and (left[0][1], constant) in ((1, 0), (-1, 1)):
            return self.names[left[0][0]] if constant == 0 else f"not {self.names[left[0][0]]}"
        return f"{self.term(row)} = 1"

    def literals(self, array: LinearArray) -> list[list[str]]:
        """Return the truths along the last axis, row by row."""
        found = [f"({self.literal(row)})" for row in array.rows()]
        width = array.shape[-1]
        many = array.size // width if width else int(np.prod(array.shape[:-1], dtype=np.int64))
        return [found[k * width : (k + 1) * width] for k in range(many)]


# ---- constraints, element by element ------------------------------------------------------------------


def _linear(names: Names, c: Any) -> list[str]:
    return [f"{text} {'=' if c.relation == '==' else c.relation} 0" for text in names.terms(c.expression)]


def _joined(sign: str, nothing: str) -> Callable[[Names, Any], list[str]]:
    return lambda names, c: [f" {sign} ".join(row) or nothing for row in names.literals(c.literals)]


def _called(function: str, *fields: str) -> Callable[[Names, Any], list[str]]:
    """Return a global constraint over arrays of terms (and single ones) in this order."""

    def write(names: Names, c: Any) -> list[str]:
        sides = [getattr(c, field) for field in fields]
        texts = [names.array(s) if s.shape else names.terms(s)[0] for s in sides]
        return [f"{function}({', '.join(texts)})"]

    return write


def _from_zero(names: Names, array: LinearArray) -> str:
    return f"array1d(0..{array.size - 1}, {names.array(array)})"


def _count(names: Names, c: Any) -> list[str]:
    relation = "=" if c.relation == "==" else c.relation
    (value,), (count,) = names.terms(c.value), names.terms(c.count)
    return [f"count({names.array(c.terms)}, {value}) {relation} {count}"]


def _set(values: Iterable[int]) -> str:
    return f"{{{', '.join(map(str, values))}}}"


def _among(names: Names, c: Any) -> list[str]:
    return [f"among({names.terms(c.count)[0]}, {names.array(c.terms)}, {_set(c.values)})"]


def _cardinality(names: Names, c: Any) -> list[str]:
    closed = "_closed" if c.closed else ""
    counts = names.array(c.counts)
    return [f"global_cardinality{closed}({names.array(c.terms)}, {list(c.values)}, {counts})"]


def _ordered(name: str) -> Callable[[Names, Any], list[str]]:
    return lambda names, c: [f"{'strictly_' if c.strict else ''}{name}({names.array(c.terms)})"]


def _table(names: Names, c: Any) -> list[str]:
    rows, width = c.rows.shape
    return [f"table({names.array(c.terms)}, array2d(1..{rows}, 1..{width}, {c.rows.reshape(-1).tolist()}))"]


def _regular(names: Names, c: Any) -> list[str]:
    arcs, start, accepting, states = c.numbered()
    low, high = int(arcs[:, 1].min()), int(arcs[:, 1].max())
    cells = np.zeros((states, high - low + 1), dtype=np.int64)
    cells[arcs[:, 0], arcs[:, 1] - low] = arcs[:, 2] + 1
    moves = f"array2d(1..{states}, 1..{high - low + 1}, {cells.reshape(-1).tolist()})"
    ends = _set(int(s) + 1 for s in accepting)
    word = names.array(c.terms - (low - 1))
    return [f"regular({word}, {states}, {high - low + 1}, {moves}, {start + 1}, {ends})"]


CONSTRAINTS: dict[str, tuple[tuple[str, ...], Callable[[Names, Any], list[str]]]] = {
    "AllDifferent": (("alldifferent",), _called("alldifferent", "terms")),
    "AllEqual": (("all_equal",), _called("all_equal", "terms")),
    "Among": (("among",), _among),
    "And": ((), _joined("/\\", "true")),
    "Circuit": (("circuit",), lambda names, c: [f"circuit({_from_zero(names, c.successor)})"]),
    "Count": (("count",), _count),
    "Cumulative": (
        ("cumulative",),
        lambda names, c: [
            f"{names.terms(c.capacity)[0]} >= 0",
            *_called("cumulative", "start", "duration", "demand", "capacity")(names, c),
        ],
    ),
    "Decreasing": (("decreasing", "strictly_decreasing"), _ordered("decreasing")),
    "GlobalCardinality": (("global_cardinality", "global_cardinality_closed"), _cardinality),
    "Implication": ((), _joined("->", "true")),
    "Increasing": (("increasing", "strictly_increasing"), _ordered("increasing")),
    "Inverse": (
        ("inverse",),
        lambda names, c: [f"inverse({_from_zero(names, c.first)}, {_from_zero(names, c.second)})"],
    ),
    "Linear": ((), _linear),
    "Negation": ((), lambda names, c: [f"not {row[0]}" for row in names.literals(c.literals)]),
    "NoOverlap": (("disjunctive_strict",), _called("disjunctive_strict", "start", "duration")),
    "NoOverlap2D": (("diffn",), _called("diffn", "x", "y", "dx", "dy")),
    "NValue": (("nvalue",), _called("nvalue", "count", "terms")),
    "Or": ((), _joined("\\/", "false")),
    "Regular": (("regular",), _regular),
    "Table": (("table",), _table),
    "Xor": ((), lambda names, c: [f"xorall([{', '.join(row)}])" for row in names.literals(c.literals)]),
}
"""By kind: the files of MiniZinc's library that it needs, and its text, element by element."""

TRUTHS = frozenset(
    {
        "AllDifferent", "AllEqual", "Among", "And", "Count", "Implication", "Linear", "Negation", "NValue",
        "Or", "Xor",
    }
)  # fmt: skip
"""Kinds of which truths are written too; MiniZinc has none of some others."""


def _all_there(c: Any, *sizes: str) -> bool:
    low = [int(getattr(c, name).bounds()[0].min(initial=0)) for name in sizes]
    return bool((c.present.bounds()[0] == 1).all()) and min(low) >= 0


_ONLY_IF: dict[str, Callable[[Any], bool]] = {
    "AllDifferent": lambda c: bool(c.terms.size),
    "AllEqual": lambda c: bool(c.terms.size),
    "Among": lambda c: bool(c.terms.size and len(c.values)),
    "Circuit": lambda c: c.successor.size > 1 and not c.depots,
    "Count": lambda c: bool(c.terms.size),
    "Cumulative": lambda c: bool(c.start.size) and _all_there(c, "duration", "demand"),
    "Decreasing": lambda c: c.terms.size > 1,
    "GlobalCardinality": lambda c: bool(c.terms.size and len(c.values)) and c.counts.ndim == 1,
    "Increasing": lambda c: c.terms.size > 1,
    "Inverse": lambda c: bool(c.first.size),
    "NoOverlap": lambda c: bool(c.start.size) and not c.has_setup and _all_there(c, "duration"),
    "NoOverlap2D": lambda c: bool(c.x.size) and _all_there(c, "dx", "dy"),
    "NValue": lambda c: bool(c.terms.size),
    "Regular": lambda c: bool(c.terms.size) and c.deterministic and _few_cells(c) and bool(len(c.accepting)),
    "Table": lambda c: bool(c.rows.size) and not has_stars(c.rows),
}


def _few_cells(c: Any) -> bool:
    labels = c.transitions[:, 1]
    return bool(len(labels)) and (int(labels.max()) - int(labels.min()) + 1) * len(labels) * 2 <= _MOST_CELLS


def supports(constraint: Constraint, context: str) -> bool:
    """Say whether a constraint is written as it is."""
    kind = constraint.kind
    known = kind in (CONSTRAINTS if context == "plain" else TRUTHS)
    return known and _ONLY_IF.get(kind, lambda c: True)(constraint)


# ---- functions ------------------------------------------------------------------------------------------


def _divided(quotient: str) -> Callable[[list[str]], str]:
    """Return a quotient or a remainder that is 0 where the divisor is."""
    return lambda a: quotient.format(x=f"({a[0]})", y=f"({a[1]} + (({a[1]}) = 0))") + f" * (({a[1]}) != 0)"


_FLOORED = "(({x} mod {y} + {y}) mod {y})"
FUNCTIONS: dict[str, Callable[[list[str]], str]] = {
    "abs": lambda a: f"abs({a[0]})",
    "maximum": lambda a: f"max([{', '.join(a)}])",
    "minimum": lambda a: f"min([{', '.join(a)}])",
    "product": lambda a: f"({a[0]}) * ({a[1]})",
    "quotient": _divided("(({x} - " + _FLOORED + ") div {y})"),
    "quotient_truncated": _divided("({x} div {y})"),
    "remainder": _divided(_FLOORED),
    "remainder_truncated": _divided("({x} mod {y})"),
}
"""Functions of single terms, total: 0 where they are not defined."""


def values_of(names: Names, definition: Definition) -> list[str]:
    """Return what each result of a definition is."""
    if isinstance(definition, Truth):
        return CONSTRAINTS[definition.constraint.kind][1](names, definition.constraint)
    if definition.kind == "element":
        position, table = definition.arguments
        entries, many = ", ".join(names.terms(table)), table.size
        return [
            f"array1d(0..{many}, [0, {entries}])[({at} + 1) * (({at}) in 0..{many - 1})]"
            for at in names.terms(position)
        ]
    columns = [names.terms(argument) for argument in definition.arguments]
    return [FUNCTIONS[definition.kind](list(row)) for row in zip(*columns, strict=True)]


def minizinc_text(model: Statement, *, objective: bool = True, raw: bool = False) -> str:
    """Return the model in MiniZinc.

    Parameters
    ----------
    objective
        Whether with its first objective.
    raw
        Whether solutions are written as one line of integers rather than by names.

    Raises
    ------
    UnsupportedConstraint
        If a constraint cannot be written.
    ModelError
        If it has several objectives.
    """
    return _MiniZincWriter(model, objective, raw).text()


class _MiniZincWriter:
    """Writes one model."""

    def __init__(self, model: Statement, objective: bool, raw: bool) -> None:
        self.model = model
        self.raw = raw
        self.lowered = lower(model, supports, "minizinc", objective=objective)
        self.blocks: list[tuple[str, Block]] = []
        truths = [d for d in self.lowered.definitions if isinstance(d, Truth)]
        self.names = Names(self._called(), frozenset(v for d in truths for v in d.results.tolist()))

    def _called(self) -> dict[int, str]:
        """Name all variables: decision variables as in the model, others by their numbers."""
        names: dict[int, str] = {}
        known = {b.name for b in self.model.blocks}
        for k, block in enumerate(self.model.blocks):
            name = identifier(block.name) or _free(f"v{k}", known)
            self.blocks.append((name, block))
            places = np.ndindex(*block.shape) if block.shape else [()]
            for variable, at in enumerate(places, block.first):
                names[variable] = f"{name}[{','.join(map(str, at))}]" if at else name
        prefix = _free("d", known)
        for definition in self.lowered.definitions:
            names |= {v: f"{prefix}{v}" for v in definition.results.tolist()}
        return names

    def text(self) -> str:
        """Return the whole text."""
        body = [line for name, block in self.blocks for line in self._declared(name, block)]
        body += self._definitions()
        files: set[str] = set()
        for constraint in self.lowered.constraints:
            needed, write = CONSTRAINTS[constraint.kind]
            files.update(needed)
            body += [f"constraint {text};" for text in write(self.names, constraint)]
        for definition in self.lowered.definitions:
            if isinstance(definition, Truth):
                files.update(CONSTRAINTS[definition.constraint.kind][0])
        head = [f"% {printable(self.model.name)}", *(f'include "{file}.mzn";' for file in sorted(files))]
        return "\n".join([*head, *body, *self._end()]) + "\n"

    def _declared(self, name: str, block: Block) -> list[str]:
        """Declare one array of decision variables, and the holes in domains."""
        model, end = self.model, block.first + block.size
        if not block.size:
            return []
        low, high = model.lower[block.first : end], model.upper[block.first : end]
        index = ", ".join(f"0..{n - 1}" for n in block.shape)
        kind = f"var {int(low.min())}..{int(high.max())}"
        lines = [f"array[{index}] of {kind}: {name};" if block.shape else f"{kind}: {name};"]
        for k, variable in enumerate(range(block.first, end)):
            domain = model.domains.get(variable)
            if domain is not None:
                values = ", ".join(map(str, domain.tolist()))
                lines.append(f"constraint {self.names.names[variable]} in {{{values}}};")
            elif low[k] != low.min() or high[k] != high.max():
                lines.append(f"constraint {self.names.names[variable]} in {low[k]}..{high[k]};")
        return lines

    def _definitions(self) -> list[str]:
        lines = []
        for definition in [part for block in self.lowered.definitions for part in block.split()]:
            store = self.lowered.store
            low, high = (end[definition.results].tolist() for end in (store.lower, store.upper))
            for k, (v, text) in enumerate(
                zip(definition.results.tolist(), values_of(self.names, definition), strict=True)
            ):
                kind = "var bool" if isinstance(definition, Truth) else f"var {low[k]}..{high[k]}"
                lines.append(f"{kind}: {self.names.names[v]} = {text};")
        return lines

    def _end(self) -> list[str]:
        goal = self.lowered.objective
        sense = "satisfy"
        if goal is not None:
            sense = f"{'maximize' if self.lowered.maximizing else 'minimize'} {self.names.terms(goal)[0]}"
        return [f"solve {sense};", f"output {self._output()};"]

    def _output(self) -> str:
        """Return the item that writes a solution."""
        shown = [(name, block) for name, block in self.blocks if block.size]
        if self.raw:
            goal = self.lowered.objective
            texts = [name for name, _ in shown] + ([] if goal is None else self.names.terms(goal))
            return "[" + ", ".join(f'show({text}), " "' for text in texts) + "]"
        lines = [f'"{name.replace(chr(34), "")} = \\({name});\\n"' for name, _ in shown]
        return f"[{', '.join(lines)}]"


def _free(prefix: str, known: set[str]) -> str:
    """Return a prefix with which no known name begins."""
    while any(name.startswith(prefix) for name in known):
        prefix += "_"
    return prefix
