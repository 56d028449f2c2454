"""`scripts/screenshots`: every page of the app as a phone shows it, to be looked at by a person."""
