"""Read models: tables in the schema `views`, built from the log alone and safe to drop and rebuild.

`registry` lists them. Each file is one of them, or one subject of it, read from top to bottom: the
tables, how a page of facts changes them, the queries. `accounts` owns `statements` and `approvals`,
`bets` owns `statistics`, `profiles` owns `house_settings` and `staff`, `winners` owns `chat`. Only
`runner` writes the tables, and no decision depends on them. `pagination` and `csv_cells` are for
those who list rows.
"""
