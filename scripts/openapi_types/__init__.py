"""The web app's request and response types, generated from the OpenAPI description."""
