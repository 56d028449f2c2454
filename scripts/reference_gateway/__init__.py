"""A payment gateway to learn and to try with: it signs, tells the house, and tells it again.

Standard library, and nothing of the house's own code: what it knows, an outside gateway can know.
"""
