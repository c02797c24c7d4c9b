"""python-constraint2 as a backend: its solvers, its own constraints where they fit, ours elsewhere."""
