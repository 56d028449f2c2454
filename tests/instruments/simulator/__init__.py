"""Whole business days of the house in simulated time, with crashes, from one seed.

`simulation.py` runs it: a house (`house.py`) on edges in memory (`edges.py`) lives through its day
(`clockwork.py`) while a town (`town.py`, `behaviours.py`) plays and everything that can go wrong
does (`troubles.py`). `audit.py` holds three books against one another, one of them `tally.py`.
"""
