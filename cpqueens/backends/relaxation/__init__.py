"""One linear relaxation at the root, and what it proves: a row that is an exact sum of the model's rows."""
