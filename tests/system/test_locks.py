"""Processes that take turns, and what happens to those that wait in vain."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from holding import held_elsewhere

from cpqueens.system import children

posix = pytest.mark.skipif(sys.platform == "win32", reason="no locks of this kind")


@posix
def test_who_is_killed_has_had_its_turn(tmp_path: Path) -> None:
    waited: list[float] = []

    with held_elsewhere(tmp_path / "lock") as child:

        def end(seconds: float) -> None:
            waited.append(seconds)
            child.kill()
            child.wait()

        with children.turn(tmp_path / "lock", 60.0, end):
            assert child.returncode is not None
        assert (tmp_path / "lock").read_text() == str(os.getpid())
    assert waited


@posix
def test_nobody_waits_for_ever(tmp_path: Path) -> None:
    waited: list[float] = []
    with held_elsewhere(tmp_path / "lock") as child, children.turn(tmp_path / "lock", 0.1, waited.append):
        assert child.poll() is None
    assert waited


@posix
def test_the_one_who_has_the_turn_is_given_processor_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[float, int]] = []

    class Impatience:
        def __init__(self, seconds: float, pid: int) -> None:
            self.asked = (seconds, pid)

        def is_over(self) -> bool:
            asked.append(self.asked)
            return len(asked) > 2

    monkeypatch.setattr(children, "Patience", Impatience)
    with held_elsewhere(tmp_path / "lock") as child:
        with children.turn(tmp_path / "lock", 60.0, lambda seconds: None):
            assert child.poll() is None
        assert asked == [(60.0, child.pid)] * 3


@posix
def test_one_who_has_no_name_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    with held_elsewhere(tmp_path / "lock"):
        (tmp_path / "lock").write_bytes(b"")
        with children.turn(tmp_path / "lock", 0.1, lambda seconds: None):
            assert (tmp_path / "lock").read_bytes() == b""


@posix
def test_other_files_are_other_turns(tmp_path: Path) -> None:
    waited: list[float] = []
    with held_elsewhere(tmp_path / "lock"), children.turn(tmp_path / "another", 60.0, waited.append):
        pass
    with children.turn(tmp_path / "lock", 60.0, waited.append):
        pass
    assert waited == []


@pytest.mark.parametrize("lacking", ["folder", "fcntl"])
def test_without_a_lock_nobody_waits(lacking: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "absent" / "lock"
    if lacking == "fcntl":
        monkeypatch.setitem(sys.modules, "fcntl", None)
        path = tmp_path / "lock"
    with children.turn(path, 60.0, lambda seconds: None):
        ran = True
    assert ran


def test_what_the_block_raises_is_raised(tmp_path: Path) -> None:
    for error in (OSError, ImportError):
        with pytest.raises(error), children.turn(tmp_path / "lock", 60.0, lambda seconds: None):
            raise error
