"""What a user writes: terms, functions, definitions, constraints, and the statement that holds them."""
