"""Pages made from registries and from files of measured figures, before Sphinx looks which pages there are.

What a registry knows is written nowhere else, so that no page says what is no longer so. Each module has
``pages``, which returns texts by their path within ``docs/generated``.
"""

import shutil
from pathlib import Path

from generating import (
    benchmarks,
    command_line,
    constraints,
    downloads,
    gallery,
    names,
    pictures,
    recipes,
    reference,
    returned,
    solvers,
    summary,
    tested,
    texts,
)


def write_all(folder: Path) -> None:
    """Write all generated pages afresh."""
    shutil.rmtree(folder, ignore_errors=True)
    print("pages made from registries and measured figures...", flush=True)
    for name, text in {
        **constraints.pages(),
        **downloads.pages(folder),
        **solvers.pages(folder),
        **gallery.pages(folder),
        **command_line.pages(),
        **names.pages(),
        **pictures.pages(),
        **recipes.pages(),
        **reference.pages(),
        **returned.pages(),
        **texts.pages(),
        **benchmarks.pages(),
        **summary.pages(),
        **tested.pages(),
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
