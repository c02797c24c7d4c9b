"""Solvers that MiniZinc knows: the model as MiniZinc text, its program as a child process."""
