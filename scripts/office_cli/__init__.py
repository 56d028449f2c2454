"""The staff's command line: it asks the running house, which alone may write. Standard library."""
