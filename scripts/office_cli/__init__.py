"""The staff's command line: a client of the running server. Standard library only."""
