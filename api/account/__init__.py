"""Registration, login, profile, messages and player protection."""
