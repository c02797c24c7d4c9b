"""The built-in exact engine: propagation for every model, faster searches for patterns, counts in threads."""
