"""The witness: its interface, its store, and how a server talks to one elsewhere."""
