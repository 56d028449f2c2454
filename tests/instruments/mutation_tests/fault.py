"""A fault: its place in the code, and the replacement."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """`before` occurs exactly once in `path` and is replaced by `after`.

    `tests` are the nearest test files, which must fail; without any, the suites of the engine's
    rules must.
    """

    name: str
    path: str
    before: str
    after: str
    tests: tuple[str, ...] = ()
