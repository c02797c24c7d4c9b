"""What each strategy of `backtracking` does, with its source."""

from collections.abc import Mapping

_SURVEY = 'the survey "Several algorithms for n-Queens" (n-Queens的多种算法题解), after Xu Jianliang'

ABOUT: Mapping[str, str] = {
    "auto": """One of the others that fits the model and the request, or several in turns; it says which.

Source: this package.""",
    "bitmask": f"""Backtracking with three words of taken columns and diagonals, shifted from row to row.

Source: {_SURVEY}; for all AllDifferents over shifted variables of at most 64 values.""",
    "check": f"""Chronological backtracking: each placement is tested against those before it.

Source: Deng Hongtao and Zhu Xun on Las Vegas optimisation of the N-queens problem, Journal of Jianghan
University (Natural Sciences) 34(4), 2006; {_SURVEY}.""",
    "forward": """Propagation at every node: domains as words of bits, wiped-out ones are seen at once.

Source: Haralick and Elliott, "Increasing tree search efficiency for constraint satisfaction problems",
Artificial Intelligence 14, 1980; AllDifferent by Regin, "A filtering algorithm for constraints of difference
in CSPs", AAAI 1994.""",
    "halves": """Counting queens by two half boards that are put together.

Source: this package, after public programs that join tables of quadrants.""",
    "learning": """Lazy clause generation: from each conflict a clause over bounds and values is learned.

Source: Ohrimenko, Stuckey and Codish, "Propagation via lazy clause generation", Constraints 14, 2009; Feydy
and Stuckey, "Lazy clause generation reengineered", CP 2009.""",
    "rowmask": f"""Backtracking with a word of free values for each later row, saved and restored.

Source: {_SURVEY}.""",
    "sums": """Backtracking on words of taken sums and differences, as in Golomb rulers and Costas arrays.

Source: this package.""",
    "table": f"""Backtracking on a table of free squares that is restored on the way back.

Source: {_SURVEY}.""",
}
"""By name: a summary, and a paragraph about the source."""
