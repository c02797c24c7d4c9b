"""A folder of models in MiniZinc on solvers that MiniZinc knows: statuses, scores by pairs, contradictions.

python tests/benchmarks/bench_minizinc.py FOLDER [--solvers gecode,cpqueens,cpqueens-cpsat] [--seconds 10]
    [--data smallest|all] [--first N] [--check gecode]

Each model is run with the smallest of the data files that lie beside it or below, or with all. Limits are
seconds of processor time, of each process that a solver starts. Every answer is checked: its values are
given to another solver as data. What is told at the end is

* of each instance and solver its status (``all``: proved; ``sat``, ``unknown``, ``refused``), objective and
  seconds of processor time, flattening included;
* the score by pairs, as in the MiniZinc Challenge: of two solvers the better answer has a point; of two that
  are as good each has the part of the other's time in both;
* contradictions: an answer that the checking solver refuses, "none" where an answer was checked, an optimum
  that a checked answer betters.

`cpqueens minizinc install` makes ours known to MiniZinc.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import kept

NONE, DONE = "=====UNSATISFIABLE=====", "=========="
LIBRARY = {"gecode": ["-G", "std"]}
"""What a solver is told beside its name: the globals of Gecode's own library are older than some models."""
PATIENCE = 30
"""Times the limit of processor time after which a run is ended by the clock: something waits for nothing."""


@dataclass(frozen=True)
class Instance:
    """A model, with the data that it is run with."""

    model: Path
    data: Path | None
    sense: str

    @property
    def name(self) -> str:
        return self.model.stem if self.data is None else f"{self.model.stem} {self.data.stem}"


@dataclass
class Answer:
    """What a solver said of an instance."""

    status: str
    objective: float | None
    seconds: float
    values: str
    said: str = ""

    @property
    def is_proof(self) -> bool:
        return self.status in ("all", "none")


def instances(folder: Path, data: str) -> Iterator[Instance]:
    """Yield models, each with its smallest data file or with all of them."""
    for model in sorted(folder.rglob("*.mzn")):
        text = re.sub(r"%[^\n]*|/\*.*?\*/", "", model.read_text(errors="replace"), flags=re.DOTALL)
        solve = re.search(r"\bsolve\b[^;]*\b(satisfy|minimize|maximize)\b", text)
        if solve is None:  # a part that others include
            continue
        files = sorted(model.parent.rglob("*.dzn"), key=lambda path: (path.stat().st_size, path))
        for path in (files[:1] if data == "smallest" else files) or [None]:
            yield Instance(model, path, solve[1])


def run(instance: Instance, solver: str, seconds: float, *more: str) -> Answer:
    """Run a solver on an instance."""
    words = ["minizinc", "--solver", solver, *LIBRARY.get(solver, []), "--output-mode", "dzn"]
    words += ["--output-objective"]
    if instance.sense != "satisfy":
        words += ["-i" if solver.startswith("cpqueens") else "-a"]
    words += [str(instance.model), *([str(instance.data)] if instance.data else []), *more]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    limit = int(seconds) + 1
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, errors="replace", timeout=PATIENCE * limit, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 2)),
        )  # fmt: skip
        out, said = done.stdout, done.stderr
    except subprocess.TimeoutExpired as error:
        out, said = (error.stdout or b"").decode(errors="replace"), "ended by the clock"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return read(out, said, used, used >= seconds)


def read(out: str, said: str, used: float, is_late: bool) -> Answer:
    """Return what was printed, as an answer: the last solution is the best."""
    *found, rest = out.split("----------\n")
    values = found[-1] if found else ""
    objective = re.search(r"(?m)^_objective = (-?[\d.]+);$", values)
    values = re.sub(r"(?m)^_objective = .*\n|^%.*\n", "", values)
    value = float(objective[1]) if objective else None
    if NONE in rest or NONE in out:
        return Answer("none", None, used, "")
    if found:
        return Answer("all" if DONE in rest else "sat", value, used, values)
    failed = not is_late and ("=====ERROR=====" in out or "rror" in said)
    lines = [line for line in said.splitlines() if line.strip() and not line.startswith("Warning")]
    return Answer("refused" if failed else "unknown", None, used, "", lines[0][:200] if lines else "")


