"""Rounds: opened, closed with a frozen bet set, drawn, settled or voided."""
