"""The constraint kinds, one file each: their meaning in plain numpy, and how they decompose."""
