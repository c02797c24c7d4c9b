"""From a statement to what solvers read: supported constraints only, then plain arrays."""
