"""The names in a text in FlatZinc: parameters, and variables with what these are here."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cpqueens.errors import ModelError, UnsupportedConstraint
from cpqueens.exchange import flatzinc_text as text
from cpqueens.language.term import Term
from cpqueens.model import Model
from cpqueens.text.plaintext import shown

# ---- what is written out of a solution, as annotations of FlatZinc say --------------------------------


@dataclass(frozen=True)
class Output:
    """One output item of a solution: a variable, or an array with its index sets.

    Attributes
    ----------
    name, is_bool
        Of what, and whether its values are Booleans.
    items
        A term or an integer for each entry, in C order; one for a variable.
    indices
        The index sets of an array; None for a variable.
    """

    name: str
    items: tuple[Any, ...]
    indices: tuple[range, ...] | None
    is_bool: bool


def is_output(found: text.Declared) -> bool:
    """Say whether a variable or an array is written out."""
    wanted = "output_var" if found.size is None else "output_array"
    return found.is_variable and any(name_of(a) == wanted for a in found.annotations)


def name_of(annotation: text.Name | text.Annotation) -> str:
    """Return the name of an annotation."""
    return annotation.name if isinstance(annotation, text.Annotation) else str(annotation)


def index_sets(array: text.Declared) -> tuple[range, ...]:
    """Return the index sets of an array that is written out.

    Raises
    ------
    ModelError
        If they are none, or do not fit its size.
    """
    call = next(a for a in array.annotations if name_of(a) == "output_array")
    sets = call.arguments[0] if isinstance(call, text.Annotation) and call.arguments else None
    if not isinstance(sets, list) or not sets or not all(isinstance(s, range) for s in sets):
        raise ModelError(f"{array.name}: output_array needs a list of index sets")
    if math.prod(max(0, s.stop - s.start) for s in sets) != len(array.value):
        raise ModelError(
            f"{array.name}: the index sets of output_array do not fit {len(array.value)} entries"
        )
    return tuple(sets)


def shape_of(array: text.Declared) -> tuple[int, ...] | None:
    """Return the shape of an array that is written out, None of one that is empty or a single variable."""
    if not any(name_of(a) == "output_array" for a in array.annotations):
        return None
    return tuple(s.stop - s.start for s in index_sets(array)) if array.value else None


_CONSTANTS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "k": (int, "an integer"),
    "l": (bool, "a Boolean"),
    "s": ((range, tuple), "a set of integers"),
}
ASSUMED = 1_000_000
"""Variables without bounds that no constraint gives them are between this and its negative."""
_SMALL = 2**31
"""Bounds below that are in every range."""
KINDS = {"i": "int", "b": "bool"}
"""What a variable is declared to be, by the letter of a signature."""


def ends_of(found: text.Declared) -> tuple[int, int] | None:
    """Return the bounds of a variable, None without any."""
    if found.kind == "bool":
        return 0, 1
    values = found.domain
    return None if values is None else (values[0], values[-1])


class Symbols:
    """What is declared, and the terms that variables are; those of a name are looked up once."""

    def __init__(self, model: Model, titles: Mapping[str, str]) -> None:
        self.model = model
        self._titles = titles if len({*titles.values()}) == len(titles) else {}
        self.declared: dict[str, text.Declared] = {}
        self.bound: dict[str, Term] = {}
        self.assumed: dict[str, tuple[int, int]] = {}
        """Of integers without bounds."""
        self.integers: dict[str, int] = {}
        """Of names that are variables here, the variables."""
        self.truths: dict[str, Term] = {}
        """Of names that are 0/1 variables or their negations, the terms, as known literals."""
        self.weights: dict[str, tuple[int, ...]] = {}
        self.arrays: dict[str, list[Term]] = {}
        self.parameters: dict[tuple[str, str], list[Any]] = {}

    def title(self, name: str) -> str:
        """Return what a variable is to be called in the model."""
        title = self._titles.get(name, name)
        return name if title in self.declared else title

    def create(self, name: str) -> Term:
        """Create one variable."""
        ends = ends_of(self.declared[name])
        if ends is None:  # one of a circle of definitions
            ends = self.assumed[name] = -ASSUMED, ASSUMED
        return self.known(name, self.model.intvar(*ends, name=self.title(name)))

    def create_all(self, names: Sequence[str]) -> None:
        """Create variables one by one in name, in one go where their bounds are no trouble."""
        ends = [ends_of(self.declared[name]) for name in names]
        if not all(e is not None and e[0] > -_SMALL and e[1] < _SMALL for e in ends):
            for name in names:
                self.create(name)
            return
        model = self.model
        lower, upper = np.array(ends, dtype=np.int64).reshape(-1, 2).T
        first = model._append(lower, upper, defined=False)
        for variable, name in enumerate(names, first):
            model.blocks.create(self.title(name), variable, ())
            self.known(name, Term(model, (variable,), (1,), 0))

    def create_array(self, name: str, names: Sequence[str]) -> None:
        """Create an array of variables, and know its entries by their names."""
        shape = shape_of(self.declared[name])
        assert shape is not None
        ends = [ends_of(self.declared[n]) or (0, 0) for n in names]
        low, high = (np.array(side).reshape(shape) for side in zip(*ends, strict=True))
        array = self.model.intvar(low, high, shape=shape, name=self.title(name))
        for term, entry in zip(array.reshape(-1), names, strict=True):
            self.known(entry, term)

    def known(self, name: str, term: Any) -> Term:
        """Note a new variable, with the holes in its domain."""
        values = self.declared[name].domain
        if isinstance(values, tuple) and len(values) < values[-1] - values[0] + 1:
            self.model.domains[term.variable_list[0]] = np.array(values, dtype=np.int64)
        return self.bind(name, term)

    def bind(self, name: str, term: Term) -> Term:
        """Note what a variable is here."""
        self.bound[name] = term
        literal = term.literal()
        if literal is not None and self.declared[name].kind == "bool":
            term.known_literal = literal
            self.truths[name] = term
        elif literal is not None and literal >= 0:
            self.integers[name] = literal
        return term

    def converted(self, value: Any, letter: str) -> Any:
        """Return an argument as a signature's letter wants it."""
        if letter in KINDS:
            return self.term(value, KINDS[letter])
        if letter in "IB":
            return self.terms(value, KINDS[letter.lower()])
        if letter in "KLS":
            return self.constants(value, letter.lower())
        value = self.constant(value)
        _require(value, letter)
        return value

    def constants(self, value: Any, letter: str) -> list[Any]:
        """Return an array of constants; one with a name is looked through once."""
        key = (value, letter) if isinstance(value, text.Name) else None
        if key in self.parameters:
            return self.parameters[key]
        entries = self.constant(value)
        if not isinstance(entries, list):
            raise ModelError(f"an array is needed, got {_said(value)}")
        found = entries
        if letter != "k" or {*map(type, entries)} != {int}:  # else it is as it is to be, however long
            entries = [self.constant(v) for v in entries]
            for entry in entries:
                _require(entry, letter)
            found = [int(entry) for entry in entries] if letter == "l" else entries
        if key is not None:
            self.parameters[key] = found
        return found

    def constant(self, value: Any) -> Any:
        """Return what a parameter is; anything else as it is."""
        if isinstance(value, text.ArrayEntry):
            value = self.entry(value)
        if isinstance(value, text.Name):
            found = self.declared.get(value)
            if found is None:
                raise ModelError(f"{value} is not declared")
            return value if found.is_variable else found.value
        return value

    def entry(self, value: text.ArrayEntry) -> Any:
        """Return what stands at a place of an array."""
        found = self.declared.get(value.array)
        if found is None or not isinstance(found.value, list) or not 1 <= value.place <= len(found.value):
            raise ModelError(f"{value.array}[{value.place}] is not declared")
        return found.value[value.place - 1]

    def term(self, value: Any, kind: str) -> Term:
        """Return a term of a kind."""
        value = self.constant(value)
        if isinstance(value, text.Name):
            found = self.declared[value]
            if found.kind in ("float", "set"):
                raise UnsupportedConstraint(
                    f"{value} is a variable of type {found.kind}, which is not supported"
                )
            if found.kind != kind or found.size is not None:
                raise ModelError(f"{_article(kind)} is needed, got {value}")
            return self.variable(value)
        if type(value) is not (int if kind == "int" else bool):
            raise ModelError(f"{_article(kind)} is needed, got {_said(value)}")
        return Term(self.model, (), (), int(value))

    def variable(self, name: str) -> Term:
        """Return the term of a variable, which is created where nothing has defined it."""
        known = self.bound.get(name)
        return self.create(name) if known is None else known

    def terms(self, value: Any, kind: str) -> list[Term]:
        """Return the terms of an array; those of one with a name are kept."""
        if not isinstance(value, text.Name):
            if not isinstance(value, list):
                raise ModelError(f"an array is needed, got {_said(value)}")
            return [self.term(v, kind) for v in value]
        found = self.declared.get(value)
        if found is None or found.size is None:
            raise ModelError(f"an array is needed, got {value}")
        if found.kind != kind and found.kind in ("int", "bool"):
            raise ModelError(f"an array of {kind} is needed, got {value}, one of {found.kind}")
        if value not in self.arrays:
            self.arrays[value] = [self.term(v, kind) for v in found.value]
        return self.arrays[value]

    def listed(self, value: Any) -> list[Any]:
        """Return the entries of an array, one thing as a list of it."""
        if isinstance(value, text.Name) and value in self.declared:
            found = self.declared[value]
            value = found.value if found.size is not None else [value]
        return list(value) if isinstance(value, list) and value else [value]

    def is_whole(self, array: text.Declared, taken: set[str]) -> bool:
        """Say whether an array that is written out can be an array of variables here."""
        names = array.value
        shape = shape_of(array)
        if shape is None or not all(isinstance(n, text.Name) for n in names):
            return False
        if math.prod(shape) != len(names) or len(set(names)) < len(names):
            return False
        entries = [self.declared.get(n) for n in names]
        return all(
            e is not None and e.is_variable and e.value is None and e.size is None and e.name not in taken
            and e.kind == array.kind and ends_of(e) is not None
            for e in entries
        )  # fmt: skip

    def names_in(self, value: text.Name | text.ArrayEntry) -> list[str]:
        """Return a name, or those in an array of variables that was not looked at yet."""
        name = value.array if isinstance(value, text.ArrayEntry) else str(value)
        found = self.declared.get(name)
        if found is None or not (found.is_variable and found.size) or name in self.arrays:
            return [name]
        return [entry for entry in found.value if isinstance(entry, text.Name)]

    def say_assumed(self) -> None:
        """Say in the model which ranges are assumed."""
        assumed = self.assumed
        if assumed:
            more = f" and {len(assumed) - 3} more" if len(assumed) > 3 else ""
            ranges = [f"{name} in {'{}..{}'.format(*ends)}" for name, ends in list(assumed.items())[:3]]
            self.model.assumed = (
                f"var int without bounds: {', '.join(ranges)}{more} was assumed, and nothing that rests on "
                "it is claimed"
            )

    def output(self, found: text.Declared) -> Output:
        """Return what is to be written of one variable or array."""
        values = [found.name] if found.size is None else found.value
        try:
            items = tuple(self.term(v, found.kind) for v in values)
        except ModelError as error:
            raise ModelError(f"{found.name}: {error}") from None
        indices = None if found.size is None else index_sets(found)
        return Output(found.name, items, indices, found.kind == "bool")


def _require(value: Any, letter: str) -> None:
    """Refuse a constant of another kind than a signature's letter says."""
    kind, text_of = _CONSTANTS[letter]
    if not isinstance(value, kind) or (letter == "k" and isinstance(value, bool)):
        raise ModelError(f"{text_of} is needed, got {_said(value)}")


def _article(kind: str) -> str:
    return "an int" if kind == "int" else f"a {kind}"


def _said(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else shown(value)
