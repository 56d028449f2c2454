"""The checks before routing: client address, rate limits, CORS, security headers."""
