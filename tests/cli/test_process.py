"""What only a process of its own shows: signals, closed pipes, encodings and the import budget."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

HEAVY = ("ortools", "numba", "scipy", "matplotlib", "pandas", "rich", "constraint")
COMMAND = [sys.executable, "-m", "cpqueens"]


def start(*args: str, **more: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*COMMAND, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,  # type: ignore[call-overload]
    )


def start_counting(folder: Path, **more: object) -> "subprocess.Popen[str]":
    """Start a count that takes minutes, and return once its model is being built."""
    marker = folder / "begun"
    (folder / "slow.py").write_text(
        "from pathlib import Path\nfrom cpqueens import Model\nfrom cpqueens.problems import catalog\n"
        "def slow(n: int = 16) -> Model:\n"
        f"    Path({str(marker)!r}).touch()\n"
        "    return catalog.find('queens').instance(n=n).model\n"
    )
    process = start("count", f"{folder / 'slow.py'}:slow", "--solver", "cpsat", **more)
    deadline = time.monotonic() + 600
    while not marker.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(1.5)
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_prints_what_was_counted(number: signal.Signals, tmp_path: Path) -> None:
    process = start_counting(tmp_path)
    process.send_signal(number)
    output, errors = process.communicate(timeout=600)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert "interrupted" in output + errors


def test_sigterm_is_heard_where_ctrl_c_is_ignored(tmp_path: Path) -> None:
    process = start_counting(tmp_path, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    process.terminate()
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 130, errors


def test_an_interrupted_file_holds_whole_solutions(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    process = start("enumerate", "queens", "n=16", "--solver", "cpsat", "--out", str(path))
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline and not any(p.stat().st_size > 1000 for p in tmp_path.iterdir()):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=600)
    assert process.returncode == 130, errors
    array = np.load(path)
    assert array.shape[1] == 16
    assert len(array) > 0
    assert f"solutions  {len(array):,}" in output
    assert [p.name for p in tmp_path.iterdir()] == ["x.npy"]


def test_a_closed_pipe_is_quiet() -> None:
    with start("enumerate", "queens", "n=12", "--solver", "cpsat", "--format", "list") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("[")
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=600) == 0


def test_a_terminal_without_unicode_gets_ascii() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    process = start("solve", "queens", "n=6", "--solver", "cpsat", env=environment)
    output, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    assert output.splitlines()[0].count("Q") == 1
    assert output.isascii()


@pytest.mark.parametrize(
    "code",
    [
        "import cpqueens",
        "from cpqueens.cli.main import main; main(['--help'])",
        "from cpqueens.cli.main import main; main(['list'])",
    ],
)
def test_import_budget(code: str) -> None:
    program = (
        f"import sys\ntry:\n    {code}\nexcept SystemExit as left:\n    assert left.code == 0\n"
        f"print('LOADED', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "LOADED []"


def test_help_imports_no_verb() -> None:
    program = (
        "import sys\nfrom cpqueens.cli.main import VERBS, main, module_of\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([verb for verb in VERBS if module_of(verb) in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def on_terminal(*args: str) -> str:
    """Return what a process shows on a terminal that is its standard output and error."""
    import pty

    ours, theirs = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm-256color"}
    with subprocess.Popen([*COMMAND, *args], stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other side is closed
                break
            shown += part
        process.wait(timeout=600)
    os.close(ours)
    return shown.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
def test_a_terminal_gets_colours_and_progress() -> None:
    shown = on_terminal("solve", "queens", "n=6", "--solver", "cpsat")
    assert shown.count("♛") == 6
    assert "\x1b[38;5;16;48;5;223m" in shown
    slow = on_terminal("count", "queens", "n=16", "--solver", "cpsat", "--time-limit", "1.5")
    assert "queens(n=16)" in slow.partition("problem")[0]
    assert "time_limit" in slow
