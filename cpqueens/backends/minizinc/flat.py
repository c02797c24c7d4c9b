"""A model as FlatZinc, in constraints of the standard alone: any of MiniZinc's solvers reads it."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from cpqueens.backends.minizinc.writing import identifier
from cpqueens.errors import ModelError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import CLAUSES, Row, literals_of_each, without_negations
from cpqueens.language.definitions import Definition, Truth
from cpqueens.language.statement import Statement
from cpqueens.lowered.lowering import lower
from cpqueens.text.plaintext import printable

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
_BINARY = {"maximum": "int_max", "minimum": "int_min"}
_NEW = " :: var_is_introduced :: is_defined_var"
_MOST = 2**62
_DEEP = 100


def supports(constraint: Constraint, context: str) -> bool:
    """Say whether a constraint is written as it is: relations and clauses are."""
    return constraint.kind in _KINDS


def flatzinc_text(model: Statement) -> str:
    """Return the model, with its first objective, in FlatZinc; decision variables are written out.

    Names that FlatZinc cannot have are replaced, with a comment that `from_flatzinc` understands.

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
        self.places: dict[str, int] = {}
        self.known: dict[Any, str] = {}
        self.parts: dict[int, tuple[Definition, list[Row], list[Row]]] = {}
        """Of each variable that is defined its block, its terms and its table's; written where needed."""

    def text(self) -> str:
        """Return the whole text."""
        for block in self.model.blocks:
            self._declare(block.name, block.first, block.shape)
        for definition in self.lowered.definitions:
            for part in definition.split():
                each, shared = _rows_of(part)
                for v, rows in zip(part.results.tolist(), each, strict=True):
                    self.parts[v] = part, rows, shared
        for constraint in self.lowered.constraints:
            self._post(constraint)
        goal = self.lowered.objective
        sense = "satisfy"
        if goal is not None:
            sense = "maximize" if self.lowered.maximizing else "minimize"
            row = next(iter(goal.rows()))
            self._define_all([row])
            sense += f" {self.variable(row)}"
        head = f"% model {printable(self.model.name)}"
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
            self.integers[variable] = member
            self._note(member, low, high)
        if shape and size:
            sets = ", ".join(f"1..{n}" for n in shape)
            listed = f"[{', '.join(members)}]"
            self.arrays.append(f"array [1..{size}] of var int: {plain} :: output_array([{sets}]) = {listed};")

    def _note(self, name: str, low: int, high: int) -> None:
        self.places[name] = len(self.bounds)
        self.bounds[name] = low, high

    def fresh(self, low: int, high: int) -> str:
        """Return a new integer variable, which some constraint defines."""
        name = f"X_INTRODUCED_{len(self.bounds)}_"
        if max(-low, high) > _MOST:
            raise ModelError(f"FlatZinc: a value in {low}..{high} is too large")
        self._note(name, low, high)
        self.declared.append(f"var {low}..{high}: {name}{_NEW};")
        return name

    def fresh_truth(self) -> str:
        """Return a new Boolean variable, which some constraint defines."""
        name = f"X_TRUTH_{len(self.bounds)}_"
        self._note(name, 0, 1)
        self.declared.append(f"var bool: {name}{_NEW};")
        return name

    def _defined(self, name: str, *arguments: object, ends: tuple[int, int] | None = None) -> str:
        """Return the variable that is the last argument of a constraint: a truth, or one between ends."""
        key = (name, *map(str, arguments))
        if key not in self.known:
            new = self.known[key] = self.fresh(*ends) if ends else self.fresh_truth()
            self.say(name, *arguments, new, defining=new)
        return self.known[key]

    def _sum(self, row: Row) -> tuple[list[int], list[str], int]:
        """Return a term over integer variables."""
        variables, coefficients, constant = row
        left = [(a, self.integer(v)) for v, a in zip(variables, coefficients, strict=True) if a]
        return self._joined(left, constant)

    def _joined(self, parts: Iterable[tuple[int, str]], constant: int) -> tuple[list[int], list[str], int]:
        """Return a sum with each variable once, in the order in which they are declared."""
        weights: dict[str, int] = {}
        for a, name in parts:
            if name in self.bounds:
                weights[name] = weights.get(name, 0) + a
            else:
                constant += a * int(name)
        names = sorted((name for name, a in weights.items() if a), key=self.places.__getitem__)
        return [weights[name] for name in names], names, constant

    def integer(self, variable: int) -> str:
        """Return the integer variable that a variable is, 0 or 1 for a truth."""
        if variable not in self.integers:
            self.integers[variable] = self._number(self.truths[variable])
        return self.integers[variable]

    def truth(self, variable: int) -> str:
        """Return the Boolean variable, or the truth value, that a 0/1 variable is."""
        if variable not in self.truths:
            self.truths[variable] = self._truth_of(self.integer(variable))
        return self.truths[variable]

    def _truth_of(self, name: str) -> str:
        """Return the Boolean variable, or the truth value, that a 0/1 variable or number is."""
        if name not in self.bounds:
            return "true" if int(name) else "false"
        return self.known.get(("truth", name)) or self._defined("int_lin_eq_reif", [1], f"[{name}]", 1)

    def variable(self, row: Row) -> str:
        """Return a variable, or an integer, that equals a term."""
        return self.linear(*self._sum(row))

    def linear(self, weights: Sequence[int], names: Sequence[str], constant: int) -> str:
        """Return a variable, or an integer, that equals a sum."""
        weights, names, constant = self._joined(zip(weights, names, strict=True), constant)
        if not names:
            return str(constant)
        if weights == [1] and constant == 0:
            return names[0]
        key = (tuple(weights), tuple(names), constant)
        if key not in self.known:
            new = self.known[key] = self.fresh(*self._range(weights, names, constant))
            self.say("int_lin_eq", [*weights, -1], f"[{', '.join([*names, new])}]", -constant, defining=new)
        return self.known[key]

    def _ends(self, name: str) -> tuple[int, int]:
        return self.bounds[name] if name in self.bounds else (int(name), int(name))

    def _range(self, weights: Sequence[int], names: Sequence[str], constant: int) -> tuple[int, int]:
        """Return the ends of a sum."""
        ends = [sorted(a * end for end in self._ends(n)) for a, n in zip(weights, names, strict=True)]
        return constant + sum(low for low, _ in ends), constant + sum(high for _, high in ends)

    # ---- constraints --------------------------------------------------------------------------------

    def _post(self, constraint: Any) -> None:
        """State relations as they are, and connectives as clauses."""
        for rows in _elements(constraint):
            self._state(constraint, rows)

    def _state(self, constraint: Any, rows: list[Row], depth: int = 0) -> None:
        """State one relation, or one connective; a truth that must be 1 is what it says."""
        if constraint.kind == "Linear":
            self._define_all(rows)
            name, weights, names, side = self._relation(rows[0], constraint.relation)
            decided = self._decided(name, weights, names, side)
            if decided is False:
                self.say("bool_clause", "[false]", "[]")
            elif decided is None:
                self.say(f"int_lin_{name}", weights, f"[{', '.join(names)}]", side)
            return
        for true, false in CLAUSES[constraint.kind](rows):
            positive, negative = without_negations(true, false)
            if any(not any(row[1]) and row[2] for row in positive):
                continue
            unit = self._truth_within(positive) if depth < _DEEP and not negative else None
            if unit is not None:
                self._state(unit[0].constraint, unit[1], depth + 1)
            else:
                self._define_all([*positive, *negative])
                self._clause([self._literal(r) for r in positive], [self._literal(r) for r in negative])

    def _truth_within(self, rows: list[Row]) -> tuple[Truth, list[Row]] | None:
        """Return the truth that a clause of one literal is, if it is one, with its terms."""
        left = [(v, a) for v, a in zip(rows[0][0], rows[0][1], strict=True) if a] if len(rows) == 1 else []
        if len(left) != 1 or (left[0][1], rows[0][2]) != (1, 0):
            return None
        part, own, _ = self.parts.get(left[0][0], (None, [], []))
        return (part, own) if isinstance(part, Truth) else None

    def _clause(self, true: list[str], false: list[str]) -> None:
        """State that one of some truths holds, or one of others does not."""
        if "true" in true or "false" in false:
            return
        sides = [[name for name in dict.fromkeys(side) if name in self.bounds] for side in (true, false)]
        if not any(sides):
            sides[0] = ["false"]
        self.say("bool_clause", *(f"[{', '.join(side)}]" for side in sides))

    def _relation(self, row: Row, relation: str) -> tuple[str, list[int], list[str], int]:
        weights, names, constant = self._sum(row)
        name, sign, more = _RELATIONS[relation]
        if name != "le" and weights and weights[0] < 0:
            sign = -1  # of two ways to say it one
        return name, [sign * a for a in weights], names, -sign * constant - more

    def _decided(self, name: str, weights: Sequence[int], names: Sequence[str], side: int) -> bool | None:
        """Say whether a relation holds, where the bounds decide it."""
        low, high = self._range(weights, names, 0)
        if name == "le":
            return True if high <= side else False if low > side else None
        if low > side or high < side or (weights and side % math.gcd(*weights)):
            return name == "ne"
        return name == "eq" if low == high else None

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
        if truth not in self.bounds:
            return "false" if truth == "true" else "true"
        return self._defined("bool_not", truth)

    def _reified(self, row: Row, relation: str, more: int = 0) -> str:
        """Return the truth of a relation of a term, plus a number, to 0."""
        name, weights, names, side = self._relation((row[0], row[1], row[2] + more), relation)
        decided = self._decided(name, weights, names, side)
        if decided is not None:
            return "true" if decided else "false"
        if len(names) == 1 and self._ends(names[0]) == (0, 1):
            truth = self._truth_of(names[0])
            return truth if self._decided(name, weights, ["1"], side) else self._opposite(truth)
        return self._defined(f"int_lin_{name}_reif", weights, f"[{', '.join(names)}]", side)

    def _connected(self, kind: str, row: list[str]) -> str:
        """Return the truth of a connective of literals."""
        if kind == "Negation":
            return self._opposite(row[0])
        if kind == "Implication":
            row = [self._opposite(row[0]), row[1]]
        idle, other = ("true", "false") if kind == "And" else ("false", "true")
        row = [literal for literal in dict.fromkeys(row) if literal != idle]
        if len(row) < 2 or other in row:
            return other if other in row else row[0] if row else idle
        return self._defined(f"array_bool_{'and' if kind == 'And' else 'or'}", f"[{', '.join(row)}]")

    # ---- functions ----------------------------------------------------------------------------------

    def _define_all(self, rows: Sequence[Row]) -> None:
        """Name what terms need that is defined, in the order in which they need it, however deep."""
        waiting = self._open(rows)
        begun: set[int] = set()
        while waiting:
            v = waiting[-1]
            if v in self.integers or v in self.truths:
                waiting.pop()
            elif v in begun:
                waiting.pop()
                self._define(v)
            else:
                begun.add(v)
                _, rows, shared = self.parts[v]
                waiting += self._open([*rows, *shared])

    def _open(self, rows: Sequence[Row]) -> list[int]:
        """Return the variables of terms that are to be defined, the first one last."""
        found = (v for row in rows for v, a in zip(row[0], row[1], strict=True) if a and v in self.parts)
        return [v for v in found if v not in self.integers and v not in self.truths][::-1]

    def _define(self, v: int) -> None:
        """Name what one variable is defined to be; functions are 0 where they are not defined."""
        part, rows, shared = self.parts[v]
        if isinstance(part, Truth):
            constraint: Any = part.constraint
            if constraint.kind == "Linear":
                self.truths[v] = self._reified(rows[0], constraint.relation)
            else:
                self.truths[v] = self._connected(constraint.kind, [self._literal(row) for row in rows])
        elif part.kind == "element":
            self.integers[v] = self._entry(rows[0], [self.variable(row) for row in shared])
        elif part.kind in _BINARY:
            found = self.variable(rows[0])
            for row in rows[1:]:
                found = self._extreme(_BINARY[part.kind], found, self.variable(row))
            self.integers[v] = found
        else:
            limits = int(self.lowered.store.lower[v]), int(self.lowered.store.upper[v])
            self.integers[v] = self._value(part.kind, [self.variable(row) for row in rows], limits)

    def _value(self, kind: str, values: Sequence[str], limits: tuple[int, int]) -> str:
        """Return what a function, whose bounds are known, is of variables and integers."""
        if kind == "abs":
            return self._size(values[0])
        if kind == "product":
            return self._defined("int_times", *values, ends=limits)
        return self._divided(kind, *values)

    def _divided(self, kind: str, x: str, y: str) -> str:
        """Return a quotient or a remainder, 0 where the divisor is: that of x times the divisor's sign.

        What is divided by is at least 1, as its bounds say, so that all functions are total for a reader too.
        """
        low, high = self._ends(y)
        if low > 0 or high < 0:
            return self._rounded(kind, x, y)
        signs = [sign for sign, end in ((1, high), (-1, -low)) if end > 0]
        if not signs:
            return "0"
        truths = [self._defined("int_lin_le_reif", [-sign], f"[{y}]", -1) for sign in signs]
        numbers = [self._number(truth) for truth in truths]
        sign = self.linear(signs, numbers, 0) if low < 0 else numbers[0]
        x = self._product(x, sign)
        size = self._extreme("int_max", self._size(y) if low < 0 else y, "1")
        found = self._rounded(kind, x, size)
        return self._product(found, sign) if low < 0 and kind.startswith("remainder") else found

    def _number(self, truth: str) -> str:
        """Return the integer that a truth is."""
        if truth not in self.bounds:
            return str(int(truth == "true"))
        found = self._defined("bool2int", truth, ends=(0, 1))
        self.known["truth", found] = truth
        return found

    def _size(self, x: str) -> str:
        low, high = self._ends(x)
        return self._defined("int_abs", x, ends=(max(0, low, -high), max(-low, high)))

    def _extreme(self, name: str, x: str, y: str) -> str:
        of = max if name == "int_max" else min
        (low, high), (least, most) = self._ends(x), self._ends(y)
        return self._defined(name, x, y, ends=(of(low, least), of(high, most)))

    def _product(self, x: str, y: str) -> str:
        corners = [a * b for a in self._ends(x) for b in self._ends(y)]
        return self._defined("int_times", x, y, ends=(min(corners), max(corners)))

    def _rounded(self, kind: str, x: str, divisor: str) -> str:
        """Return a quotient or a remainder by what is never 0."""
        is_floor = kind in ("quotient", "remainder")  # rounded down: the remainder has the divisor's sign
        if is_floor and min(self._ends(x)[0], self._ends(divisor)[0]) < 0:
            rest = self._rest(self.linear([1, 1], [self._rest(x, divisor), divisor], 0), divisor)
            if kind == "remainder":
                return rest
            x = self.linear([1, -1], [x, rest], 0)
        return self._rest(x, divisor) if kind.startswith("remainder") else self._whole(x, divisor)

    def _rest(self, x: str, divisor: str) -> str:
        """Return the remainder with the sign of what is divided."""
        (low, high), most = self._ends(x), max(map(abs, self._ends(divisor))) - 1
        ends = -min(most, max(0, -low)), min(most, max(0, high))
        return self._defined("int_mod", x, divisor, ends=ends)

    def _whole(self, x: str, divisor: str) -> str:
        """Return the quotient rounded towards 0."""
        least, most = self._ends(divisor)
        sizes = [y for y in (least, most, 1, -1) if least <= y <= most]
        corners = [abs(a) // abs(y) * (1 if (a < 0) == (y < 0) else -1) for a in self._ends(x) for y in sizes]
        return self._defined("int_div", x, divisor, ends=(min(corners), max(corners)))

    def _entry(self, position: Row, entries: list[str]) -> str:
        """Return the entry at a position, 0 outside: there the table has such entries at its ends."""
        weights, names, shift = self._sum(position)
        low, high = self._range(weights, names, shift)
        many = len(entries)
        if low < -1 or high > many:
            name = self.linear(weights, names, shift)
            if high > many:
                name = self._extreme("int_min", name, str(many))
            if low < -1:
                name = self._extreme("int_max", name, "-1")
            weights, names, shift = [1], [name], 0
        entries = [*["0"] * (low < 0), *entries, *["0"] * (high >= many)]
        place = self.linear(weights, names, shift + 1 + (low < 0))
        among = [end for entry in entries for end in self._ends(entry)]
        fixed = all(entry not in self.bounds for entry in entries)
        name = "array_int_element" if fixed else "array_var_int_element"
        return self._defined(name, place, f"[{', '.join(entries)}]", ends=(min(among), max(among)))


def _elements(constraint: Any) -> list[list[Row]]:
    """Return the terms of each element: of a relation one, of a connective its literals."""
    if constraint.kind == "Linear":
        return [[row] for row in constraint.expression.rows()]
    return literals_of_each(constraint)


def _rows_of(part: Definition) -> tuple[list[list[Row]], list[Row]]:
    """Return the terms of each result of a block, and those of its table."""
    if isinstance(part, Truth):
        return _elements(part.constraint), []
    if part.kind == "element":
        return [[row] for row in part.arguments[0].rows()], list(part.arguments[1].rows())
    return [list(rows) for rows in zip(*(a.rows() for a in part.arguments), strict=True)], []
