from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cpqueens.kernels import sources

KERNELS = Path(sources.__file__).parent


def test_a_stamp_reaches_everything_imported() -> None:
    names = {name for name, _, _ in sources.source_stamp(KERNELS / "forward.py")}
    assert {"forward.py", "domains.py", "propagators.py", "random.py", "jit.py", "sources.py"} <= names
    assert "bitmask.py" not in names


@pytest.mark.parametrize(
    "line",
    [
        "from cpqueens.kernels.value import one",
        "from cpqueens.kernels.value import (\n    one,\n)",
        "from cpqueens.kernels import value",
        "from cpqueens.kernels import value as v",
        "from cpqueens.kernels import jit, value",
        "from cpqueens.kernels import (\n    jit,\n    value,\n)",
    ],
)
def test_every_way_of_importing_is_seen(tmp_path: Path, line: str) -> None:
    (tmp_path / "user.py").write_text(f"import math\n{line}\nprint(math.pi)\n")
    (tmp_path / "value.py").write_text("one = 1\n")
    names = {name for name, _, _ in sources.source_stamp(tmp_path / "user.py")}
    assert names == {"user.py", "value.py"}


def test_unreadable_files_count_as_absent() -> None:
    assert sources.source_stamp(KERNELS / "nothing.py") == ()


def test_a_change_of_an_imported_file_is_noticed(tmp_path: Path) -> None:
    """The value in one file, the kernel in another: a cached kernel must not outlive the value."""
    package = tmp_path / "cpqueens" / "kernels"
    package.mkdir(parents=True)
    (package.parent / "system").mkdir()
    for folder in (package, package.parent, package.parent / "system"):
        (folder / "__init__.py").write_text("")
    for name in ("kernels/jit.py", "kernels/sources.py", "system/turns.py"):
        (package.parent / name).write_text((KERNELS.parent / name).read_text())
    (package / "user.py").write_text(
        "from cpqueens.kernels.jit import kernel\n"
        "from cpqueens.kernels.value import value\n\n"
        "@kernel\ndef ask() -> int:\n    return value()\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"} | {
        "PYTHONPATH": str(tmp_path)
    }
    program = "from cpqueens.kernels.user import ask; print(ask(), *ask.stats.cache_hits)"
    said = []
    for number in (1, 1, 234):
        text = "from cpqueens.kernels.jit import inner_kernel\n\n@inner_kernel\ndef value():\n"
        text += f"    return {number}\n"
        if not said or str(number) not in said[-1]:
            (package / "value.py").write_text(text)
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
            cwd=tmp_path,
        )
        said.append(done.stdout.split())
    assert [words[0] for words in said] == ["1", "1", "234"]
    assert [len(words) - 1 for words in said] == [0, 1, 0]  # only the unchanged one came from the cache
