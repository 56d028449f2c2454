"""`scripts/texts`: the texts of all languages as one sheet, and back into their files."""
