"""The report as plain data for JSON, with a schema version."""

import dataclasses
import json
from collections.abc import Mapping
from enum import Enum
from typing import Any

import numpy as np

from cpqueens.crosscheck.findings import Evidence, Findings

SCHEMA = "cpqueens.cross-check"


def to_dict(report: Findings) -> dict[str, Any]:
    """Return the report as dicts, lists, numbers and texts; ``version`` grows when fields change meaning."""
    data = plain({f.name: getattr(report, f.name) for f in dataclasses.fields(report)})
    version = data.pop("schema")
    return {
        "schema": SCHEMA,
        "version": version,
        "exit_code": report.exit_code,
        "agree": report.agree,
        **data,
    }


def to_json(report: Findings) -> str:
    """Return the report as indented JSON text."""
    return json.dumps(to_dict(report), indent=2, ensure_ascii=False)


def plain(value: Any) -> Any:
    """Return any part of a report as plain data."""
    for kind, convert in _CONVERTERS:
        if isinstance(value, kind):
            return convert(value)
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return value


_CONVERTERS: tuple[tuple[Any, Any], ...] = (
    (Evidence, int),
    (Enum, lambda e: e.value),
    (Mapping, lambda m: {str(k): plain(v) for k, v in m.items()}),
    ((list, tuple, set, frozenset), lambda items: [plain(item) for item in items]),
    (np.ndarray, lambda array: array.tolist()),
    (np.integer, int),
    (np.floating, float),
)
