"""Which source files a kernel is made of: its own and all that it imports from this package."""

import re
from functools import cache
from pathlib import Path

_IMPORT = re.compile(
    r"^from cpqueens\.kernels(?:\.(?P<of>\w+) import| import (?:\((?P<many>[^)]*)\)|(?P<few>[^(\n]+)))",
    re.MULTILINE,
)
_NAME = re.compile(r"(\w+)(?: as \w+)?")


@cache
def source_stamp(path: Path) -> tuple[tuple[str, int, int], ...]:
    """Return name, time of change (ns) and size of ``path`` and of every kernel file that it reaches.

    A file that cannot be read (a zipped installation never changes in place) counts as absent.
    """
    found: dict[str, tuple[int, int]] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file.name in found:
            continue
        try:
            status, text = file.stat(), file.read_text(encoding="utf-8")
        except OSError:
            continue
        found[file.name] = (status.st_mtime_ns, status.st_size)
        waiting += [
            file.with_name(f"{name}.py")
            for imported in _IMPORT.finditer(text)
            for name in _NAME.findall(imported["of"] or imported["many"] or imported["few"])
        ]
    return tuple((name, *found[name]) for name in sorted(found))
