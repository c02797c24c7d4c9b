"""Processes that take turns, and what happens to those that wait in vain."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from holding import held_elsewhere

from cpqueens.system import turns

posix = pytest.mark.skipif(sys.platform == "win32", reason="no locks of this kind")


@posix
def test_who_is_killed_has_had_its_turn(tmp_path: Path) -> None:
    waited: list[float] = []

    with held_elsewhere(tmp_path / "lock") as child:

        def end(seconds: float) -> None:
            waited.append(seconds)
            child.kill()
            child.wait()

        with turns.turn(tmp_path / "lock", 60.0, end):
            assert child.returncode is not None
    assert waited
    assert (tmp_path / "lock").read_bytes() == b""


@posix
def test_nobody_waits_for_ever(tmp_path: Path) -> None:
    waited: list[float] = []
    with held_elsewhere(tmp_path / "lock") as child, turns.turn(tmp_path / "lock", 0.1, waited.append):
        assert child.poll() is None
    assert waited


@posix
def test_other_files_are_other_turns(tmp_path: Path) -> None:
    waited: list[float] = []
    with held_elsewhere(tmp_path / "lock"), turns.turn(tmp_path / "another", 60.0, waited.append):
        pass
    with turns.turn(tmp_path / "lock", 60.0, waited.append):
        pass
    assert waited == []


@pytest.mark.parametrize("lacking", ["folder", "fcntl"])
def test_without_a_lock_nobody_waits(lacking: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "absent" / "lock"
    if lacking == "fcntl":
        monkeypatch.setitem(sys.modules, "fcntl", None)
        path = tmp_path / "lock"
    with turns.turn(path, 60.0, lambda seconds: None):
        ran = True
    assert ran


def test_what_the_block_raises_is_raised(tmp_path: Path) -> None:
    for error in (OSError, ImportError):
        with pytest.raises(error), turns.turn(tmp_path / "lock", 60.0, lambda seconds: None):
            raise error
