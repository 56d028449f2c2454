"""Health, metrics, logs, background jobs and integrity checks."""
