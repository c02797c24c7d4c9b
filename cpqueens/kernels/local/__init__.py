"""Local search: walks over invariants, and special neighbourhoods."""
