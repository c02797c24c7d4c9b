"""Definitions of single terms joined into blocks, which are written in one go."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from cpqueens.language.arrays import constant_array
from cpqueens.language.constraints.joining import join
from cpqueens.language.definitions import Definition, Element, Truth
from cpqueens.language.term import join_terms


def joined_definitions(definitions: Iterable[Definition]) -> list[Definition]:
    """Return the definitions with those of single terms joined, by what they are of how many terms."""
    groups: dict[object, list[Definition]] = {}
    for k, definition in enumerate(definitions):
        groups.setdefault(_sort(definition) or k, []).append(definition)
    return [_joined(group) if len(group) > 1 else group[0] for group in groups.values()]


def _sort(definition: Definition) -> object:
    """Return what definitions have in common that can be joined; None for one of arrays."""
    terms = definition.single_terms()
    if terms is None:
        return None
    if isinstance(definition, Element):
        return definition.kind, definition.entries, len(terms[0].variable_list)
    if isinstance(definition, Truth) and definition.constraint.kind != "Linear":
        return definition.constraint.kind, len(terms)
    relation = getattr(definition.constraint, "relation", "") if isinstance(definition, Truth) else ""
    return definition.kind, relation, *(len(term.variable_list) for term in terms)


def _joined(group: list[Definition]) -> Definition:
    results = np.concatenate([definition.results for definition in group])
    truths = [d.constraint for d in group if isinstance(d, Truth)]
    if truths:
        (constraint,) = join(truths)
        return Truth(constraint, results)
    if isinstance(group[0], Element):
        positions: list[Any] = [definition.arguments[0] for definition in group]
        registry = positions[0].registry
        tables = constant_array(
            registry, np.array([definition.arguments[1].constants for definition in group])
        )
        return Element((join_terms(registry, positions), tables), results)
    terms = zip(*(definition.single_terms() or () for definition in group), strict=True)
    return type(group[0])(tuple(join_terms(column[0].registry, column) for column in terms), results)
