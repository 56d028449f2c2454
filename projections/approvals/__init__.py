"""Deposits, withdrawals, gifts and corrections, from request to completion."""
