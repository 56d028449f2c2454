"""Simulates whole business days in simulated time with crashes, reproducibly from a seed.

`simulation.py` runs it: a server (`simulated_server.py`) on in-memory fakes (`fakes.py`) runs its
day on a simulated loop (`simulated_loop.py`), while players and staff act (`population.py`,
`action_mix.py`) and faults are injected (`fault_injection.py`). `live_checks.py` compares three
books, one of which is kept by the oracle (`oracle.py`).
"""
