"""`scripts/screenshots`: every page of the app on a phone, for review by a person."""
