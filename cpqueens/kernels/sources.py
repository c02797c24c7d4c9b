"""Which files an entry's machine code is made of: its own, all kernels that it imports, the compiler's."""

import hashlib
import re
from functools import cache
from pathlib import Path

KERNELS = Path(__file__).parent
_IMPORT = re.compile(
    r"^from cpqueens\.kernels(?:\.(?P<of>\w+) import| import (?:\((?P<many>[^)]*)\)|(?P<few>[^(\n]+)))",
    re.MULTILINE,
)
_NAME = re.compile(r"(\w+)(?: as \w+)?")
_COMPILER = ("compiler", "compiling", "wrapping")
_NOT = {"jit", "pace"}  # what `compiling` stands in for, and what only drivers use


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
    """Return the contents of those files by their names; the kernels lie in a folder of their own."""
    found: dict[str, bytes] = {}
    waiting = [path, *(kernels / f"{name}.py" for name in _COMPILER)]
    while waiting:
        file = waiting.pop()
        if file.name in found or file.stem in _NOT:
            continue
        try:
            found[file.name] = file.read_bytes()
        except OSError:
            continue
        waiting.append(file.with_name(f"{file.stem}_code.py"))
        waiting += [
            kernels / f"{name}.py"
            for imported in _IMPORT.finditer(found[file.name].decode())
            for name in _NAME.findall(imported["of"] or imported["many"] or imported["few"])
        ]
    return found
