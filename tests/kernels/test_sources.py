"""The stamp under which machine code is kept knows every file that it is made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpqueens.kernels import sources

KERNELS = Path(sources.__file__).parent


def test_a_stamp_reaches_everything_imported() -> None:
    names = set(sources.sources(KERNELS / "forward.py"))
    assert {
        "forward.py",
        "domains.py",
        "propagators.py",
        "random.py",
        "entries_code.py",
        "bits_code.py",
    } <= names
    assert {"compiler.py", "compiling.py", "wrapping.py"} <= names
    assert not {"bitmask.py", "jit.py", "tiers.py"} & names


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
    assert set(sources.sources(tmp_path / "user.py", tmp_path)) == {"user.py", "value.py"}


def test_unreadable_files_count_as_absent(tmp_path: Path) -> None:
    assert sources.sources(tmp_path / "nothing.py", tmp_path) == {}


def test_a_change_of_an_imported_file_is_noticed(tmp_path: Path) -> None:
    """The value in one file, the kernel in another: machine code must not outlive the value."""
    (tmp_path / "user.py").write_text("from cpqueens.kernels.value import one\n")
    stamps = []
    for number in (1, 1, 234):
        (tmp_path / "value.py").write_text(f"one = {number}\n")
        stamps.append(sources.source_stamp(tmp_path / "user.py", tmp_path))
        sources.source_stamp.cache_clear()
    assert stamps[0] == stamps[1] != stamps[2]
