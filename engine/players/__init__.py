"""Players: registration, profile, balances and open bets."""
