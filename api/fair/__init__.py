"""Proofs of draws and bets."""
