"""The engine's port between two processes: the server, its client, and the messages."""
