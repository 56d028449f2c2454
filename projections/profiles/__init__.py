"""Turnover due, reservations and protection of every player, and the house settings."""
