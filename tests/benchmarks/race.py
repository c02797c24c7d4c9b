"""Races: works that take turns in one run, measured in processor time, printed, and kept where asked.

A work builds its model, solves it and reads the values that it found, all of which counts. The first of a
race is ours, through the public interface; its time is divided by that of each other. Turns are interleaved,
so that a machine that gets slower or faster does so for all. Processor time is that of this process, with all
threads, and of the child processes that ended in the turn (Linux and macOS: Windows does not tell).

A program that is not in any package, say one in C that a reader has built, takes part by ``--against``:

    python tests/benchmarks/bench_counting.py --against "./nqueens{n} 1"
    python tests/benchmarks/bench_local_search.py --against "costas=./costas {n} -s {seed}"

``{n}`` is replaced by the size and ``{seed}`` by the number of the run, from 0; where ``{n}`` does not occur
the size becomes the last argument. The program is started without a shell, once a run. It does the job once:
a job that is counted wants its count among the whole numbers that the program prints, a job that is solved
wants exit code 0. Its processor time includes its start, a millisecond for a program in C.
"""

from __future__ import annotations

import argparse
import gc
import re
import resource
import shlex
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import kept

Work = Callable[[int], object]
"""Does the job in the turn of this number and returns what it found, None if its limit ended it."""

TURN = 0.05  # seconds, at least about so long for each work and turn
COMPILED = 15.0  # seconds: a first run that takes longer is taken for the job, not for a compiler


@dataclass(frozen=True)
class Absent:
    """A peer that is not installed, and the command that installs it."""

    command: str


@dataclass(frozen=True)
class Entry:
    """How one of a race did: average processor seconds, how many runs, and what it found (None: nothing)."""

    seconds: float
    turns: int
    found: object


class WrongResult(SystemExit):
    """Two of a race found different things, or a program did not do its job."""


def stretch(seconds: float = 0.2) -> float:
    """Return how many seconds of the clock a processor second takes on this machine now, at least 1."""
    began, mine = time.perf_counter(), time.thread_time()
    while time.thread_time() - mine < seconds:
        pass
    return max(1.0, (time.perf_counter() - began) / seconds)


def used() -> float:
    """Return the processor seconds that this process, its threads and its finished children have taken."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def race(
    works: Mapping[str, Work | Absent],
    rounds: int,
    average: Callable[[Sequence[float]], float] = statistics.median,
) -> dict[str, Entry | Absent]:
    """Run the works in turns after a warm-up; a short one several times in its turn, each with a number.

    A work that was ended by its limit in the warm-up is not run again.

    Raises
    ------
    WrongResult
        If two of them found different things.
    """
    entries: dict[str, Entry | Absent] = {}
    often: dict[str, int] = {}
    for name, work in works.items():
        entries[name] = work if isinstance(work, Absent) else warm_up(work)
    for name, entry in entries.items():
        if isinstance(entry, Entry) and entry.found is not None:
            often[name] = max(1, int(TURN / max(entry.seconds, 1e-6)))
    seconds: dict[str, list[float]] = {name: [] for name in often}
    found: dict[str, object] = {
        name: entry.found for name, entry in entries.items() if isinstance(entry, Entry)
    }
    agree(found)
    for turn in range(rounds):
        for name, times in often.items():
            gc.collect()  # nobody pays for what another left behind
            spent, now = timed(works[name], range(turn * times, (turn + 1) * times))
            found[name] = None if found[name] is None else now
            seconds[name].append(spent / times)
        agree(found)
    results = {name: Entry(average(seconds[name]), rounds * often[name], found[name]) for name in often}
    return {**entries, **results}


def warm_up(work: Work) -> Entry:
    """Run a work once, and once more if it may have compiled something; return how its last run did."""
    first, found = timed(work, range(1))
    if found is None or first > COMPILED:
        return Entry(first, 1, found)
    second, found = timed(work, range(1, 2))
    return Entry(second, 1, found)


def timed(work: Work, turns: range) -> tuple[float, object]:
    """Return the processor seconds of some runs, and what each of them found, None if one found nothing."""
    started = used()
    found = [work(turn) for turn in turns]
    spent = used() - started
    agree({f"run {turn}": value for turn, value in zip(turns, found, strict=True)})
    return spent, None if None in found else found[-1]


def agree(found: Mapping[str, object]) -> None:
    """Raise unless all that found something found the same."""
    if len({value for value in found.values() if value is not None}) > 1:
        raise WrongResult(f"different results: {dict(found)}")


def show(job: str, entries: Mapping[str, Entry | Absent], note: str = "") -> None:
    """Print a race: ours, then each peer with ours over its time (below 1: we are faster)."""
    ours = next(entry for entry in entries.values() if isinstance(entry, Entry))
    print(f"\n{job}{f': {ours.found}' if type(ours.found) is int else ''}{f'  ({note})' if note else ''}")
    for k, (name, entry) in enumerate(entries.items()):
        if isinstance(entry, Absent):
            print(f"    {name:<44} not measured: {entry.command}")
            continue
        ratio = "ours over" if k == 0 else f"{ours.seconds / max(entry.seconds, 1e-9):9.4f}"
        bound = "least" if ours.found is None else "most"
        ended = f" at {bound}: a limit ended a run" if None in (ours.found, entry.found) and k else ""
        print(f"    {name:<44}{1000 * entry.seconds:12.3f} ms {ratio}{ended}", flush=True)
    kept.keep_race(job, measured(entries))


def measured(entries: Mapping[str, Entry | Absent]) -> dict[str, tuple[float, bool]]:
    """Return of those who took part their seconds, and whether a limit ended a run."""
    return {
        name: (entry.seconds, entry.found is None)
        for name, entry in entries.items()
        if isinstance(entry, Entry)
    }


def against(command: str, n: int, patience: float, expected: int | None = None) -> Work:
    """Return the work of a program by the contract above; ``expected`` is the count that it is to print."""

    def work(turn: int) -> object:
        words = [word.replace("{n}", str(n)).replace("{seed}", str(turn)) for word in shlex.split(command)]
        if "{n}" not in command:
            words.append(str(n))
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=patience, check=False)
        except subprocess.TimeoutExpired:
            return None
        except OSError as error:
            raise WrongResult(f"--against {command!r}: {error.strerror}") from None
        if done.returncode != 0:
            raise WrongResult(f"{shlex.join(words)} ended with {done.returncode}: {done.stderr[-200:]}")
        if expected is not None and str(expected) not in re.findall(r"\d+", done.stdout):
            raise WrongResult(f"{shlex.join(words)} printed {done.stdout[-200:]!r}, which has no {expected}")
        return True if expected is None else expected

    return work


def arguments(description: str | None, rounds: int) -> argparse.ArgumentParser:
    """Return a parser with what all benchmarks take."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=positive, default=rounds, help=f"turns of each work ({rounds})")
    parser.add_argument(
        "--patience", type=float, default=60.0, help="seconds after which a peer's run ends (60)"
    )
    kept.recording(parser)
    return parser


def positive(text: str) -> int:
    """Read a whole number from 1 on."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"a number from 1 on is needed, got {text}")
    return number
