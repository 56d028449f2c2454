"""Deposits, withdrawals, payout accounts, statements and the payment webhook."""
