"""Which values terms can take, as far as one variable's domain tells."""

import numpy as np
from numpy.typing import NDArray

from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray


def may_equal(terms: LinearArray, values: IntArray) -> NDArray[np.bool_]:
    """Return which of ``values`` (count,) each term may take, (size, count).

    Terms of several variables are judged by their bounds, terms of one by its listed domain, too.
    """
    low, high = terms.bounds()
    possible: NDArray[np.bool_] = (low[:, None] <= values) & (values <= high[:, None])
    domains: dict[int, IntArray] = getattr(terms.registry, "domains", {})
    for k, (variables, coefficients, constant) in enumerate(terms.rows()):
        if len(variables) == 1:
            possible[k] &= (values - constant) % coefficients[0] == 0
            if variables[0] in domains:
                possible[k] &= np.isin(values, domains[variables[0]] * coefficients[0] + constant)
    return possible
