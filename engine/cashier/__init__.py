"""Members' money besides bets: deposits, withdrawals, bonuses, adjustments and quotas."""
