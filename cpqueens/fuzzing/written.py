"""Expressions as they were written: what the oracle evaluates, and what can be built anew elsewhere.

A generator calculates with `Written` as with terms and truths. Each is built at once, for its bounds and for
the model, and remembers the function that made it and what that was given. Of the terms that were built
nothing is read afterwards: they may have lost what the user said.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cpqueens.language import conversion, functions
from cpqueens.model import Model


def _operator(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: write(name, function, self, other)


def _reflected(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: write(name, function, other, self)


class Written:
    """A term or a truth: its function by name, what this was given, and what it made in a model."""

    __slots__ = ("built", "given", "make", "name", "named")

    def __init__(
        self, name: str, make: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any], built: Any
    ) -> None:
        self.name, self.make, self.given, self.named, self.built = name, make, given, named, built

    def bounds(self) -> Any:
        """Return the bounds of the terms that were built."""
        return self.built.bounds()

    def sum(self) -> Written:
        """Return the sum of all elements, of truths how many hold."""
        return write("sum", lambda array: array.sum(), self)

    def truth(self) -> Written:
        """Return the 0/1 terms of truths."""
        return write("truth", lambda truths: truths.truth(), self)

    def implies(self, other: Any) -> Written:
        """Return that one truth implies another."""
        return write("Implication", lambda a, b: a.implies(b), self, other)

    def __neg__(self) -> Written:
        return write("negative", operator.neg, self)

    def __abs__(self) -> Written:
        return write("abs", abs, self)

    def __invert__(self) -> Written:
        return write("Negation", operator.invert, self)

    __add__, __radd__ = _operator("sum of two", operator.add), _reflected("sum of two", operator.add)
    __sub__, __rsub__ = _operator("difference", operator.sub), _reflected("difference", operator.sub)
    __mul__, __rmul__ = _operator("product", operator.mul), _reflected("product", operator.mul)
    __floordiv__, __mod__ = _operator("quotient", operator.floordiv), _operator("remainder", operator.mod)
    __rfloordiv__, __rmod__ = _reflected("quotient", operator.floordiv), _reflected("remainder", operator.mod)
    __pow__ = _operator("power", operator.pow)
    __eq__ = _operator("==", operator.eq)
    __ne__ = _operator("!=", operator.ne)
    __le__, __lt__ = _operator("<=", operator.le), _operator("<", operator.lt)
    __ge__, __gt__ = _operator(">=", operator.ge), _operator(">", operator.gt)
    __and__, __or__ = _operator("And", operator.and_), _operator("Or", operator.or_)
    __xor__ = _operator("Xor", operator.xor)
    __hash__ = object.__hash__


def write(name: str, make: Callable[..., Any], *given: Any, **named: Any) -> Written:
    """Return what a function makes of expressions, numbers and lists of these, as it was written."""
    whole = _plain(list(given)), {key: _plain(value) for key, value in named.items()}
    return Written(name, make, given, named, make(*whole[0], **whole[1]))


def _plain(value: Any, known: dict[int, Any] | None = None) -> Any:
    """Return what was built of an expression (anew, if some are known), in lists too."""
    if isinstance(value, Written):
        return value.built if known is None else _rebuilt(value, known)
    if isinstance(value, list | tuple):
        return type(value)(_plain(part, known) for part in value)
    return value


def _rebuilt(node: Written, known: dict[int, Any]) -> Any:
    if id(node) not in known:
        given = [_plain(part, known) for part in node.given]
        named = {key: _plain(value, known) for key, value in node.named.items()}
        known[id(node)] = node.make(*given, **named)
    return known[id(node)]


@dataclass
class Script:
    """What was said to a model, in the order in which it was said; penalties within objectives left out."""

    variables: list[tuple[Written, list[int]]] = field(default_factory=list)
    posted: list[Written] = field(default_factory=list)
    soft: list[tuple[Written, Any]] = field(default_factory=list)
    goals: list[Written] = field(default_factory=list)

    def variable(self, model: Model, values: list[int], name: str) -> Written:
        """Create a variable with these values, which ascend."""
        new = Written(name, Model.intvar, (), {}, declared(model, values, name))
        self.variables.append((new, values))
        return new

    def anew(self, model: Model, terms: list[Any]) -> None:
        """Say the same to another model, of which ``terms`` stand for the variables."""
        known = {id(node): term for (node, _), term in zip(self.variables, terms, strict=True)}
        for node in self.posted:
            model.add(_rebuilt(node, known))
        for node, weights in self.soft:
            model.add_soft(_rebuilt(node, known), weight=weights)
        for node in self.goals:
            model.then_minimize(_rebuilt(node, known))


def declared(model: Model, values: list[int], name: str) -> Any:
    """Return a new variable with these values, which ascend: an interval where they have no gaps."""
    if len(values) == values[-1] - values[0] + 1:
        return model.intvar(values[0], values[-1], name=name)
    return model.intvar(domain=values, name=name)


# ---- functions of the modelling language ------------------------------------------------------------------


def _function(name: str, make: Callable[..., Any]) -> Callable[..., Written]:
    return lambda *given: write(name, make, *given)


all_ = _function("And", functions.all_)
any_ = _function("Or", functions.any_)
matmul = _function("matmul", lambda numbers, terms: np.asarray(numbers) @ np.stack(terms))
div_trunc = _function("quotient_truncated", functions.div_trunc)
mod_trunc = _function("remainder_truncated", functions.mod_trunc)
element = _function("element", functions.element)
minimum = _function("minimum", functions.minimum)
maximum = _function("maximum", functions.maximum)
stack = _function("stack", np.stack)


def define(kind: str, *operands: Any) -> Written:
    """Return a function by the kind of its definition."""
    return write(kind, lambda *terms: conversion.define(kind, *terms), *operands)


def stated(make: Any, *given: Any, **named: Any) -> Written:
    """Return a constraint of a class."""
    return write(make.__name__, make, *given, **named)
