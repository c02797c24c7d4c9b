"""Evaluating heuristics: ours, a user's function, or any command."""
