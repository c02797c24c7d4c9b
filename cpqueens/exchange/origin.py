"""What is a model of another library, where an imported one came from, and how values go back there.

Variables from elsewhere under the names that they have there: whole arrays where all entries are there.
"""

import importlib
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from cpqueens.answers.outcome import Outcome
from cpqueens.answers.solution import Solution
from cpqueens.errors import ModelError, NoSolution
from cpqueens.language.blocks import MAX_NAME
from cpqueens.language.ranges import LIMIT
from cpqueens.language.term import Term
from cpqueens.model import Model
from cpqueens.text.foreign import no_attribute, read_by
from cpqueens.text.parameters import needed


@dataclass(frozen=True, eq=False)
class Imported:
    """An imported model.

    >>> from constraint import Problem
    >>> from cpqueens import from_python_constraint
    >>> theirs = Problem()
    >>> theirs.addVariables("ab", [1, 2])
    >>> theirs.addConstraint(lambda a, b: a < b, "ab")
    >>> ours = from_python_constraint(theirs)
    >>> ours.values(ours.model.solve())
    {'a': 1, 'b': 2}

    Attributes
    ----------
    model
        The model here; everything can be done with it.
    names
        For each variable there, by its name, the term here.
    write
        Gives the variables there their values, and returns what that library's evaluation refuses.
    """

    model: Model
    names: Mapping[str, Any]
    write: Callable[[Mapping[str, int]], list[str]] = field(repr=False)

    def __post_init__(self) -> None:
        self.model._giver = self.write_back  # so that an answer of the model can say `write_back()`

    if not TYPE_CHECKING:  # to a type checker a class with this has every attribute

        def __getattr__(self, name: str) -> NoReturn:
            if not name.startswith("_") and hasattr(Model, name):
                text = f"'Imported' object has no attribute {name!r}; write .model.{name}"
                raise AttributeError(text, name=name, obj=self)
            raise no_attribute(self, name)

    def values(self, answer: Outcome | Solution) -> dict[str, int]:
        """Return the values of a solution by the names of the imported variables.

        Raises
        ------
        NoSolution
            If there is none.
        """
        needed(answer, (Outcome, Solution), "an answer")
        solution = answer.solution if isinstance(answer, Outcome) else answer
        if solution is None:
            raise NoSolution("the outcome has no solution to give back")
        return {name: int(solution[term]) for name, term in self.names.items()}

    def write_back(self, answer: Outcome | Solution) -> dict[str, int]:
        """Write the values of a solution into the imported variables; return these by name.

        Raises
        ------
        NoSolution
            If there is none.
        ModelError
            If that library's own evaluation does not accept them.
        """
        values = self.values(answer)
        wrong = self.write(values)
        if wrong:
            raise ModelError(f"the other library does not accept the values: {wrong[0]}")
        return values


# ---- what is a model, here or in another library, told without importing any of these -----------------

_HOMES = {
    "from_cpmpy": "cpqueens.exchange.cpmpy",
    "from_cpsat": "cpqueens.exchange.cpsat",
    "from_python_constraint": "cpqueens.exchange.python_constraint",
}
"""Where the functions are that `cpqueens.text.foreign.read_by` names."""


def is_model(value: Any) -> bool:
    """Say whether something is a model of ours or of a library that we read."""
    return isinstance(value, Model) or read_by(value) is not None


def as_model(value: Any) -> Model:
    """Return such a model as one of ours.

    Raises
    ------
    ModelError
        If it has something that cannot be expressed here.
    """
    if isinstance(value, Model):
        return value
    name = read_by(value)
    assert name is not None, "a model is needed, see is_model"
    model: Model = getattr(importlib.import_module(_HOMES[name]), name)(value).model
    return model


_INDEXED = re.compile(r"(.+)\[(\d{1,9}(?:,\d{1,9})*)\]$")
_FORBIDDEN = re.compile(r"[\[\],\s]+")

Domain = tuple[int, int] | list[int]
"""Both ends, or all values of a domain with gaps."""