def is_accepted(instance: Instance, answer: Answer, checker: str, seconds: float) -> bool | None:
    """Say whether another solver takes the values as data; None if it does not say."""
    with tempfile.NamedTemporaryFile("w", suffix=".dzn") as file:
        file.write(answer.values)
        file.flush()
        plain = Instance(instance.model, instance.data, "satisfy")
        status = run(plain, checker, seconds, file.name).status
    return {"all": True, "sat": True, "none": False}.get(status)


def points(first: Answer, second: Answer, sense: str) -> float:
    """Return what the first of two has of their point."""
    worth = [(a.is_proof, _worth(a, sense)) for a in (first, second)]
    if first.is_proof != second.is_proof or worth[0][1] != worth[1][1]:
        return float(worth[0] > worth[1])
    if worth[0][1][0] == 0:  # neither has found anything
        return 0.0
    return second.seconds / max(first.seconds + second.seconds, 1e-9)


def _worth(answer: Answer, sense: str) -> tuple[int, float]:
    if answer.status == "none":
        return 1, 0.0
    if answer.status not in ("all", "sat"):
        return 0, 0.0
    value = answer.objective or 0.0
    return 1, -value if sense == "minimize" else value if sense == "maximize" else 0.0


def contradictions(instance: Instance, answers: dict[str, Answer], checked: set[str]) -> Iterator[str]:
    """Yield what cannot be true together."""
    for solver, answer in answers.items():
        for other in checked - {solver}:
            better = _worth(answers[other], instance.sense)[1] > _worth(answer, instance.sense)[1]
            if answer.status == "none":
                yield f"{instance.name}: {solver} says that there is none; {other} has a checked solution"
            elif answer.status == "all" and instance.sense != "satisfy" and better:
                yield f"{instance.name}: {solver} says that {answer.objective} is best; {other} has better"


def main() -> None:
    """Run, and tell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--solvers", default="gecode,cpqueens,cpqueens-cpsat")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--data", choices=("smallest", "all"), default="smallest")
    parser.add_argument("--first", type=int, help="no more instances than so many")
    parser.add_argument("--check", default="gecode", help="the solver that checks answers")
    kept.recording(parser)
    told = parser.parse_args()
    solvers = told.solvers.split(",")
    scores = dict.fromkeys(solvers, 0.0)
    found: list[str] = []
    for instance in itertools.islice(instances(told.folder, told.data), told.first):
        answers = {solver: run(instance, solver, told.seconds) for solver in solvers}
        accepted = {
            solver: is_accepted(instance, answer, told.check, told.seconds)
            for solver, answer in answers.items()
            if answer.values
        }
        checked = {solver for solver, verdict in accepted.items() if verdict}
        wrong = [solver for solver, verdict in accepted.items() if verdict is False]
        if told.check in wrong:  # who refuses his own answer is no judge of others
            print(f"  {told.check} refuses the answers of {', '.join(wrong)}, its own among them")
            wrong = []
        found += [
            f"{instance.name}: {told.check} refuses the answer of {solver}: {answers[solver].values}"
            for solver in wrong
        ]
        found += contradictions(instance, answers, checked)
        for one, other in itertools.permutations(solvers, 2):
            scores[one] += points(answers[one], answers[other], instance.sense)
        cells = {
            s: f"{a.status} {'' if a.objective is None else a.objective} {a.seconds:.1f}".strip()
            for s, a in answers.items()
        }
        print(json.dumps({"instance": instance.name, **cells, "checked": sorted(checked)}), flush=True)
        for solver, answer in answers.items():
            if answer.status == "refused":
                print(f"  refused by {solver}: {answer.said}")
        kept.keep_cells("MiniZinc", instance.name, cells)
    print("scores by pairs: " + ", ".join(f"{solver} {score:.2f}" for solver, score in scores.items()))
    print("\n".join(["contradictions:", *found]) if found else "no contradictions")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
