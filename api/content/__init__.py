"""News, messages, pictures and the texts that staff publish."""
