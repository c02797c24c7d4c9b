"""Smaller models, from compiled arrays to compiled arrays, each with the way back for assignments."""
