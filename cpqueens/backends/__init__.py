"""Ways to solve: the contract with the pipeline, those that there are by name, and what they share."""
