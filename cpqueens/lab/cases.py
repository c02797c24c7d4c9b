"""What heuristics are evaluated on: models, instances, and problems at several sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.model import Model
from cpqueens.problems.catalog import Instance, Problem, find, load
from cpqueens.text.parameters import got, needed
from cpqueens.text.plaintext import shown


@dataclass(frozen=True)
class EvaluatedCase:
    """A model with its title, its size among the sizes, and the instance that it is of."""

    title: str
    size: int | None
    model: Model
    instance: Instance | None


def cases_of(problem: Any, sizes: Any, parameters: Mapping[str, Any]) -> Iterator[EvaluatedCase]:
    """Yield the models that are evaluated on.

    Raises
    ------
    ModelError
        For what is no problem, sizes that are none, or a parameter that is not allowed.
    """
    if isinstance(problem, list):
        if not problem:
            raise ModelError("problem: at least one is needed")
        for one in problem:
            yield from cases_of(one, sizes, parameters)
        return
    needed(parameters, Mapping, "parameters: {name: value}")
    if isinstance(problem, Model | Instance) or (isinstance(problem, str) and problem.endswith(".json")):
        if sizes is not None or parameters:
            raise ModelError("sizes: a problem with parameters is needed, not a model")
        yield _case(load(problem) if isinstance(problem, str) else problem, None)
        return
    yield from _family(problem, sizes, parameters)


def _family(problem: Any, sizes: Any, parameters: Mapping[str, Any]) -> Iterator[EvaluatedCase]:
    """Yield the models of a problem with parameters, or of a function."""
    family = find(problem) if isinstance(problem, str) else problem
    if not callable(family) and not isinstance(family, Problem):
        told = got(problem, Model) or shown(problem)
        raise ModelError(f"problem: a name, a model or a function of the size is needed, got {told}")
    name, values = _sizes(family, sizes)
    if name in parameters:
        raise ModelError(f"sizes: {name} is among the parameters, too")
    for value in values:
        given = dict(parameters) if value is None else {**parameters, name: value}
        if isinstance(family, Problem):
            yield _case(family.instance(**given), value)
        else:
            model = family() if value is None else family(value, **parameters)
            yield _case(needed(model, Model, "problem: a function that returns a Model"), value)


def _sizes(family: Any, sizes: Any) -> tuple[str, Sequence[Any]]:
    """Return the parameter that sizes are of, and its values."""
    declared = list(family.parameters) if isinstance(family, Problem) else ["size"]
    if sizes is None:
        return "", [None]
    if isinstance(sizes, Mapping):
        if len(sizes) != 1:
            raise ModelError(f"sizes: one parameter is needed, got {len(sizes)}")
        ((name, values),) = sizes.items()
    else:
        name, values = next(iter(declared), ""), sizes
    if isinstance(values, np.ndarray | range):
        values = list(values)
    if not isinstance(values, list | tuple) or not values or not name:
        raise ModelError(f"sizes: a list of values of a parameter is needed, got {shown(sizes)}")
    return name, values


def _case(stated: Model | Instance, size: Any) -> EvaluatedCase:
    counted = int(size) if isinstance(size, int | np.integer) else None
    if isinstance(stated, Instance):
        return EvaluatedCase(stated.title, counted, stated.model, stated)
    return EvaluatedCase(
        stated.name if size is None else f"{stated.name}({shown(size)})", counted, stated, None
    )
