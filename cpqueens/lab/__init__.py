"""Experiments on heuristics that are compared with the literature."""
