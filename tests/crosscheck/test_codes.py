"""The codes and their exit codes, as documented for the command line."""

import pickle

from cpqueens.crosscheck.findings import Code

DOCUMENTED = {
    "INVALID_SOLUTION": 10,
    "BAD_ASSIGNMENT": 10,
    "FALSE_UNSAT": 11,
    "FALSE_SAT": 11,
    "MISSING": 12,
    "EXTRA": 12,
    "DUPLICATE": 12,
    "UNORDERED": 12,
    "COUNT_DIFF": 12,
    "OPT_CROSSED": 13,
    "OBJ_MISMATCH": 13,
    "PARTIAL_AS_COMPLETE": 14,
    "NONDETERMINISM": 15,
    "RELATION_BROKEN": 16,
    "SCORE_CORRUPTION": 17,
    "LEDGER_CONFLICT": 18,
    "CHECKER_DOUBT": 19,
    "UNSUPPORTED": 20,
    "MODEL_INVALID": 21,
    "CRASH": 30,
    "HANG": 31,
    "OUT_OF_MEMORY": 32,
}


def test_exit_codes_are_the_documented_ones():
    assert {code.name: code.exit_code for code in Code} == DOCUMENTED


def test_a_code_is_its_name_and_survives_a_pipe():
    for code in Code:
        assert str(code) == code.value == code.name
        assert code.meaning
        assert pickle.loads(pickle.dumps(code)) is code
