"""Under a limit of memory that is too small for a library, one line is said, and always comes an end."""

from __future__ import annotations

import errno
import subprocess
import sys

import pytest
from each import each

from cpqueens.system import platforms

resource = pytest.importorskip("resource", reason="there are no such limits on Windows")
linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit is not kept")


def under(mebibytes: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    size = mebibytes * 2**20
    return subprocess.run(
        [sys.executable, "-m", "cpqueens", *arguments],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@linux
@each("mebibytes", [60, 150, 260, 320, 380, 400, 420])
def test_too_little_for_the_kernels_is_one_line(mebibytes: int) -> None:
    """OpenBLAS would ask for memory for ever, deaf to signals."""
    done = under(mebibytes, "solve", "queens", "n=4", "--solver", "las-vegas")
    assert done.returncode == 32, done.stderr
    assert done.stderr.startswith("cpqueens: out of memory")
    assert len(done.stderr.splitlines()) == 1


@linux
@pytest.mark.parametrize("solver", ["las-vegas", "cpsat"])
def test_enough_is_enough(solver: str) -> None:
    done = under(1200, "solve", "queens", "n=4", "--solver", solver)
    assert done.returncode == 0, done.stderr


@linux
def test_an_isolated_backend_without_memory_is_a_line_of_the_report() -> None:
    from cpqueens import cross_check
    from cpqueens.crosscheck.backend_participant import Isolated
    from cpqueens.fuzzing.testing import queens

    starved = Isolated("las-vegas", memory=250 * 2**20)
    report = cross_check(queens(4), [starved], time_limit=600)
    assert [(str(d.code), d.accused) for d in report.disagreements] == [("OUT_OF_MEMORY", "las-vegas")]


@pytest.mark.parametrize(
    ("error", "short"),
    [
        (MemoryError(), True),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), True),
        (RuntimeError("can't start new thread"), True),
        (ImportError("x.so: failed to map segment from shared object"), True),
        (OSError(errno.ENOSPC, "No space left on device"), False),
        (ValueError("memory"), False),
    ],
)
def test_what_counts_as_a_shortage(error: BaseException, short: bool) -> None:
    assert platforms.is_shortage(error) is short
