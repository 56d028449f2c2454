"""The game's rules and, in `runtime`, the single writer that applies them."""
