"""Faults of what goes to and comes from other languages."""

from __future__ import annotations

from mutant import Area, Mutant

EXCHANGE = Area(
    "exchange",
    (
        Mutant("a power of a negative exponent is defined at 0", "flatzinc_constraints._power",
               "exponent - low - outside", "exponent - low"),
        Mutant("the last value of a set is lost", "flatzinc_constraints.within",
               "values.stop - 1", "values.stop - 2"),
        Mutant("arrays of FlatZinc begin at 0", "flatzinc_constraints._entry",
               "index - 1", "index"),
        Mutant("an implied truth is the truth", "_DocumentReader._say",
               "ending == \"_reif\"", "ending"),
        Mutant("a defined variable may leave its domain", "_DocumentReader._define",
               "low < ends[0]", "False"),
        Mutant("only what counts up is a definition", "_DocumentReader._solve_linear",
               "-sign * w", "sign * w"),
        Mutant("circuits begin at 0", "flatzinc_globals._circuit",
               "t - first", "t"),
        Mutant("a shorter array comes behind", "flatzinc_globals._lexicographic",
               "len(left) < len(right) or", "False or"),
        Mutant("what is not written out is printed again", "SolutionPrinter.__call__",
               "self.seen is None or text not in self.seen", "True"),
        Mutant("FlatZinc's own < is <=", "flat._RELATIONS",
               "\"<\": (\"le\", 1, 1)", "\"<\": (\"le\", 1, 0)"),
        Mutant("FlatZinc's own elements are one off", "_FlatWriter._entry",
               "self.linear([1], [at], 1)", "self.linear([1], [at], 0)"),
        Mutant("a weight of 0 stays in a row", "flatzinc_rows._sum",
               "or 0 in factors", ""),
        Mutant("what stands behind a plain 'not' is taken as it is", "flatzinc_rows._clause",
               "term.opposite()", "term"),
    ),
    (
        "tests/exchange/test_flatzinc.py",
        "tests/exchange/test_flatzinc_rows.py",
        "tests/cli/test_minizinc.py",
        "tests/backends/test_minizinc_backend.py",
    ),
    plain=True,
)  # fmt: skip

COMPARING = Area(
    "comparing",
    (
        Mutant("what is in the other is equal to it", "equivalence._verdict",
               "if only_a.proved and only_b.proved:", "if only_a.proved:"),
        Mutant("equal solutions have equal best ones", "ModelComparison.equal",
               "and self.optimal is not None and self.optimal.equal", ""),
        Mutant("best values are not compared", "ModelComparison.equal",
               "self.optima[0] == self.optima[1] and", ""),
        Mutant("what has the same coefficient is told apart", "functional._told_apart",
               "or len(set(factors.values())) < len(factors)", ""),
        Mutant("arrays of different shapes are the same", "matching._comparable",
               "mine.shape != other.shape and", "False and"),
        Mutant("orbits that are lost are symmetries that are broken", "roles._up_to",
               "if lost else", "if not lost else"),
        Mutant("what a constraint refuses is what it accepts", "roles._asked",
               "~c if j == at else c", "c"),
        Mutant("tasks without duration are in the way", "cpmpy._disjoint",
               "p & _positive(d)", "p"),
    ),
    (
        "tests/crosscheck/test_compared_optima.py",
        "tests/crosscheck/test_mapping.py",
        "tests/crosscheck/test_roles.py",
        "tests/crosscheck/test_equivalence.py",
        "tests/exchange/test_from_cpmpy.py",
    ),
    plain=True,
)  # fmt: skip
