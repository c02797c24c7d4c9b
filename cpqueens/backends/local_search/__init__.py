"""Local search over any model: strategies by name, neighbourhoods derived from the model."""
