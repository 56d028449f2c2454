"""Bets: placing, recalling, settling and voiding them, and the turnover that they count for."""
