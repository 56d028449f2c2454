"""Health, metrics, logs and background jobs."""
