"""The constraint kinds, a family of them a file: their meaning in plain numpy, and how they decompose."""
