"""Read models: tables in the schema `views`, built from the log alone and safe to drop and rebuild.

`runner` feeds them pages of facts. Each folder is one read model: `projection.py` has its tables
and how a page changes them, `queries.py` the queries. Only `runner` writes them, and no decision
depends on them.
"""
