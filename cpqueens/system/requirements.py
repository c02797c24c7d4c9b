"""What the installed package needs, as its metadata says, and which versions of it are here."""

import importlib
import re
import sys
from dataclasses import dataclass
from functools import cache
from typing import Any

from cpqueens.errors import MissingLibrary

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9_.-]+)\s*(?:>=\s*([0-9.]+))?\s*$")
_EXTRA = re.compile(r"""\bextra\s*==\s*["']([^"']+)["']""")
_PYTHON = re.compile(r"""\bpython_version\s*<\s*["'](\d+)\.(\d+)["']""")


@dataclass(frozen=True)
class Requirement:
    """A library: its name on PyPI, the lowest version, the first Python that it is not for, and its extra."""

    name: str
    needed: str = ""
    before: tuple[int, int] | None = None
    extra: str = ""

    @property
    def command(self) -> str:
        """The command that installs it."""
        if self.extra:
            return f"pip install 'cpqueens[{self.extra}]'"
        return f"pip install '{self.name}{'>=' + self.needed if self.needed else ''}'"

    @property
    def excluded(self) -> str:
        """Why the package does not ask for it on this Python; empty where it does."""
        if self.before is None or sys.version_info[:2] < self.before:
            return ""
        here, first = (".".join(map(str, version)) for version in (sys.version_info[:2], self.before))
        return f"{self.name} is asked for below Python {first} only, and this is Python {here}"

    @property
    def remedy(self) -> str:
        """What to do where it is missing."""
        return self.excluded or self.command


def parse_requirement(text: str) -> Requirement:
    """Read one line of metadata, ``name>=version; marker``.

    Raises
    ------
    ValueError
        If it has a form that is not read here, so that nothing of it is ignored.
    """
    named, _, marker = text.partition(";")
    match, extra, python = _REQUIREMENT.match(named), _EXTRA.search(marker), _PYTHON.search(marker)
    left = _EXTRA.sub("", _PYTHON.sub("", marker)).replace("and", "").strip(" ()")
    if match is None or left:
        raise ValueError(f"requirement {text!r}: only name>=version, python_version < and extra == are read")
    before = (int(python[1]), int(python[2])) if python else None
    return Requirement(match[1], match[2] or "", before, extra[1] if extra else "")


@cache
def requirements() -> tuple[Requirement, ...]:
    """Return what the installed package asks for, in the order of its metadata; nothing if not installed."""
    from importlib import metadata  # which reads e-mail: 30 ms that hardly any program needs

    try:
        lines = metadata.requires("cpqueens") or []
    except metadata.PackageNotFoundError:  # a source tree on the path: it has no metadata
        lines = []
    return tuple(parse_requirement(line) for line in lines)


def requirement(name: str) -> Requirement:
    """Return the requirement of this name; one without a version where the package does not have it."""
    return next((found for found in requirements() if found.name == name), Requirement(name))


def need(name: str, module: str) -> Any:
    """Return a module of an optional library, asked for before any work is done.

    Raises
    ------
    MissingLibrary
        If it is not installed; the message has the command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        found = requirement(name)
        raise MissingLibrary(f"{name}, which is optional, is not installed: {found.remedy}") from None


_PACKAGES = ("cpqueens", "numpy", "numba", "ortools", "python-constraint2")


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python, cpqueens and the solvers' libraries: reading them takes 3 ms."""
    import platform

    found = {package: version_of(package) or "not installed" for package in _PACKAGES}
    return {"python": platform.python_version(), **found}


def version_of(package: str) -> str | None:
    """Return the version of a package; None where it is not installed."""
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
