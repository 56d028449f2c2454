"""The only part of the engine that does I/O."""
