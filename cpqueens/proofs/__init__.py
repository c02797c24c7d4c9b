"""Proofs: their log and the small checker, which knows the statement and what kinds mean, and no solver."""
