"""The draw board: the public record of every round, and the days' commitments."""
