"""OR-Tools CP-SAT as a backend: constraints natively where it has them, one worker for enumeration."""
