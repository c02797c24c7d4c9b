"""What a result depends on besides the model: versions of everything that takes part."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from cpqueens.model import Model

_PACKAGES = ("cpqueens", "numpy", "numba", "ortools", "python-constraint2")


def versions() -> dict[str, str]:
    """Return the versions of Python, cpqueens and the solvers' libraries."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def code_digest() -> str:
    """Return the version of the package, with a digest of its Python files."""
    found, folder = hashlib.sha256(), Path(__file__).parent.parent
    for path in sorted(folder.rglob("*.py")):
        found.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{versions()['cpqueens']} {found.hexdigest()[:16]}"


def fingerprint(model: Model) -> str | None:
    """Return the digest of what determines the model's solutions, or None if it cannot be written down."""
    from cpqueens.errors import CpqueensError
    from cpqueens.files.modelfile import model_digest

    try:
        return model_digest(model)
    except CpqueensError:
        return None
