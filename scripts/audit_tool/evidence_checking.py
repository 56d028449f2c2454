"""How checks are declared and made, for every kind of file that `scripts/audit verify` reads."""

from collections.abc import Callable
from typing import Any, Final, Generic, NamedTuple, TypeVar

SubjectT = TypeVar("SubjectT")
# What a value in another form than the published one raises.
MALFORMED: Final = (ValueError, KeyError, TypeError, OverflowError, RecursionError)


class MissingPartError(Exception):
    """The file lacks a part of the evidence, because the app did not have it."""


class Check(NamedTuple):
    """A check: its title, what it shows and does not show, and when it is made."""

    name: str
    title: str
    shows: str
    leaves_open: str
    holds: Callable[[Any], bool]
    applies: Callable[[Any], bool]


class Result(NamedTuple):
    """The result of a check: True, False, or None if the file lacks a part that it needs."""

    check: Check
    passed: bool | None


class Checks(Generic[SubjectT]):
    """The checks of one kind of subject, in the order in which they are declared."""

    def __init__(self) -> None:
        """Initially empty."""
        self._all: list[Check] = []

    def declare(
        self,
        title: str,
        *,
        shows: str,
        leaves_open: str,
        applies: Callable[[SubjectT], bool] = lambda _: True,
    ) -> Callable[[Callable[[SubjectT], bool]], Callable[[SubjectT], bool]]:
        """Declare a function that returns whether a check holds; its name is the check's."""

        def register(holds: Callable[[SubjectT], bool]) -> Callable[[SubjectT], bool]:
            name = holds.__name__.removeprefix("_")
            self._all.append(Check(name, title, shows, leaves_open, holds, applies))
            return holds

        return register

    def results_of(self, subject: SubjectT) -> list[Result]:
        """Returns the results of all checks that apply."""
        return [Result(each, _passed(each, subject)) for each in self._all if each.applies(subject)]


def _passed(check: Check, subject: object) -> bool | None:
    try:
        return check.holds(subject)
    except MissingPartError:
        return None
    except MALFORMED:
        return False


def known_key(party: str, known: bytes, named: bytes | None) -> Result:
    """Returns whether the key that a file names for a party is the one that the reader knows."""
    is_same = named == known
    check = Check(
        f"known_{party}",
        f"The {party}'s key is the one that you named",
        f"the {party} of this file is the one that you know",
        "that the key is used by no one else",
        lambda _: is_same,
        lambda _: True,
    )
    return Result(check, is_same)
