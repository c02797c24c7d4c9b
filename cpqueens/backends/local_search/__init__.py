"""Local search over any model: strategies by name, neighbourhoods derived from the model."""

from cpqueens.backends.local_search.backend import LocalSearch

__all__ = ["LocalSearch"]
