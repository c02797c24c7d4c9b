"""Which files an entry's machine code is made of: its own, all kernels that it imports, the compiler's."""

import hashlib
import re
from functools import cache
from pathlib import Path

KERNELS = Path(__file__).parents[1]
_IMPORT = re.compile(
    r"^from cpqueens\.kernels\.(?P<of>[\w.]+) import (?:\((?P<many>[^)]*)\)|(?P<few>[^(\n]+))",
    re.MULTILINE,
)
_NAME = re.compile(r"(\w+)(?: as \w+)?")
_COMPILER = ("jit/compiler.py", "jit/compiling.py", "jit/wrapping.py")
_NOT = {"decorators.py", "pace.py"}  # what `compiling` stands in for, and what only drivers use


@cache
def source_stamp(path: Path, kernels: Path = KERNELS) -> str:
    """Return a hash of ``path``, of every kernel file that it reaches and of what compiles them.

    A file that cannot be read (of a zipped installation, which never changes in place) counts as absent.
    """
    text = hashlib.sha256()
    for name, content in sorted(sources(path, kernels).items()):
        text.update(f"{name} {len(content)} ".encode() + content)
    return text.hexdigest()


def sources(path: Path, kernels: Path = KERNELS) -> dict[str, bytes]:
    """Return the contents of those files by their paths below ``kernels``, of others by their names."""
    found: dict[str, bytes] = {}
    waiting = [path, *(kernels / name for name in _COMPILER)]
    while waiting:
        file = waiting.pop()
        name = file.relative_to(kernels).as_posix() if file.is_relative_to(kernels) else file.name
        if name in found or file.name in _NOT:
            continue
        try:
            found[name] = file.read_bytes()
        except OSError:
            continue
        waiting.append(file.with_name(f"{file.stem}_code.py"))
        for imported in _IMPORT.finditer(found[name].decode()):
            waiting += _files(
                kernels.joinpath(*imported["of"].split(".")), imported["many"] or imported["few"]
            )
    return found


def _files(place: Path, names: str) -> list[Path]:
    """Return the files that an import may mean: a module, or the modules of a folder that it names."""
    return [place.with_suffix(".py"), *(place / f"{name}.py" for name in _NAME.findall(names))]
