"""Games, halls, bets, charts, chat and the proofs of draws."""
