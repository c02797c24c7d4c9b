"""Lazy clause generation: a log of changes, clauses, explanations, analysis of conflicts, and the search."""
