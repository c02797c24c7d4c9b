"""Compiled search kernels; import the one you need, each compiles on first use."""

from cpqueens.system.memory import ensure_room

ensure_room("numba")
