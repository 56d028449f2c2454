"""Staff calls, /api/office."""
