"""Region puzzles and queens completions as people solve them: read, reasoned about, made."""
