"""The rules of the house and, in `runtime`, the one writer that applies them."""
