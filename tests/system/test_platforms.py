"""Systems that lack something, simulated: a call is taken away, and what is said and done then is checked.

Under a limit of memory that is too small for a library, one line is said, and always comes an end.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import threading

import pytest
from click.testing import CliRunner
from each import each

from cpqueens import AllDifferent, Model, cross_check
from cpqueens.cli import doctor
from cpqueens.crosscheck.external import External
from cpqueens.errors import UnsupportedRequest
from cpqueens.system import platforms


@pytest.fixture
def like_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """No `resource`, no process groups, no SIGHUP, no affinity, another name."""
    monkeypatch.setitem(sys.modules, "resource", None)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(os, "killpg")
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.delattr(signal, "SIGHUP")
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)  # it asks Windows itself, from Python 3.12 on


@pytest.fixture
def like_macos(monkeypatch: pytest.MonkeyPatch) -> None:
    """`resource` without `prlimit`, no affinity, another name."""
    import resource

    monkeypatch.delattr(resource, "prlimit", raising=False)
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)


def permutations() -> Model:
    m = Model("permutations")
    m += AllDifferent(m.intvar(0, 2, shape=3, name="x"))
    return m


@pytest.mark.skipif(sys.platform != "linux", reason="Linux is the system that lacks nothing")
def test_linux_lacks_nothing() -> None:
    assert platforms.limits() == []


@pytest.mark.usefixtures("like_windows")
def test_windows_lacks_all_of_it() -> None:
    assert platforms.limits() == [consequence for _, consequence in platforms._LACKS]


@pytest.mark.usefixtures("like_macos")
def test_macos_lacks_what_it_lacks() -> None:
    text = "\n".join(platforms.limits())
    assert "--external" not in text
    assert "memory of isolated solvers" in text
    assert "killed outright" in text


@pytest.mark.usefixtures("like_windows")
def test_doctor_says_what_is_lacking() -> None:
    result = CliRunner().invoke(doctor.command, standalone_mode=False)
    assert result.return_value == 0
    assert "on this system: external heuristics (--external) are refused" in result.output
    assert f"{os.cpu_count()} processor(s) to use" in result.output


@pytest.mark.usefixtures("like_windows")
def test_external_heuristics_are_refused_at_once() -> None:
    with pytest.raises(UnsupportedRequest, match="not on Windows"):
        External([sys.executable, "-c", "pass"])


@pytest.mark.usefixtures("like_macos")
def test_external_heuristics_run_without_a_memory_limit() -> None:
    answer = 'print(\'{"assignment": {"x": [2, 0, 1]}}\')'
    attempt = External([sys.executable, "-c", answer]).attempt(permutations(), 0, 20.0)
    assert attempt.assignment == {"x": [2, 0, 1]}


@pytest.mark.usefixtures("like_windows")
def test_solving_and_comparing_need_none_of_it() -> None:
    m = permutations()
    assert m.count(solver="backtracking") == 6
    assert [s[m["x"]].tolist() for s in m.solutions(solver="backtracking", solution_limit=1)] == [[0, 1, 2]]
    assert cross_check(m, solvers=["backtracking", "local-search"]).exit_code == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux knows priorities of threads")
def test_a_thread_gives_way_alone() -> None:
    before, found = os.getpriority(os.PRIO_PROCESS, 0), list[int]()

    def work() -> None:
        platforms.give_way()
        found.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [min(19, before + 14)]
    assert os.getpriority(os.PRIO_PROCESS, 0) == before


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
    from cpqueens.crosscheck.participants import Isolated
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
