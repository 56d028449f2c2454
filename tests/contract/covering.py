"""Rows of the specification, and short names for the tests that cover them."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One requirement of the specification, and the tests that would fail without it."""

    subject: str
    requirement: str
    tests: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.subject}: {self.requirement}"


def covered(subject: str, requirements: Iterable[str], *tests: str) -> list[Row]:
    """Rows of one subject that the same tests cover."""
    return [Row(subject, requirement, tests) for requirement in requirements]


def evening(name: str) -> str:
    """A test of the old client's evening."""
    return f"tests/contract/test_evening.py::test_{name}"


def account(name: str) -> str:
    """A test of the old client's account."""
    return f"tests/contract/test_account.py::test_{name}"


def messages(name: str) -> str:
    """A test of the catalogue's messages."""
    return f"tests/contract/test_messages.py::test_{name}"


def api(module: str, name: str) -> str:
    """A test over HTTP."""
    return f"tests/api/test_{module}.py::test_{name}"


def engine(module: str, name: str) -> str:
    """A test of the rules."""
    return f"tests/engine/test_{module}.py::test_{name}"


def books(module: str, name: str) -> str:
    """A test of the read models."""
    return f"tests/projections/test_{module}.py::test_{name}"


def browser(module: str, name: str) -> str:
    """A test in a browser."""
    return f"tests/browser/test_{module}.py::test_{name}"


def webapp(module: str, name: str) -> str:
    """A test of the app's own code, by its title."""
    return f"webapp/src/{module}.test.ts > {name}"
