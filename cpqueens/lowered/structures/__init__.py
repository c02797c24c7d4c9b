"""What a compiled model turns out to be, one structure a file; `table` is the place to ask."""
