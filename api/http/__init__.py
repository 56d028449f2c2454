"""The Litestar application: endpoints, envelope, idempotency, wire types and middleware."""
