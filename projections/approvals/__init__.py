"""Deposits, withdrawals, gifts and corrections, from their request to their end."""
