"""The embedded PostgreSQL server for a machine without one."""
