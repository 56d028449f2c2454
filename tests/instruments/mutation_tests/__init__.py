"""Mutation tests: faults that lose money or allow cheating, which the fast suites must detect."""
