"""How the interpreter collects garbage in a process that writes or serves."""

import gc


def freeze_gc() -> None:
    """Leave what stands now out of collections, and have fewer of them.

    The state at hand is large and has no cycles; going through it at every full collection cost
    a fifth of the writer's time, in pauses of some 35 ms.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
