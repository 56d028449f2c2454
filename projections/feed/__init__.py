"""What happens in the rooms: bets on sale now, and who won."""
