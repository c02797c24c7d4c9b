"""Faults of long runs: the ledger, the loop of a session, the parts, other machines."""

from __future__ import annotations

from mutant import Area, Mutant

_TESTS = "tests/longrun/test_longrun.py"

LONGRUN = Area(
    "longrun",
    (
        Mutant("a later result counts once more", "Ledger.add",
               "self._done.add(found.part)", "pass",
               (f"{_TESTS}::test_a_later_result_is_compared_and_never_overwrites",)),
        Mutant("any later result confirms", "Ledger._compare",
               "int(known == str(found.count))", "1",
               (f"{_TESTS}::test_two_results_for_a_part_make_the_job_red",)),
        Mutant("a changed count is taken", "Counted.holds",
               "self.residues == residues(self.count)", "True", (f"{_TESTS}::test_a_flipped_bit_shows",)),
        Mutant("poison is tried once more", "Ledger.poison",
               ">= ?", "> ?", (f"{_TESTS}::test_a_poisoned_part_is_given_to_nobody",)),
        Mutant("two coordinators", "Ledger.claim",
               "LOCK_EX | LOCK_NB", "0x8", (f"{_TESTS}::test_only_one_coordinator",)),
        Mutant("changed code goes on", "Ledger._must_be",
               "and not changed_code", "and changed_code",
               (f"{_TESTS}::test_a_ledger_of_another_job_or_other_code",)),
        Mutant("workers must have the code of the first session", "Session.__post_init__",
               "replace(self.ledger.job, code=code_version()).text", "self.ledger.job.text",
               (f"{_TESTS}::test_a_ledger_of_another_job_or_other_code",)),
        Mutant("what failed together is not tried again", "Session._failed",
               "self.waiting.extend(", "list(", (f"{_TESTS}::test_poison_makes_the_job_incomplete",)),
        Mutant("damaged files are not listed again", "Session.__post_init__",
               "self.todo.extendleft(again)", "pass",
               (f"{_TESTS}::test_two_runs_give_the_same_bytes_and_damage_is_mended",)),
        Mutant("a part loses its last unit", "UnitParts._units",
               "(part + 1) * self.each", "(part + 1) * self.each - (self.each > 1)",
               (f"{_TESTS}::test_units_are_what_their_narrowed_models_say",)),
        Mutant("a stopped worker keeps its task", "Session._look_after",
               "if processes.give_up(", "if False and processes.give_up(",
               ("tests/longrun/test_kills.py::test_a_stopped_worker_loses_its_lease",), hangs=True),
        Mutant("a model that nobody survives is forgotten", "fuzzledger.in_ledger",
               "in ledger.poison()", "in ()",
               ("tests/fuzzing/test_fuzzledger.py::test_a_model_that_nobody_survives_is_a_finding",)),
        Mutant("runs of two heuristics are one part", "RunFile._part",
               "row.seed * len(self._pairs) + self._pairs[row.heuristic, row.problem]", "row.seed",
               ("tests/lab/test_evaluate.py::test_a_record_holds_the_runs_of_all",)),
    ),
    (_TESTS,),
    plain=True,
)  # fmt: skip
