"""The two tiers: kernels as plain Python and as machine code, and how one changes over to the other."""
