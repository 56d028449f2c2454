"""Balances, profits by day and the statement of every player, and the house's own accounts."""
