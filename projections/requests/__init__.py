"""Deposits, withdrawals and corrections, from being asked for until they are decided and paid."""
