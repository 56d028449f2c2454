"""Read models: tables in the schema `views`, made from the log alone and thrown away at will.

`runner` feeds them pages of facts; each folder is one model: `model.py` with its tables and how
a page changes them, `queries.py` with what may be asked. Only `runner` writes, nobody decides
on them.
"""
