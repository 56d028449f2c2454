"""Players: who they are, what they hold and the bets they have open."""