Block = tuple[str, tuple[int, ...], list[str]]
"""The name of an array or of a variable, its shape, and the names of its entries in C order."""


def declared(model: Model, domains: Mapping[str, Domain]) -> dict[str, Any]:
    """Return a new variable for each name, in the same order; ``x[0]``, ``x[1]``, ... become an array ``x``.

    Names that a model cannot have are written without brackets.
    """
    blocks = _arrays(domains)
    arrays = {name for _, _, entries in blocks for name in entries}
    blocks += [(name, (), [name]) for name in domains if name not in arrays]
    first = _appended(model, {entry: domains[entry] for _, _, entries in blocks for entry in entries})
    terms: dict[str, Any] = dict.fromkeys(domains)
    for name, shape, entries in blocks:
        model.blocks.create(name if shape else _plain(model, name), first, shape)
        for variable, entry in enumerate(entries, first):
            terms[entry] = Term(model, (variable,), (1,), 0)
        first += len(entries)
    return terms


def _appended(model: Model, domains: Mapping[str, Domain]) -> int:
    """Return the first of new variables, created in one go."""
    ends = [_ends(model, name, domain) for name, domain in domains.items()]
    lower, upper = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    first = model._append(lower, upper, defined=False)
    for variable, domain in enumerate(domains.values(), first):
        if isinstance(domain, list) and len(values := sorted(set(domain))) <= values[-1] - values[0]:
            model.domains[variable] = np.array(values, dtype=np.int64)
    return first


def _ends(model: Model, name: str, domain: Domain) -> tuple[int, int]:
    """Return both ends of a domain; one that no variable can have is refused in words."""
    low, high = domain if isinstance(domain, tuple) else (min(domain, default=0), max(domain, default=-1))
    if not -LIMIT <= low <= high <= LIMIT:
        model.intvar(low, high, name=name)
    return low, high


def _arrays(domains: Mapping[str, Domain]) -> list[Block]:
    """Return the arrays that are complete."""
    found: dict[str, dict[str, str]] = {}
    for name in domains:
        match = _INDEXED.match(name)
        if match:
            found.setdefault(match[1], {})[match[2]] = name
    complete: list[Block] = []
    for name, entries in found.items():
        shape = _shape(entries)
        if shape is None or name in domains or "[" in name or not _fits(name):
            continue
        places = [",".join(place) for place in product(*[map(str, range(n)) for n in shape])]
        if all(place in entries and not isinstance(domains[entries[place]], list) for place in places):
            complete.append((name, shape, [entries[place] for place in places]))
    return complete


def _shape(entries: Iterable[str]) -> tuple[int, ...] | None:
    """Return the shape of an array that has so many entries, given their positions; None if there is none."""
    axes = [[int(number) for number in place.split(",")] for place in entries]
    if len(set(map(len, axes))) > 1:
        return None
    shape = tuple([max(axis) + 1 for axis in zip(*axes, strict=True)])
    return shape if math.prod(shape) == len(axes) else None


def _fits(name: str) -> bool:
    return name.isprintable() and len(name) <= MAX_NAME and name.strip() == name


def _plain(model: Model, name: str) -> str:
    """Return the name that a variable can have here."""
    plain = _FORBIDDEN.sub("_", name).strip("_") if not _fits(name) or "[" in name else name
    plain = "".join(c for c in plain if c.isprintable())[: MAX_NAME - 9] or "v"
    while plain in model.blocks.by_name:
        plain += "_"
    return plain


def weighted(model: Model, coefficients: Iterable[int], terms: Iterable[Any]) -> Any:
    """Return the sum of single terms, or integers, times coefficients: one pass, however many there are."""
    constant, total = 0, dict[int, int]()
    for factor, term in zip(coefficients, terms, strict=True):
        if isinstance(term, int):
            constant += factor * term
            continue
        ((variables, inner, shift),) = term.rows()
        constant += factor * shift
        for v, a in zip(variables, inner, strict=True):
            total[v] = total.get(v, 0) + factor * a
    kept = model.remaining(total)
    return Term(model, tuple(kept), tuple(kept.values()), constant) if kept else constant
