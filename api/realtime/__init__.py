"""Rooms, event streams, the replay buffer and the caches that feed them."""
