"""Kinds of propagators and of definitions."""

# Those up to TRUTH_AT_MOST are linear rows, alone or under a truth.
EQUAL, DIFFERENT, AT_MOST, TRUTH_EQUAL, TRUTH_AT_MOST = 0, 1, 2, 3, 4
CLAUSE, TRUTH_OR, ABS, PRODUCT = 5, 6, 7, 8
QUOTIENT, QUOTIENT_TRUNCATED, REMAINDER, REMAINDER_TRUNCATED = 9, 10, 11, 12
MINIMUM, MAXIMUM, ELEMENT = 13, 14, 15

# Those from here on are compiled apart, each as an object of its own (see `cpqueens.kernels.exact.apart`).
APART = 16

FUNCTIONS = {
    "abs": ABS,
    "product": PRODUCT,
    "quotient": QUOTIENT,
    "quotient_truncated": QUOTIENT_TRUNCATED,
    "remainder": REMAINDER,
    "remainder_truncated": REMAINDER_TRUNCATED,
    "minimum": MINIMUM,
    "maximum": MAXIMUM,
    "element": ELEMENT,
}
"""From the name of a function that defines variables to its kind."""
