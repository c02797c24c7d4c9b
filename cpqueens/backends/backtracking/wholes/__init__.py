"""How constraints that the exact engine takes as they are become propagators (`registry`), and what it adds.

What models of the collection take without one, over what they take with it (2026-11-26): negative tables 3
to 6, lexicographic orders 1.4 to 6, precedence of values 1.5 to 4, Among 0.7 to 2.1, extremes by values 5
to 30, the fractional bound 0.9 to 3.9. Below 2 on those rows, and kept for larger models: numbers of
distinct values (4 to 5 for 16 and 20 shops), elements and products by values (QG5 of order 12 is counted in
5 times as long), equations and distances by values (1.6 for all-interval series), subproblems that are
remembered (3.4 for still life of 7).
"""
