"""Compiled search kernels; import the one you need, each compiles on first use."""
