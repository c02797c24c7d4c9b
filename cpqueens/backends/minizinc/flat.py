"""A model as FlatZinc, in constraints of the standard alone: any of MiniZinc's solvers reads it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from cpqueens.backends.minizinc.phrases import identifier
from cpqueens.errors import ModelError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.definitions import Definition, Truth
from cpqueens.lowered.lowering import lower
from cpqueens.text.plaintext import printable

if TYPE_CHECKING:
    from cpqueens.language.statement import Statement

Row = tuple[Sequence[int], Sequence[int], int]

_KINDS = frozenset({"And", "Implication", "Linear", "Negation", "Or"})
_RELATIONS = {
    "==": ("eq", 1, 0),
    "!=": ("ne", 1, 0),
    "<=": ("le", 1, 0),
    "<": ("le", 1, 1),
    ">=": ("le", -1, 0),
    ">": ("le", -1, 1),
}
"""Relations to 0 as FlatZinc has them: the name, the sign of the term, what is added to it."""
Clause = tuple[list[str], list[str]]
"""Of which one is true, or of which one is false."""
_CLAUSES: dict[str, Callable[[list[str]], list[Clause]]] = {
    "And": lambda row: [([literal], []) for literal in row],
    "Implication": lambda row: [(row[1:], row[:1])],
    "Negation": lambda row: [([], row)],
    "Or": lambda row: [(row, [])],
}
"""What connectives of literals say, as clauses."""
_BINARY = {"maximum": "int_max", "minimum": "int_min"}
_NEW = " :: var_is_introduced :: is_defined_var"
_MOST = 2**62


def supports(constraint: Constraint, context: str) -> bool:
    """Say whether a constraint is written as it is: relations and clauses are."""
    return constraint.kind in _KINDS


def flatzinc_text(model: Statement) -> str:
    """Return the model, with its first objective, in FlatZinc; decision variables are written out.

    Names that FlatZinc cannot have are replaced, with a comment.

    Raises
    ------
    ModelError
        For values beyond 2^62.
    """
    return _FlatWriter(model).text()


class _FlatWriter:
    """Writes one model."""

    def __init__(self, model: Statement) -> None:
        self.model = model
        self.lowered = lower(model, supports, "FlatZinc")
        self.declared: list[str] = []
        self.arrays: list[str] = []
        self.stated: list[str] = []
        self.integers: dict[int, str] = {}
        self.truths: dict[int, str] = {}
        self.bounds: dict[str, tuple[int, int]] = {}
        self.known: dict[Any, str] = {}

    def text(self) -> str:
        """Return the whole text."""
        for block in self.model.blocks:
            self._declare(block.name, block.first, block.shape)
        for definition in self.lowered.definitions:
            for part in definition.split():
                self._define(part)
        for constraint in self.lowered.constraints:
            self._post(constraint)
        goal = self.lowered.objective
        sense = "satisfy"
        if goal is not None:
            sense = "maximize" if self.lowered.maximizing else "minimize"
            sense += f" {self.variable(next(iter(goal.rows())))}"
        head = f"% {printable(self.model.name)}"
        return "\n".join([head, *self.declared, *self.arrays, *self.stated, f"solve {sense};"]) + "\n"

    def say(self, name: str, *arguments: object, defining: str = "") -> None:
        """State a constraint; say which new variable it defines, if one."""
        what = f" :: defines_var({defining})" if defining else ""
        self.stated.append(f"constraint {name}({', '.join(map(str, arguments))}){what};")

    # ---- variables ----------------------------------------------------------------------------------

    def _declare(self, name: str, first: int, shape: tuple[int, ...]) -> None:
        plain = identifier(name)
        if plain is None or plain.startswith(("'", "X_")):
            plain = f"X_{first}"
            self.declared.append(f"% {plain}: {printable(name)}")
        size = math.prod(shape)
        members = [plain if not shape else f"X_{plain}_{k}" for k in range(size)]
        for k, member in enumerate(members):
            variable = first + k
            low, high = int(self.model.lower[variable]), int(self.model.upper[variable])
            domain = self.model.domains.get(variable)
            values = f"{low}..{high}" if domain is None else f"{{{', '.join(map(str, domain.tolist()))}}}"
            self.declared.append(f"var {values}: {member}{'' if shape else ' :: output_var'};")
            self.integers[variable], self.bounds[member] = member, (low, high)
        if shape and size:
            sets = ", ".join(f"1..{n}" for n in shape)
            listed = f"[{', '.join(members)}]"
            self.arrays.append(f"array [1..{size}] of var int: {plain} :: output_array([{sets}]) = {listed};")

    def fresh(self, low: int, high: int) -> str:
        """Return a new integer variable, which some constraint defines."""
        name = f"X_INTRODUCED_{len(self.bounds)}_"
        if max(-low, high) > _MOST:
            raise ModelError(f"FlatZinc: a value in {low}..{high} is too large")
        self.bounds[name] = low, high
        self.declared.append(f"var {low}..{high}: {name}{_NEW};")
        return name

    def fresh_truth(self) -> str:
        """Return a new Boolean variable, which some constraint defines."""
        name = f"X_TRUTH_{len(self.bounds)}_"
        self.bounds[name] = 0, 1
        self.declared.append(f"var bool: {name}{_NEW};")
        return name

    def _sum(self, row: Row) -> tuple[list[int], list[str], int]:
        """Return a term over integer variables."""
        variables, coefficients, constant = row
        left = [(v, a) for v, a in zip(variables, coefficients, strict=True) if a]
        return [a for _, a in left], [self.integer(v) for v, _ in left], constant

    def integer(self, variable: int) -> str:
        """Return the integer variable that a variable is, 0 or 1 for a truth."""
        if variable not in self.integers:
            self.integers[variable] = self.fresh(0, 1)
            new = self.integers[variable]
            self.say("bool2int", self.truths[variable], new, defining=new)
        return self.integers[variable]

    def truth(self, variable: int) -> str:
        """Return the Boolean variable that a 0/1 variable is."""
        if variable not in self.truths:
            self.truths[variable] = self._reified(((variable,), (1,), -1), "==")
        return self.truths[variable]

    def variable(self, row: Row) -> str:
        """Return a variable, or an integer, that equals a term."""
        weights, names, constant = self._sum(row)
        if not names:
            return str(constant)
        if weights == [1] and constant == 0:
            return names[0]
        return self.linear(weights, names, constant)

    def linear(self, weights: Sequence[int], names: Sequence[str], constant: int) -> str:
        """Return a variable that equals a sum."""
        key = (tuple(weights), tuple(names), constant)
        if key not in self.known:
            parts = zip(weights, names, strict=True)
            ends = [sorted(a * end for end in self._ends(name)) for a, name in parts]
            low, high = (constant + sum(end[k] for end in ends) for k in (0, 1))
            new = self.known[key] = self.fresh(low, high)
            self.say("int_lin_eq", [*weights, -1], f"[{', '.join([*names, new])}]", -constant, defining=new)
        return self.known[key]

    def _low(self, name: str) -> int:
        return self.bounds[name][0] if name in self.bounds else int(name)

    def _high(self, name: str) -> int:
        return self.bounds[name][1] if name in self.bounds else int(name)

    # ---- constraints --------------------------------------------------------------------------------

    def _post(self, constraint: Any) -> None:
        """State relations as they are, and connectives as clauses."""
        if constraint.kind == "Linear":
            for row in constraint.expression.rows():
                name, weights, names, side = self._relation(row, constraint.relation)
                self.say(f"int_lin_{name}", weights, f"[{', '.join(names)}]", side)
            return
        for row in self._literals(constraint):
            for true, false in _CLAUSES[constraint.kind](row):
                self.say("bool_clause", f"[{', '.join(true)}]", f"[{', '.join(false)}]")

    def _relation(self, row: Row, relation: str) -> tuple[str, list[int], list[str], int]:
        weights, names, constant = self._sum(row)
        name, sign, more = _RELATIONS[relation]
        if not names:
            weights, names = [0], ["0"]
        return name, [sign * a for a in weights], names, -sign * constant - more

    def _literals(self, constraint: Any) -> list[list[str]]:
        array = constraint.literals
        width = array.shape[-1]
        found = [self._literal(row) for row in array.rows()]
        many = array.size // width if width else 1
        return [found[k * width : (k + 1) * width] for k in range(many)]

    def _literal(self, row: Row) -> str:
        """Return a Boolean variable, or a truth value, that equals a 0/1 term."""
        left = [(v, a) for v, a in zip(row[0], row[1], strict=True) if a]
        if not left:
            return "true" if row[2] else "false"
        (variable, weight), constant = left[0], row[2]
        if len(left) == 1 and (weight, constant) == (1, 0):
            return self.truth(variable)
        if len(left) == 1 and (weight, constant) == (-1, 1):
            return self._opposite(self.truth(variable))
        return self._reified(row, "==", -1)

    def _opposite(self, truth: str) -> str:
        key = ("not", truth)
        if key not in self.known:
            new = self.known[key] = self.fresh_truth()
            self.say("bool_not", truth, new, defining=new)
        return self.known[key]

    def _reified(self, row: Row, relation: str, more: int = 0) -> str:
        """Return the truth of a relation of a term, plus a number, to 0."""
        found = self.fresh_truth()
        name, weights, names, side = self._relation((row[0], row[1], row[2] + more), relation)
        self.say(f"int_lin_{name}_reif", weights, f"[{', '.join(names)}]", side, found, defining=found)
        return found

    def _connected(self, kind: str, row: list[str]) -> str:
        """Return the truth of a connective of literals."""
        if kind == "Negation":
            return {"true": "false", "false": "true"}.get(row[0]) or self._opposite(row[0])
        if kind == "Implication":
            row = [self._connected("Negation", row[:1]), row[1]]
        found = self.fresh_truth()
        name = f"array_bool_{'and' if kind == 'And' else 'or'}"
        self.say(name, f"[{', '.join(row)}]", found, defining=found)
        return found

    # ---- functions ----------------------------------------------------------------------------------

    def _define(self, definition: Definition) -> None:
        """Name what a block of definitions defines; functions are 0 where they are not defined."""
        results = definition.results.tolist()
        if isinstance(definition, Truth):
            constraint: Any = definition.constraint
            if constraint.kind == "Linear":
                found = [self._reified(row, constraint.relation) for row in constraint.expression.rows()]
            else:
                found = [self._connected(constraint.kind, row) for row in self._literals(constraint)]
            self.truths.update(zip(results, found, strict=True))
            return
        if definition.kind == "element":
            position, table = definition.arguments
            entries = [self.variable(row) for row in table.rows()]
            for v, row in zip(results, position.rows(), strict=True):
                self.integers[v] = self._entry(self.variable(row), entries)
            return
        columns = [[self.variable(row) for row in a.rows()] for a in definition.arguments]
        for v, values in zip(results, zip(*columns, strict=True), strict=True):
            limits = int(self.lowered.store.lower[v]), int(self.lowered.store.upper[v])
            self.integers[v] = self._value(definition.kind, values, limits)

    def _value(self, kind: str, values: Sequence[str], limits: tuple[int, int]) -> str:
        """Return what a function, whose bounds are known, is of variables and integers."""
        if kind == "abs":
            low, high = self._low(values[0]), self._high(values[0])
            return self._applied("int_abs", values, 0, max(abs(low), abs(high)))
        if kind == "product":
            return self._applied("int_times", values, *limits)
        if kind in _BINARY:
            found = values[0]
            for other in values[1:]:
                ends = [*self._ends(found), *self._ends(other)]
                found = self._applied(_BINARY[kind], (found, other), min(ends), max(ends))
            return found
        return self._divided(kind, *values)

    def _ends(self, name: str) -> tuple[int, int]:
        return self._low(name), self._high(name)

    def _applied(self, name: str, values: Sequence[str], low: int, high: int) -> str:
        found = self.fresh(low, high)
        self.say(name, *values, found, defining=found)
        return found

    def _divided(self, kind: str, x: str, y: str) -> str:
        """Return a quotient or a remainder, 0 where the divisor is."""
        low, high = self._ends(y)
        if not low <= 0 <= high:
            return self._rounded(kind, x, y)
        zero, is_zero = self.fresh_truth(), self.fresh(0, 1)
        self.say("int_eq_reif", y, 0, zero, defining=zero)
        self.say("bool2int", zero, is_zero, defining=is_zero)
        divisor = self.linear([1, 1], [y, is_zero], 0)
        self.say("int_ne", divisor, 0)
        found = self._rounded(kind, x, divisor)
        defined = self.linear([-1], [is_zero], 1)
        ends = [0, *self._ends(found)]
        return self._applied("int_times", (found, defined), min(ends), max(ends))

    def _rounded(self, kind: str, x: str, divisor: str) -> str:
        """Return a quotient or a remainder by what is never 0."""
        most, size = max(map(abs, self._ends(x))), max(map(abs, self._ends(divisor)))
        if kind in ("quotient", "remainder"):  # rounded down: the remainder has the divisor's sign
            rest = self._applied("int_mod", (x, divisor), -size, size)
            rest = self._applied("int_mod", (self.linear([1, 1], [rest, divisor], 0), divisor), -size, size)
            whole = self.linear([1, -1], [x, rest], 0)
        else:
            rest, whole = self._applied("int_mod", (x, divisor), -size, size), x
        if kind.startswith("quotient"):
            return self._applied("int_div", (whole, divisor), -most - size, most + size)
        return rest

    def _entry(self, position: str, entries: list[str]) -> str:
        """Return the entry at a position, 0 outside."""
        many = len(entries)
        low, high = self._ends(position)
        if not 0 <= low <= high < many:
            inside, is_inside = self.fresh_truth(), self.fresh(0, 1)
            self.say("set_in_reif", position, f"0..{many - 1}", inside, defining=inside)
            self.say("bool2int", inside, is_inside, defining=is_inside)
            after = self.linear([1], [position], 1)
            ends = self._ends(after)
            position = self._applied("int_times", (after, is_inside), min(ends[0], 0), max(ends[1], 0))
            entries = ["0", *entries]
        place = self.linear([1], [position], 1)
        among = [end for entry in entries for end in self._ends(entry)]
        found = self.fresh(min(among), max(among))
        fixed = all(entry not in self.bounds for entry in entries)
        name = "array_int_element" if fixed else "array_var_int_element"
        self.say(name, place, f"[{', '.join(entries)}]", found, defining=found)
        return found
