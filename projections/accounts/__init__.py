"""Balances, daily profits and statements of all players, and the `house:*` accounts."""
