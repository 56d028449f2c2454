"""The draw board: every round with what was published of it, and the days' commitments."""
