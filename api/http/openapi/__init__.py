"""The OpenAPI description, made from the table of calls, so that it cannot say anything else."""
