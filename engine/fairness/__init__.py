"""Proofs that no one set a result, knew it early or changed it afterwards."""
