"""The history of every bet."""
