"""Whole business days of the house in simulated time, with crashes, from one seed."""
