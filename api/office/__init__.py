"""Staff endpoints, /api/office."""
