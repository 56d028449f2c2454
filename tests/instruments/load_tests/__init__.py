"""`scripts/bench`: what Fairdraw carries on this machine, measured against what others carry."""
