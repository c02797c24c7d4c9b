"""Random models, what is asked of every solver about them, and the conformance suite."""
