"""What every request passes before it reaches a call: who asks, how often, from which site."""
