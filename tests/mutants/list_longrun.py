"""Faults of long runs: the ledger, the loop of a session, the parts, other machines."""

from __future__ import annotations

from mutant import Area, Mutant

LONGRUN = Area(
    "longrun",
    (
        Mutant("a later result counts once more", "Ledger.add",
               "self._done.add(found.part)", "pass"),
        Mutant("any later result confirms", "Ledger._compare",
               "int(known == str(found.count))", "1"),
        Mutant("a changed count is taken", "Counted.holds",
               "self.residues == residues(self.count)", "True"),
        Mutant("poison is tried once more", "Ledger.poison",
               ">= ?", "> ?"),
        Mutant("two coordinators", "Ledger.claim",
               "fcntl.LOCK_EX | fcntl.LOCK_NB", "fcntl.LOCK_UN"),
        Mutant("changed code goes on", "Ledger._must_be",
               "and not changed_code", "and changed_code"),
        Mutant("workers must have the code of the first session", "Session.__post_init__",
               "replace(self.ledger.job, code=code_version()).text", "self.ledger.job.text"),
        Mutant("what failed together is not tried again", "Session._failed",
               "self.waiting.extend(", "list("),
        Mutant("damaged files are not listed again", "Session.__post_init__",
               "self.todo.extendleft(again)", "pass"),
        Mutant("a part loses its last unit", "UnitParts._units",
               "(part + 1) * self.each", "(part + 1) * self.each - (self.each > 1)"),
        Mutant("a stopped worker keeps its task", "Session._look_after",
               "if processes.give_up(", "if False and processes.give_up(",
               ("tests/longrun/test_kills.py",), hangs=True),
        Mutant("a model that nobody survives is forgotten", "fuzzledger.in_ledger",
               "in ledger.poison()", "in ()",
               ("tests/fuzzing/test_fuzzledger.py",)),
        Mutant("runs of two heuristics are one part", "RunFile._part",
               "row.seed * len(self._pairs) + self._pairs[row.heuristic, row.problem]", "row.seed",
               ("tests/lab/test_evaluate.py",)),
    ),
    ("tests/longrun/test_longrun.py",),
    plain=True,
)  # fmt: skip
