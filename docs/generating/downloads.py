"""Pages with code as files to download: a notebook with the text, and a script with the text as comments."""

import json
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path

DOCS = Path(__file__).parent.parent
FOLDERS = ("start", "modelling", "solving", "trust", "coming_from", "teaching")
CELL = re.compile(r"^```\{code-cell\}\n((?:^:.*\n)*)(.*?)^```\n?", re.M | re.S)


def pages(folder: Path) -> dict[str, str]:
    """Write the files of all pages that have code, where the site copies them from; return no page."""
    for page in sources():
        text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
        parts = list(_parts(text.split("---\n", 2)[2]))
        path = folder / "extra" / "downloads" / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".py").write_text(_script(parts), encoding="utf-8")
        path.with_suffix(".ipynb").write_text(_notebook(parts), encoding="utf-8")
    return {}


@cache
def sources() -> list[str]:
    """Return the pages, without their ending, that have code of their own and need no file beside them."""
    found = []
    for folder in FOLDERS:
        for path in sorted((DOCS / folder).glob("*.md")):
            if CELL.search(path.read_text(encoding="utf-8")):
                found.append(f"{folder}/{path.stem}")
    return found


def _parts(text: str) -> Iterator[tuple[bool, str]]:
    """Yield text and code in their order; True for code that readers see."""
    end = 0
    for cell in CELL.finditer(text):
        yield False, _plain(text[end : cell.start()])
        if "remove-input" not in cell[1]:
            yield True, cell[2].rstrip()
        end = cell.end()
    yield False, _plain(text[end:])


def _plain(text: str) -> str:
    """Return text without links within the site, and with files in place of the lines that include them."""
    text = re.sub(r"^```\{index\}.*\n```\n", "", text, flags=re.M)
    text = re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]*\)", r"\1", text)
    text = re.sub(r"\{\w+(?::\w+)?\}`([^`<]*?)\s*(?:<[^`]*>)?`", r"`\1`", text)
    return re.sub(
        r"^```\{(?:literalinclude|command-output)\} (.*?)\n(?:.*\n)*?```", r"(\1)", text, flags=re.M
    ).strip()


def _script(parts: list[tuple[bool, str]]) -> str:
    said = [
        text if is_code else textwrap.indent(text, "# ", lambda line: True).replace("# \n", "#\n")
        for is_code, text in parts
        if text
    ]
    return "\n\n".join(said) + "\n"


def _notebook(parts: list[tuple[bool, str]]) -> str:
    cells = []
    for k, (is_code, text) in enumerate(part for part in parts if part[1]):
        cell = {"id": f"cell{k}", "metadata": {}, "source": text.splitlines(keepends=True)}
        code = {"cell_type": "code", "execution_count": None, "outputs": []}
        cells.append({**cell, **(code if is_code else {"cell_type": "markdown"})})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1)
