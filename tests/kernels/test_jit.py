"""Kernels of processes that start at once: one compiles, the others load."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
from holding import held_elsewhere

from cpqueens.kernels import jit

KERNEL = """
from cpqueens.kernels.jit import kernel

@kernel
def ask(x):
    return x + 1
"""


def kernel_of(path: Path) -> Any:
    """Return the kernel of a file, as each process that starts has one."""
    spec = importlib.util.spec_from_file_location("shared", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ask


@pytest.mark.skipif(not jit.is_compiled() or sys.platform == "win32", reason="nothing to wait for")
def test_what_another_process_compiles_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shared.py").write_text(KERNEL)
    mine, others = kernel_of(tmp_path / "shared.py"), kernel_of(tmp_path / "shared.py")
    lock = Path(mine._cache._cache_file._index_path).with_suffix(".lock")
    with held_elsewhere(lock) as other:

        def finish(seconds: float) -> None:
            other.kill()
            other.wait()
            assert others(1) == 2

        monkeypatch.setattr(jit._announcer, "on_wait", finish)
        assert mine(1) == 2
    assert [sum(kernel.stats.cache_misses.values()) for kernel in (mine, others)] == [0, 1]
    assert sum(mine.stats.cache_hits.values()) == 1
