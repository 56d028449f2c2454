"""What is due: days, rounds and draws; the operator's hash chains and the witness."""
