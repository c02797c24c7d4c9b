"""How constraints that the exact engine takes as they are become propagators: one kind a file."""
