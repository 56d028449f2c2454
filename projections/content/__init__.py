"""Published content, and messages of staff to single members."""
