"""Where the site is built is not for its readers: on its pages, places of the machine are shortened."""

import re
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import cpqueens.models

import cpqueens

ROOT = Path(__file__).parent.parent.parent
CELL = "cell.py"
"""What the file of a cell is called, which a kernel has in a folder of its own."""
NUMBERED = re.compile(r"\b\d{5,}\.py(?=:\d)")
"""Its name alone, as messages have it."""


def connect(app: Any) -> None:
    """Have what ran shortened as soon as it is part of a page."""
    app.connect("doctree-read", _shorten, priority=900)  # after the outputs of commands


def shortened(text: str) -> str:
    """Return a text in which files of this machine are named from the repository, or by their last folder."""
    for place, instead in _places():
        text = place.sub(instead, text)
    return text


def shown(text: str) -> list[str]:
    """Return the places of this machine that a text shows."""
    return [found[0] for place, _ in _places() for found in place.finditer(text)]


@cache
def _places() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return patterns, the longest places first, each with what stands there instead."""
    packages = [Path(folder).parent for p in (cpqueens, cpqueens.models) for folder in p.__path__]
    folders = {str(place): "" for folder in (ROOT, *packages) for place in (folder, folder.resolve())}
    folders.pop("/", None)
    if sys.prefix != sys.base_prefix:
        folders |= {str(place): "venv/" for place in (Path(sys.prefix), Path(sys.prefix).resolve())}
    temporary = {str(place) for place in (Path(tempfile.gettempdir()), Path(tempfile.gettempdir()).resolve())}
    cells = [(re.compile(rf"{re.escape(t)}/ipykernel_\d+/\d+\.py"), CELL) for t in sorted(temporary)]
    longest = sorted(folders, key=len, reverse=True)
    return (
        *cells,
        (NUMBERED, CELL),
        *((re.compile(rf"(?<![\w.-]){re.escape(f)}/"), folders[f]) for f in longest),
    )


def _shorten(app: Any, document: Any) -> None:
    from docutils import nodes  # tests look at pages without it

    for text in list(document.findall(nodes.Text)):
        short = shortened(str(text))
        if short != str(text):
            block = text.parent
            block.replace(text, nodes.Text(short))
            if isinstance(block, nodes.literal_block):
                block.rawsource = block.astext()  # else it is not coloured
