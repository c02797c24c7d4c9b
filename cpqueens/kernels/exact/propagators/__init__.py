"""Propagators, one a file."""
