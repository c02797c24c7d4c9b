"""What is a model, here or in another library, told without importing any of these."""

from __future__ import annotations

import importlib
from typing import Any

from cpqueens.model import Model
from cpqueens.text.foreign import read_by

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
