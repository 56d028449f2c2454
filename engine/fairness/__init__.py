"""Proofs that nobody set a result, knew it early or changed it afterwards."""
