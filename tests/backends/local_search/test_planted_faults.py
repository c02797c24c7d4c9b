"""The audit catches planted faults: each changes one line of a kernel, in plain Python mode."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.slow
def test_every_planted_fault_is_caught() -> None:
    done = subprocess.run(
        [sys.executable, str(HERE / "planted_faults.py")],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    caught = json.loads(done.stdout)
    assert caught.pop("clean") == "", "the control run without a fault"
    assert len(caught) >= 20
    assert [name for name, message in caught.items() if not message] == []
