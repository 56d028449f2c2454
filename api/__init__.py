"""The wire: calls by the specification's paths and words, the event stream, and the program."""
