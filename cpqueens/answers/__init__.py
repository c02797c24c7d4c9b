"""What can be said without a solver: solutions and outcomes, the checker, symmetry, statistics."""
