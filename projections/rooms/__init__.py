"""What happens in the rooms: bets on sale now, who won, and what is said."""
