"""Problems, one per file, installed as ``cpqueens.models``; `cpqueens.problems.catalog` finds them."""
