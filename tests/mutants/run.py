"""``make mutants``: plants each fault of the list, runs the nearest tests and 300 fuzzed models, keeps score.

A mutant is killed by a failing test, by a disagreement, or by a test that takes far more processor time than
it took before (`timing.FAR`). One that survives, one that no longer applies, an equivalent one that was
killed after all, and one that is late by the clock, though nobody foresaw that it may wait, all fail the run;
so does a test that fails without any mutant, for then nothing was shown.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from areas import AREAS
from mutant import Area, DoesNotApply, Mutant, apply
from planting import Job, Noticed, load_libraries, watch_all
from timing import Seconds, keep_seconds, known_seconds
from warm import watch_warm

KILLED = ("tests", "fuzz", "time")
FINE = (*KILLED, "equivalent")


@dataclass(frozen=True)
class Verdict:
    """What became of one mutant: one of `FINE`, or in another word what is wrong."""

    area: str
    mutant: Mutant
    end: str
    detail: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.end:15}{self.seconds:6.1f} s  {self.area}: {self.mutant.name}  [{self.detail}]"


def judge_all(
    pairs: Sequence[tuple[Area, Mutant]], processes: int, seconds: Seconds, *, fuzz: bool = True
) -> Iterator[Verdict]:
    """Plant each mutant, in place first, and see who notices."""
    jobs: dict[int, Job] = {}
    with tempfile.TemporaryDirectory(prefix="cpqueens-mutants-") as folder:
        for number, (area, mutant) in enumerate(pairs):
            try:
                mutated = apply(mutant)
            except DoesNotApply as error:
                yield Verdict(area.name, mutant, "does not apply", str(error), 0.0)
                continue
            file = Path(folder) / f"{number}.py"
            file.write_text(mutated.source, encoding="utf-8")
            jobs[number] = Job(f"{mutated.module}={file}", mutant.tests or area.tests, area, fuzz)
        open_ones = {n: job for n, job in jobs.items() if not pairs[n][1].equivalent}
        for number, noticed in watch_warm(open_ones, processes, seconds):
            del jobs[number]
            yield conclude(*pairs[number], noticed)
        for number, noticed in watch_all(jobs, processes, seconds):
            yield conclude(*pairs[number], noticed)


def conclude(area: Area, mutant: Mutant, noticed: Noticed) -> Verdict:
    """Return what an end means for this mutant."""
    end = noticed.end
    if mutant.equivalent:
        end = {"survived": "equivalent"}.get(end, "not equivalent")
    elif end == "late":
        end = "time" if mutant.hangs else "time-out"
    return Verdict(area.name, mutant, end, noticed.detail, noticed.seconds)


def control(
    areas: Sequence[Area], processes: int, known: Seconds, *, fuzz: bool = True
) -> tuple[list[str], float]:
    """Run all that is to notice mutants without one; return what fails all the same, and what it took."""
    tests = [tuple(sorted({t for m in a.mutants for t in m.tests} | set(a.tests))) for a in areas]
    jobs = {k: Job("", tests[k], area, fuzz) for k, area in enumerate(areas)}
    wrong, seconds = [], 0.0
    for number, noticed in watch_all(jobs, processes, known):
        seconds += noticed.seconds
        if noticed.end != "survived":
            wrong.append(f"{areas[number].name}: {noticed.end} without any mutant: {noticed.detail}")
    return wrong, seconds


def table(verdicts: Sequence[Verdict]) -> str:
    """Return the score of each area."""
    lines = [
        f"{'area':20}{'mutants':>8}{'tests':>7}{'fuzz':>6}{'time':>6}{'equiv.':>8}{'alive':>7}{'score':>8}"
    ]
    for name in [*dict.fromkeys(v.area for v in verdicts), "all"]:
        ends = [v.end for v in verdicts if name in (v.area, "all")]
        killed = sum(ends.count(end) for end in KILLED)
        counted = len(ends) - ends.count("equivalent")
        shown = [len(ends), *(ends.count(end) for end in FINE), counted - killed]
        widths = (8, 7, 6, 6, 8, 7)
        columns = "".join(f"{number:{width}}" for number, width in zip(shown, widths, strict=True))
        lines.append(f"{name:20}{columns}{100 * killed / max(1, counted):7.1f}%")
    return "\n".join(lines)


def main() -> int:
    """Run the chosen mutants; 0 if every one is killed or equivalent."""
    options = _options()
    pairs = [
        (area, mutant)
        for area in AREAS
        for mutant in area.mutants
        if options.only in (None, area.name)
        and any(text in mutant.name for text in options.select or ("",))
        and not (options.tests_only and mutant.equivalent)
    ]
    if not pairs:
        print("no mutant has this name", file=sys.stderr)
        return 2
    load_libraries()
    known = known_seconds()
    fuzz = not options.tests_only
    chosen = [area for area in AREAS if any(a is area for a, _ in pairs)]
    wrong, seconds = ([], 0.0) if options.no_control else control(chosen, options.processes, known, fuzz=fuzz)
    verdicts: list[Verdict] = []
    for verdict in judge_all([] if wrong else pairs, options.processes, known, fuzz=fuzz):
        verdicts.append(verdict)
        print(verdict, flush=True)
        keep_seconds(known)
    print("\n".join(wrong) if wrong else table(verdicts))
    print(f"{(seconds + sum(v.seconds for v in verdicts)) / 60:.1f} minutes of processor time")
    return int(bool(wrong) or any(v.end not in FINE for v in verdicts))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", choices=[a.name for a in AREAS], help="one area")
    parser.add_argument("--select", metavar="TEXT", nargs="+", help="mutants whose name has one of these")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--no-control", action="store_true", help="do not run the tests without a mutant first"
    )
    parser.add_argument(
        "--tests-only",
        action="store_true",
        help="no fuzzed models and nothing equivalent: quicker, to see where a test is missing",
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
