"""Problems, one per file, installed as ``cpqueens.models``; reach them through `cpqueens.problems.catalog`."""
