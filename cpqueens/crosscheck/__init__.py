"""Comparing what several solvers say about one model."""
