"""A fault: where it is planted, and what it replaces."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """`before` is found exactly once in `path`, and becomes `after`.

    `tests` are the test files nearest to it, which have to notice; without any the suites of the
    engine's rules have to.
    """

    name: str
    path: str
    before: str
    after: str
    tests: tuple[str, ...] = ()
