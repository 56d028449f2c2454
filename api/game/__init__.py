"""Games, halls, bets, charts and chat."""
