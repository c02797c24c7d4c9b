"""What is a model, here or in another library, told without importing any of these."""

from __future__ import annotations

import importlib
from typing import Any

from cpqueens.model import Model

_READERS = {
    ("constraint", "Problem"): "cpqueens.exchange.python_constraint:from_python_constraint",
    ("cpmpy", "Model"): "cpqueens.exchange.cpmpy:from_cpmpy",
    ("ortools", "CpModel"): "cpqueens.exchange.cpsat:from_cpsat",
    ("ortools", "CpModelProto"): "cpqueens.exchange.cpsat:from_cpsat",
}
"""By a class's package and name, what reads its objects."""


def _reader(value: Any) -> str | None:
    keys = ((kind.__module__.partition(".")[0], kind.__name__) for kind in type(value).__mro__)
    return next((_READERS[key] for key in keys if key in _READERS), None)


def is_model(value: Any) -> bool:
    """Say whether something is a model of ours or of a library that we read."""
    return isinstance(value, Model) or _reader(value) is not None


def as_model(value: Any) -> Model:
    """Return such a model as one of ours.

    Raises
    ------
    ModelError
        If it has something that cannot be expressed here.
    """
    if isinstance(value, Model):
        return value
    reader = _reader(value)
    assert reader is not None, "a model is needed, see is_model"
    module, _, name = reader.partition(":")
    model: Model = getattr(importlib.import_module(module), name)(value).model
    return model
