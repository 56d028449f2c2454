"""The round scheduler with its days, rounds and draws; the operator's hash chains."""
