"""Models and solutions in and out of files, in every notation that is read."""
