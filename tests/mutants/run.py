"""``make mutants``: plants each fault of the list, runs the nearest tests and 300 fuzzed models, keeps score.

A mutant is killed by a failing test or a disagreement. One that survives, one that no longer applies, an
equivalent one that was killed after all, and a time-out that was not foreseen all fail the run; so does a test
that fails without any mutant, for then nothing was shown.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from areas import AREAS  # noqa: E402
from mutant import ROOT, Area, DoesNotApply, Mutant, apply  # noqa: E402

LIMIT = 600.0
"""Seconds for the tests, and again for the fuzzed models, of one mutant."""

PYTEST_FAILED = (1, 2)  # a test failed; a module could not even be imported
FINE = ("tests", "fuzz", "time", "equivalent")


@dataclass(frozen=True)
class Verdict:
    """What became of one mutant: ``tests``, ``fuzz`` or ``time`` killed it, or another word says what is wrong."""

    area: str
    mutant: Mutant
    end: str
    detail: str
    seconds: float


def judge(area: Area, mutant: Mutant) -> Verdict:
    """Plant one mutant and see who notices."""
    started = time.monotonic()
    try:
        mutated = apply(mutant)
    except DoesNotApply as error:
        return Verdict(area.name, mutant, "does not apply", str(error), 0.0)
    with tempfile.TemporaryDirectory(prefix="cpqueens-mutant-") as folder:
        file = Path(folder) / "mutant.py"
        file.write_text(mutated.source, encoding="utf-8")
        end, detail = _noticed(area, mutant.tests or area.tests, f"{mutated.module}={file}")
    if mutant.equivalent:
        end = {"survived": "equivalent"}.get(end, "not equivalent")
    elif end == "time" and not mutant.hangs:
        end = "time-out"
    return Verdict(area.name, mutant, end, detail, time.monotonic() - started)


def _noticed(area: Area, tests: Sequence[str], planted: str) -> tuple[str, str]:
    """Return who noticed, and what: ``tests``, ``fuzz``, ``time``, or ``survived``."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "CPQUEENS_MUTANT": planted}
    environment["PYTHONPATH"] = str(HERE / "hook")
    if area.plain:
        environment["NUMBA_DISABLE_JIT"] = "1"
    pytest = ["-m", "pytest", "-x", "-q", "-m", "not slow", "-p", "no:cacheprovider", *tests]
    for end, command in (("tests", pytest), ("fuzz", [str(HERE / "fuzzed.py"), area.solvers])):
        try:
            done = subprocess.run(
                [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True,
                timeout=LIMIT,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return "time", f"{end}: no end after {LIMIT:.0f} s"
        if done.returncode:
            if end == "tests" and done.returncode not in PYTEST_FAILED:
                return "no tests", _last(done.stdout + done.stderr)
            return end, _last(done.stdout if end == "tests" else done.stdout or done.stderr)
    return "survived", ""


def _last(text: str) -> str:
    """Return the line that says what failed."""
    lines = [line for line in text.splitlines() if line.startswith(("FAILED", "ERROR", "model "))]
    return (lines or text.strip().splitlines() or [""])[-1][:160]


def control(areas: Iterable[Area]) -> list[str]:
    """Run all that is to notice mutants without one; return what fails all the same."""
    found = []
    for area in areas:
        every = sorted({t for m in area.mutants for t in m.tests} | set(area.tests))
        end, detail = _noticed(area, every, "")
        if end != "survived":
            found.append(f"{area.name}: {end} without any mutant: {detail}")
    return found


def table(verdicts: Sequence[Verdict]) -> str:
    """Return the score of each area."""
    head = f"{'area':20}{'mutants':>8}{'tests':>7}{'fuzz':>6}{'time':>6}{'equiv.':>8}{'alive':>7}{'score':>8}"
    lines = [head]
    for name in [*dict.fromkeys(v.area for v in verdicts), "all"]:
        mine = [v for v in verdicts if name in (v.area, "all")]
        ends = [v.end for v in mine]
        killed = sum(ends.count(end) for end in FINE[:3])
        counted = len(mine) - ends.count("equivalent")
        columns = f"{len(mine):8}{ends.count('tests'):7}{ends.count('fuzz'):6}{ends.count('time'):6}"
        columns += f"{ends.count('equivalent'):8}{counted - killed:7}"
        lines.append(f"{name:20}{columns}{100 * killed / max(1, counted):7.1f}%")
    return "\n".join(lines)


def main() -> int:
    """Run the chosen mutants; 0 if every one is killed or equivalent."""
    options = _options()
    chosen = [a for a in AREAS if options.only in (None, a.name)]
    pairs = [(a, m) for a in chosen for m in a.mutants if (options.select or "") in m.name]
    if not pairs:
        print("no mutant has this name", file=sys.stderr)
        return 2
    wrong = [] if options.no_control else control(chosen)
    verdicts = []
    with ThreadPoolExecutor(options.processes) as pool:
        for verdict in pool.map(lambda pair: judge(*pair), [] if wrong else pairs):
            verdicts.append(verdict)
            v = verdict
            print(f"{v.end:15}{v.seconds:6.1f} s  {v.area}: {v.mutant.name}  [{v.detail}]", flush=True)
    print("\n".join(wrong) if wrong else table(verdicts))
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{(spent.ru_utime + spent.ru_stime) / 60:.1f} minutes of processor time")
    return int(bool(wrong) or any(v.end not in FINE for v in verdicts))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", choices=[a.name for a in AREAS], help="one area")
    parser.add_argument("--select", metavar="TEXT", help="mutants whose name has this text")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--no-control", action="store_true", help="do not run the tests without a mutant first")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
