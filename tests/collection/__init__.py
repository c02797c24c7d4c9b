"""Models with known answers, one module a family: tests solve them, benchmarks race on them."""
