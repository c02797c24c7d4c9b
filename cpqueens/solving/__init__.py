"""From a request to an outcome: options, the choice of a backend, collecting, concluding."""
