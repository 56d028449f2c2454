"""The audit of the draws, with code of its own.

Nothing here imports the engine's draw, records, receipts, schedule or bet rules: the published
formats are written a second time, so that one mistake cannot hide in both. Only the standard
library and `nacl` verify; psycopg reads the log. `nacl` is another implementation of Ed25519 than
the engine's, and takes half its time.

- `protocol`: hashes, canonical records, signatures, links and digits.
- `rules`: the schedule, and which bets win what.
- `stored`: the facts that matter here, read and checked for their fields.
- `segments`: a day or segment, with both hash chains.
- `rounds`: a round from its sale to its end.
- `witness_list`: what the witness itself lists as released or cancelled.
- `signatures`: those that are verified in other processes.
- `audit`: all facts in the order of the log, with the findings.
- `statistics`: returns and uniformity of what was drawn.
- `report`: the statistics as tables.
"""
