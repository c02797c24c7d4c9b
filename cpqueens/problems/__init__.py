"""The catalogue of problems, their parameters and their published values."""
