"""Text from outside, read within bounds, and to the outside, in lines that cannot do harm."""
