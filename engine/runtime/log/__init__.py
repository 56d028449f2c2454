"""The append-only log: schema, appends, reads, lease, snapshots and stored answers."""
