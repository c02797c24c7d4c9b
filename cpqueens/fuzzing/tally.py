"""Adding up what the models of a fuzzing run brought."""

from collections import Counter
from collections.abc import Sequence

from cpqueens.crosscheck.codes import Code
from cpqueens.fuzzing.findings import Examined, Failure
from cpqueens.fuzzing.fuzztable import FuzzReport


class FuzzTally:
    """Puts the results of models together; failures of one kind are kept once."""

    def __init__(self) -> None:
        self.done = 0
        self.classes: Counter[str] = Counter()
        self.coverage: Counter[tuple[str, str, str]] = Counter()
        self.asked: Counter[tuple[str, str]] = Counter()
        self.failures: dict[tuple[str, str, str], Failure] = {}
        self.seen: Counter[tuple[str, str, str]] = Counter()
        self.shrunk: Counter[tuple[Code, str]] = Counter()

    def add(self, found: Examined) -> None:
        """Count one model."""
        self.done += 1
        self.classes[found.kind] += 1
        for (kind, context), times in found.usage.items():
            for solver in found.answered:
                self.coverage[kind, context, solver] += times
        for (what, solver), times in found.asked.items():
            self.asked[what, solver] += times
        for failure in found.failures:
            self.fail(failure)

    def fail(self, failure: Failure) -> None:
        """Count one failure."""
        self.shrunk[failure.code, failure.accused] += 1
        self.seen[failure.signature] += 1
        kept = self.failures.get(failure.signature)
        if kept is None or failure.size < kept.size:
            self.failures[failure.signature] = failure

    def report(self, seed: int, seconds: float, solvers: Sequence[str], interrupted: bool) -> FuzzReport:
        """Return the report of everything counted."""
        from dataclasses import replace

        kept = [replace(f, seen=self.seen[s]) for s, f in self.failures.items()]
        kept.sort(key=lambda f: (f.code.exit_code, f.accused, f.size))
        return FuzzReport(
            seed, self.done, seconds, tuple(solvers), tuple(kept), dict(self.coverage), dict(self.classes),
            dict(self.asked), interrupted,
        )  # fmt: skip
