"""The exact engine: domains, propagation, branching and search."""
