"""Garbage collection for a process with a large state that has no cycles."""

import gc


def freeze() -> None:
    """Exclude the current heap from garbage collection and run full collections less often.

    Scanning the writer's state at every full collection took a fifth of its time, in pauses of
    some 35 ms. Of the read models' process, collections took a twelfth.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
