"""The chat of the halls: messages, removal and muting."""
