"""Boards: searches by bit masks and counting by halves."""
