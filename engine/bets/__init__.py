"""Bets: placing, recalling, settling and voiding them; turnover and receipts."""
