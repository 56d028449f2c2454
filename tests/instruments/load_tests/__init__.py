"""`scripts/bench`: Fairdraw's throughput on this machine, compared with other software."""
