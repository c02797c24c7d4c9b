"""The stamp under which machine code is kept knows every file that it is made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpqueens import kernels
from cpqueens.kernels.jit import cache

KERNELS = Path(kernels.__file__).parent


def test_a_stamp_reaches_everything_imported() -> None:
    names = set(cache.sources(KERNELS / "exact/forward.py"))
    assert {
        "exact/forward.py",
        "exact/domains.py",
        "exact/propagation.py",
        "jit/random.py",
        "jit/instructions_code.py",
    } <= names
    assert {"jit/compiler.py", "jit/compiling.py", "jit/wrapping.py"} <= names
    assert not {"boards/bitmask.py", "jit/decorators.py", "jit/tiers.py"} & names


def test_files_of_one_name_in_two_rooms_are_two() -> None:
    names = set(cache.sources(KERNELS / "local/walk.py"))
    assert {"local/rows.py", "local/apply.py"} <= names
    assert "exact/propagators/rows.py" not in names


@pytest.mark.parametrize(
    "line",
    [
        "from cpqueens.kernels.room.value import one",
        "from cpqueens.kernels.room.value import (\n    one,\n)",
        "from cpqueens.kernels.room import value",
        "from cpqueens.kernels.room import value as v",
        "from cpqueens.kernels.room import other, value",
        "from cpqueens.kernels.room import (\n    other,\n    value,\n)",
    ],
)
def test_every_way_of_importing_is_seen(tmp_path: Path, line: str) -> None:
    (tmp_path / "user.py").write_text(f"import math\n{line}\nprint(math.pi)\n")
    (tmp_path / "room").mkdir()
    (tmp_path / "room/value.py").write_text("one = 1\n")
    assert set(cache.sources(tmp_path / "user.py", tmp_path)) == {"user.py", "room/value.py"}


def test_unreadable_files_count_as_absent(tmp_path: Path) -> None:
    assert cache.sources(tmp_path / "nothing.py", tmp_path) == {}


def test_a_change_of_an_imported_file_is_noticed(tmp_path: Path) -> None:
    """The value in one file, the kernel in another: machine code must not outlive the value."""
    (tmp_path / "user.py").write_text("from cpqueens.kernels.room.value import one\n")
    (tmp_path / "room").mkdir()
    stamps = []
    for number in (1, 1, 234):
        (tmp_path / "room/value.py").write_text(f"one = {number}\n")
        stamps.append(cache.source_stamp(tmp_path / "user.py", tmp_path))
        cache.source_stamp.cache_clear()
    assert stamps[0] == stamps[1] != stamps[2]
