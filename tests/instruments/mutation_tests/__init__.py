"""Faults that lose money or let someone cheat, each of which the fast suites must notice."""
