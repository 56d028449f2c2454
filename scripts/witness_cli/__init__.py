"""`scripts/witness`: the witness as a program of its own."""
