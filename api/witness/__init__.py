"""The witness over HTTP, and the process of the server that runs its own witness."""
