"""`cpqueens doctor`: what is installed, what is missing and how to get it."""

import platform
import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from cpqueens.backends import named
from cpqueens.backends.cpmpy import backend as cpmpy
from cpqueens.cli import warming
from cpqueens.cli.options import json_option
from cpqueens.cli.results import DONE, REFUSED, echo_document
from cpqueens.cli.terminal import Standing, progress, say
from cpqueens.kernels.jit import cache
from cpqueens.system.platforms import limits, processors
from cpqueens.system.requirements import requirements, version_of


@dataclass(frozen=True)
class Library:
    """A library: the version that is there (or None), what is needed, and the command that installs it.

    ``excluded`` says why the package does not ask for it on this Python; empty where it does.
    """

    name: str
    version: str | None
    needed: str
    required: bool
    command: str
    excluded: str

    @property
    def is_fit(self) -> bool:
        """Whether it is there in a version that is new enough, or not asked for."""
        if self.version is None:
            return bool(self.excluded)
        return _at_least(self.version, self.needed)


@click.command()
@click.option("--compile", "compiling", is_flag=True, help="compile all kernels now, instead of during runs")
@json_option
def command(compiling: bool, as_json: bool) -> int:
    """Show what is installed and what is missing."""
    if compiling:
        _compile()
    libraries = _libraries()
    facts = _facts()
    if as_json:
        listed = [{**asdict(library), "is_fit": library.is_fit} for library in libraries]
        echo_document("doctor", libraries=listed, backends=_backends(), **facts)
    else:
        say("\n".join(_lines(libraries, facts)))
    return DONE if all(library.is_fit for library in libraries if library.required) else REFUSED


def _compile() -> None:
    """Compile all kernels, with progress meanwhile."""
    with progress(Standing("compiling", unit="kernels", of=warming.NUMBER)) as standing:
        for standing.done, name in enumerate(warming.compile_all(processors())):
            standing.said = f"for {name}"


def _libraries() -> list[Library]:
    """Return the libraries that the installed package asks for, those of its extras last."""
    found = [
        Library(r.name, version_of(r.name), r.needed, not r.extra, r.command, r.excluded)
        for r in requirements()
    ]
    return sorted(found, key=lambda library: not library.required)


def _at_least(version: str, needed: str) -> bool:
    def numbers(text: str) -> list[int]:
        return [int(part) for part in re.findall(r"\d+", text)[:3]]

    return not needed or numbers(version) >= numbers(needed)


def _facts() -> dict[str, Any]:
    folder, writable = kernel_cache()
    return {
        "cpqueens": version_of("cpqueens"),
        "python": platform.python_version(),
        "executable": sys.executable,
        "platform": platform.platform(),
        "processors": processors(),
        "kernel_cache": {"folder": str(folder), "writable": writable},
        "limits": limits(),
    }


def kernel_cache() -> tuple[Path, bool]:
    """Return where compiled kernels are kept between runs, and whether that can be written."""
    places = cache.folders()
    found = next((place for place in places if cache.is_writable(place)), None)
    return found or places[0], found is not None


def _backends() -> list[dict[str, Any]]:
    listed = []
    for name in named.registered():
        what = "" if named.is_installed(name) else named.remedy(name)
        listed.append({"name": name, "installed": not what, "command": what, "refuses": ""})
    if named.is_installed("cpmpy"):
        there = {name: ("", cpmpy.refuses(name)) for name in cpmpy.installed()}
        to_come = {name: (what, "") for name, what in cpmpy.missing().items()}
        listed += [
            {"name": f"cpmpy:{name}", "installed": name in there, "command": what, "refuses": refused}
            for name, (what, refused) in {**there, **to_come}.items()
        ]
    return listed


def _lines(libraries: list[Library], facts: dict[str, Any]) -> list[str]:
    kept_in = facts["kernel_cache"]
    kept = "kept in" if kept_in["writable"] else "compiled again in each process; cannot write"
    lines = [
        f"cpqueens {facts['cpqueens']} on Python {facts['python']} ({facts['executable']})",
        f"{facts['platform']}, {facts['processors']} processor(s) to use",
        f"compiled kernels: {kept} {kept_in['folder']}",
        *(f"on this system: {limit}" for limit in facts["limits"]),
        "",
        "Libraries",
        *(_library(library) for library in libraries),
        "",
        "Solvers",
    ]
    for backend in _backends():
        refused = f", refuses {backend['refuses']}" if backend["refuses"] else ""
        lines.append(f"  {backend['name']:<20}{backend['command'] or f'ready{refused}'}")
    return lines


def _library(library: Library) -> str:
    kind = "" if library.required else " (optional)"
    if library.version is None and library.excluded:
        return f"  {library.name:<20}missing: {library.excluded}"
    if library.version is None:
        return f"  {library.name:<20}missing{kind}: {library.command}"
    old = "" if library.is_fit else f" is too old, {library.needed} is needed: {library.command}"
    return f"  {library.name:<20}{library.version}{kind}{old}"
