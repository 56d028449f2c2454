"""A payment gateway for learning and testing: it signs, notifies the server, and retries.

Standard library only, without the server's code: it knows only what an outside gateway can know.
"""
