"""The solvers that CPMpy reaches, as backends: the translation to its expressions, one process a solver."""
