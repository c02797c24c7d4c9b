"""Which variable of one model is which of the other: by name, or as a mapping of names and terms says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cpqueens.errors import ModelError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.expressions import BoolArray, LinearArray
from cpqueens.language.linear_rows import Row
from cpqueens.language.rebuild import own_constraints
from cpqueens.model import Model
from cpqueens.text.plaintext import did_you_mean, shown

Same = Mapping[str, Any] | Sequence[tuple[Any, Any]]
"""Names of variables or arrays, or terms and truths, of the first model, and what they are in the second."""


@dataclass(frozen=True)
class Side:
    """One of the two models."""

    name: str
    model: Model
    whole: Model
    """The same with its objectives."""

    def private(self, shared: Iterable[int]) -> list[int]:
        """Return its decision variables that are not shared."""
        known = set(shared)
        return [v for v in self.model.decisions.tolist() if v not in known]

    @cached_property
    def stated(self) -> list[Constraint]:
        """What was posted, one by one."""
        return [posted.constraint for posted in own_constraints(self.model)]

    @cached_property
    def joined(self) -> list[Constraint]:
        """The same, single ones joined into arrays."""
        placed = self.model._constraints
        own = [k for k in range(len(placed)) if placed.source(k) is not None]
        return (placed if len(own) == len(placed) else placed.select(own)).joined()


def side(name: str, model: Model) -> Side:
    """Return a model with and without its objectives.

    That they are defined is asked of solutions, so it stays: what only they needed is stated.
    """
    if model.soft:
        _ = model.goals  # their penalties are defined before it is copied
    plain = model.copy()
    conditions = [plain.posted(k) for k in sorted(plain._ranges)]
    plain.drop_objectives()
    for posted in conditions:
        plain.add(posted.constraint, name=posted.name)
    return Side(name, plain, model)


@dataclass(frozen=True)
class Matched:
    """Two models, and for each name the variable in the first and that in the second."""

    a: Side
    b: Side
    shared: Mapping[str, tuple[int, int]]


def matched(a: Model, b: Model, mapping: Same | None) -> Matched:
    """Return two models with the variables that they share.

    A term that a mapping names becomes a variable of a copy of its model, which equals it.

    Raises
    ------
    ModelError
        If nothing is shared, or the mapping names what is not there, or something twice.
    """
    if mapping is None:
        ours, theirs = _names(a), _names(b)
        found = {name: (v, theirs[name]) for name, v in ours.items() if name in theirs}
        left, right = a, b
    else:
        pairs = mapping if isinstance(mapping, Iterable) else [mapping]
        given = list(pairs.items() if isinstance(pairs, Mapping) else map(_pair, pairs))
        ends = [(_Named.of(a, mine), _Named.of(b, other)) for mine, other in given]
        for mine, other in ends:
            _comparable(mine, other)
        left, firsts = _with_variables(a, [mine for mine, _ in ends])
        right, seconds = _with_variables(b, [other for _, other in ends])
        found = {}
        for vs, ws in zip(firsts, seconds, strict=True):
            found |= {left.name_of(v): (v, w) for v, w in zip(vs, ws, strict=True)}
        if sum(map(len, firsts)) > len(found):
            raise ModelError("mapping: a variable of a is named twice")
    if not found:
        raise ModelError(f"the models share no variable by name: {_what_they_have(a, b)}; give mapping=")
    if len({w for _, w in found.values()}) < len(found):
        raise ModelError("mapping: a variable of b is named twice")
    return Matched(side("a", left), side("b", right), found)


def _pair(item: Any) -> tuple[Any, Any]:
    if not isinstance(item, list | tuple) or len(item) != 2:
        raise ModelError(f"mapping: needs pairs of matching names or terms, got {shown(item)}")
    return item[0], item[1]


@dataclass(frozen=True)
class _Named:
    """What a mapping names in one model: its variables in order, or terms."""

    name: str
    shape: tuple[int, ...]
    variables: list[int] | None
    terms: Any = None

    @staticmethod
    def of(model: Model, item: Any) -> _Named:
        if isinstance(item, LinearArray | BoolArray):
            return _Named._of_terms(model, item)
        names = _names(model)
        if isinstance(item, str) and item in names:
            return _Named(item, (), [names[item]])
        block = model.blocks.by_name.get(item) if isinstance(item, str) else None
        if block is None:
            near = did_you_mean(item, (*model.blocks.by_name, *names)) if isinstance(item, str) else ""
            raise ModelError(f"mapping: {model.name} has no variable {shown(item)}{near}")
        return _Named(item, block.shape, list(range(block.first, block.first + block.size)))

    @staticmethod
    def _of_terms(model: Model, item: Any) -> _Named:
        name = shown(str(item)) if item.size == 1 else "mapped"
        if isinstance(item, LinearArray):
            rows = list(model.own_terms(item).rows())
            decided = set(model.decisions.tolist())
            if all(list(factors) == [1] and not c and vs[0] in decided for vs, factors, c in rows):
                return _Named(name, item.shape, [vs[0] for vs, _, _ in rows])
        return _Named(name, item.shape, None, item)

    @property
    def size(self) -> int:
        return len(self.variables) if self.variables is not None else int(self.terms.size)


def _comparable(mine: _Named, other: _Named) -> None:
    if mine.size != other.size:
        raise ModelError(f"mapping: {mine.name} has {mine.size} variables and {other.name} has {other.size}")
    if mine.shape != other.shape and mine.size > 1:
        raise ModelError(f"mapping: {mine.name} has the shape {mine.shape} and {other.name} {other.shape}")


def _with_variables(model: Model, ends: Sequence[_Named]) -> tuple[Model, list[list[int]]]:
    """Return a model that has variables for all terms, and the variables of each end."""
    if all(end.variables is not None for end in ends):
        return model, [end.variables or [] for end in ends]
    other, found = model.copy(), []
    for end in ends:
        found.append(_variables_for(other, end) if end.variables is None else end.variables)
    return other, found


def _variables_for(model: Model, end: _Named) -> list[int]:
    """Create a variable for each term."""
    terms = end.terms
    owned: Any = model.own_terms(terms) if isinstance(terms, LinearArray) else model._own(terms).truth()
    low, high = (bound.reshape(end.shape) for bound in owned.bounds())
    name = end.name if end.shape == () and end.name not in model.blocks.by_name else "mapped"
    name, k = _usable(name), 0
    while name in model.blocks.by_name:
        name, k = f"mapped {k}", k + 1
    created = model.intvar(low, high, shape=end.shape, name=name)
    model.add(created == owned, name=f"what {name} stands for")
    flat: list[Row] = list(created.reshape(-1).rows())
    return [variables[0] for variables, _, _ in flat]


def _usable(name: str) -> str:
    return name if all(c not in "[], " for c in name) and name.isprintable() and len(name) < 60 else "mapped"


def _names(model: Model) -> dict[str, int]:
    return {model.name_of(v): v for v in model.decisions.tolist()}


def _what_they_have(a: Model, b: Model) -> str:
    for name, mine in a.blocks.by_name.items():
        other = b.blocks.by_name.get(name)
        if other is not None and other.shape != mine.shape:
            return f"{name} has the shape {mine.shape} in a and {other.shape} in b"
    return f"a has {_some(a)}, b has {_some(b)}"


def _some(model: Model) -> str:
    names = list(model.blocks.by_name)
    return ", ".join(names[:5]) + (" ..." if len(names) > 5 else "") if names else "none"
