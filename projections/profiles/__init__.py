"""What is due, reserved and limited for every player, and what staff set for the whole house."""
