"""The single writer: queue, batch decisions, group commit, replies and recovery."""
