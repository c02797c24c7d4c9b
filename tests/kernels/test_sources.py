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


def package_with_a_cache(folder: Path) -> tuple[Path, dict[str, str]]:
    """Return a folder for kernels of a package that has nothing else, and the environment to import it."""
    package = folder / "cpqueens" / "kernels"
    package.mkdir(parents=True)
    (package.parent / "system").mkdir()
    for empty in (package, package.parent, package.parent / "system"):
        (empty / "__init__.py").write_text("")
    for name in ("kernels/jit.py", "kernels/sources.py", "system/locks.py"):
        (package.parent / name).write_text((KERNELS.parent / name).read_text())
    kept = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    return package, kept | {"PYTHONPATH": str(folder)}


def test_a_change_of_an_imported_file_is_noticed(tmp_path: Path) -> None:
    """The value in one file, the kernel in another: a cached kernel must not outlive the value."""
    package, environment = package_with_a_cache(tmp_path)
    (package / "user.py").write_text(
        "from cpqueens.kernels.jit import kernel\n"
        "from cpqueens.kernels.value import value\n\n"
        "@kernel\ndef ask() -> int:\n    return value()\n"
    )
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


def test_a_cache_that_names_a_class_which_is_gone_is_not_read(tmp_path: Path) -> None:
    """Of an older version, whose kernel had this name and line: Numba reads its index before its stamp."""
    package, environment = package_with_a_cache(tmp_path)
    for name in ("Old", "New"):
        (package / "user.py").write_text(
            "from typing import NamedTuple\nfrom cpqueens.kernels.jit import kernel\n\n"
            f"class {name}(NamedTuple):\n    value: int\n\n"
            "@kernel\ndef ask(s):\n    return s.value\n"
        )
        program = f"from cpqueens.kernels.user import {name}, ask; print(ask({name}(7)))"
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
        assert done.stdout == "7\n", done.stderr
