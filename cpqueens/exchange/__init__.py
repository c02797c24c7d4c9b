"""Models from and to elsewhere: CPMpy and python-constraint."""
