"""A search that explains whatever it concludes and writes it down as a proof, in plain Python."""
