"""The web app's types of calls and answers, made from the OpenAPI description."""
