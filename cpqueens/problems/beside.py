"""The modules beside a user's file, which it may import as a script may those beside it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_HOMES: dict[str, Path] = {}
"""By the name of a module that stands beside a user's file, its folder."""

_ADDED: set[str] = set()


@contextmanager
def beside(path: Path) -> Iterator[None]:
    """Let the modules in the folder of a file be imported: before all others meanwhile, behind them later.

    Later, because functions may import when they are called, and because worker processes take over the path.
    Two folders may have modules of one name: each file gets that of its own.

    Parameters
    ----------
    path
        The file that is about to be run.
    """
    folder = path.resolve().parent
    text = str(folder)
    ours = text in _ADDED or text not in sys.path
    others = [name for name, home in _HOMES.items() if home != folder and name in sys.modules]
    aside = {name: sys.modules.pop(name) for name in others}
    known = set(sys.modules)
    sys.path.insert(0, text)
    try:
        yield
    finally:
        sys.path.remove(text)
        if ours:
            _note(folder, known)
            if text not in sys.path:
                sys.path.append(text)
                _ADDED.add(text)
        for name, module in aside.items():
            sys.modules.setdefault(name, module)


def _note(folder: Path, known: set[str]) -> None:
    """Note which modules that were not known came from a folder."""
    for name in sys.modules.keys() - known:
        top = name.partition(".")[0]
        file = getattr(sys.modules.get(top), "__file__", None)
        if top not in known and file and Path(file) in (folder / f"{top}.py", folder / top / "__init__.py"):
            _HOMES[name] = folder
