"""Faults of what a term keeps where parts of it cancel, and of what is to notice them."""

from __future__ import annotations

from mutant import Area, Mutant

CPMPY = ("tests/exchange/test_cpmpy_partial.py",)
WRITTEN = ("tests/crosscheck/test_as_written.py",)
WIDER = ("tests/fuzzing/test_widening.py",)
STAY = ("tests/language/test_conditions_stay.py",)
KEPT = "{v: a for v, a in total.items() if a}"

MEANING = Area(
    "meaning",
    (
        Mutant("a term that cancels leaves no condition", "VariableStore.remaining",
               "if v not in found and self._may_be_undefined[v]:", "if False:"),
        Mutant("rows that cancel leave no condition", "VariableStore.merged",
               "if lost.size else found", "if False else found"),
        Mutant("rows times 0 leave no condition", "VariableStore.merged",
               "lost = self._partial_pairs(variables, coefficients)",
               "lost = self._partial_pairs(variables, scaled)"),
        Mutant("a zero has the coefficient 0", "VariableStore._with_zeros", "= names, 1", "= names, 0"),
        Mutant("zeros are added where they are", "VariableStore._with_zeros",
               "added[~np.isin(", "added[np.isin("),
        Mutant("a term times 0 is the constant 0", "Term.__mul__",
               "self.registry.remaining(dict.fromkeys(self.variable_list, 0))", "dict[int, int]()"),
        Mutant("what is rebuilt loses what cancels", "Rebuilder._term", "self.new.remaining(total)", KEPT),
        Mutant("weighted sums lose what cancels", "origin.weighted",
               "model.remaining(total)", KEPT, CPMPY),
        Mutant("a zero is 1 for solvers", "Zero.simpler", "np.zeros(", "np.ones("),
        Mutant("a zero is 1", "Zero.compute", "np.zeros_like", "np.ones_like"),
        Mutant("a zero is 1 by its bounds", "Zero.bounds", "np.zeros(", "np.ones("),
        Mutant("a count of CPMpy is always defined", "cpmpy._BY_TRUTHS", "\"count\", ", "", CPMPY),
        Mutant("what CPMpy decomposes holds where it is undefined", "_ExpressionReader._strict",
               "conjunction([found, nothing == 0])", "found", CPMPY),
        Mutant("numbers that CPMpy decomposes are always defined", "_ExpressionReader._strict",
               "else nothing + found", "else found", CPMPY),
        Mutant("as written, relations go by fillers", "AsWritten._relation", " & defined", "", WRITTEN),
        Mutant("as written, an element outside is defined", "oracle.element",
               "return found, inside & defined", "return found, defined", WRITTEN),
        Mutant("as written, entries need not be defined", "oracle.element",
               "defined & ok\n", "defined\n", WRITTEN),
        Mutant("as written, one defined term of a sum is enough", "as_written._sum",
               "defined.all(axis=0)", "defined.any(axis=0)", WRITTEN),
        Mutant("as written, one defined product is enough", "as_written._matmul",
               ".all(axis=-2)", ".any(axis=-2)", WRITTEN),
        Mutant("as written, constraints go by fillers", "AsWritten._holds", " & everywhere", "", WRITTEN),
        Mutant("as written, objectives need not be defined", "AsWritten.solutions",
               "good &= self.term(node)[1]", "pass", WRITTEN),
        Mutant("as written, a quotient by 0 is defined", "as_written._elementwise",
               "defined = defined & ok.reshape(defined.shape)", "pass", WRITTEN),
        Mutant("wider domains have no upper bound", "examine._bound", ", term <= values[-1]", "", WIDER),
        Mutant("wider domains have no gaps", "examine._bound",
               "Table([term], [[v] for v in values])", "[term >= values[0], term <= values[-1]]", WIDER),
        Mutant("counts over wider domains are not compared", "subject.miscounted",
               "seen.count != s.truth.count:", "False:", WIDER),
        Mutant("solutions over wider domains are not compared", "examine.wider_domains",
               "not np.array_equal(accepted, s.truth.solutions)", "False", WIDER),
        Mutant("what holds costs its weight", "examine.costs_as_written",
               "~table.truth(node)", "table.truth(node)", WIDER),
    ),
    STAY,
    solvers="backtracking",
)  # fmt: skip
