"""Feeds the read models: log pages, checkpoints, rebuilds and their connections."""
