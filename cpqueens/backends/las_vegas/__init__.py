"""Las Vegas search: random placements, restarts, and estimates of their expectations."""
