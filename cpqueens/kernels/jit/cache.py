"""Where machine code is kept between runs, and under which names.

A name holds all that the code depends on: the text of the kernels, the versions of Numba and llvmlite, the
processor and the types of the arguments. So nothing in the folder is ever wrong, and files of several
installations and processors may lie side by side.
"""

import atexit
import contextlib
import hashlib
import os
import re
import shutil
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from cpqueens.system.platforms import ensure_room

_SAID = re.compile(r"""version"?\s*[:=]\s*["'](\d[^"']*)["']""")
_DIGEST = hashlib.sha256().digest_size


def folders() -> list[Path]:
    """Return the folders to choose from: the one asked for, or that beside the source and the user's."""
    asked = os.environ.get("NUMBA_CACHE_DIR")
    if asked:
        return [Path(asked)]
    own = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache"
    return [KERNELS / "__pycache__", Path(own).expanduser() / "cpqueens"]


def is_writable(folder: Path) -> bool:
    """Say whether files can be made in a folder, or the folder itself where it is missing."""
    nearest = next((p for p in (folder, *folder.parents) if p.exists()), None)
    return nearest is not None and nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


@cache
def folder() -> Path:
    """Return the folder that is used, if no other can be written one that this process removes at its end.

    Raises
    ------
    OSError
        If not even that can be made.
    """
    for place in folders():
        if is_writable(place):
            place.mkdir(parents=True, exist_ok=True)
            return place
    place = Path(tempfile.mkdtemp(prefix="cpqueens-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


def code_file(entry: str, file: str, signature: str) -> Path:
    """Return the file that holds, or will hold, the machine code of an entry for arguments of some types.

    ``file`` is where ``entry`` (``module:function``) is written.
    """
    key = hashlib.sha256(f"{_machine()} {source_stamp(Path(file))} {signature}".encode()).hexdigest()[:20]
    return folder() / f"{entry.rpartition('.')[2].replace(':', '.')}-{key}.kernel"


def keep(file: Path, content: bytes) -> None:
    """Write a file of the cache, which others may read at any moment."""
    new = file.with_suffix(f".{os.getpid()}")
    new.write_bytes(hashlib.sha256(content).digest() + content)
    new.replace(file)


def kept(file: Path) -> bytes | None:
    """Return what was written into a file; None if there is none, or a damaged one, which is removed.

    Damaged machine code, say after a full disk, would not raise anything but end the process.
    """
    try:
        content = file.read_bytes()
        if hashlib.sha256(content[_DIGEST:]).digest() == content[:_DIGEST]:
            return content[_DIGEST:]
        file.unlink()
    except OSError:
        pass
    return None


@cache
def _machine() -> str:
    """Return the versions of what compiles, and the processor."""
    ensure_room("llvmlite")
    import llvmlite.binding as llvm  # type: ignore[import-untyped]

    machine = (llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    return repr((_version("numba"), _version("llvmlite"), *machine))


def _version(package: str) -> str:
    """Return which version of a package is installed, by the file in which it says so.

    `importlib.metadata` takes as long to import as llvmlite: it is asked where the file does not tell.
    """
    spec = find_spec(package)
    for place in (spec.submodule_search_locations or []) if spec is not None else []:
        with contextlib.suppress(OSError):
            said = _SAID.search((Path(place) / "_version.py").read_text(encoding="utf-8"))
            if said is not None:
                return said[1]
    from importlib.metadata import version

    return version(package)


# ---- of which files machine code is made -----------------------------------------------------------------


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
