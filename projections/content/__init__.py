"""What the house publishes, and what staff tell single members."""
