"""The HTTP API with the specification's paths and names, the event stream, the main program."""
