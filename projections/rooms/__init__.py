"""The rooms: bets on sale now, winners and chat."""
