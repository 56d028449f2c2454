"""The OpenAPI description, generated from the endpoint table, so that the two cannot differ."""
