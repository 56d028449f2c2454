"""The Litestar application: calls, envelope, idempotency, wire types and middleware."""
