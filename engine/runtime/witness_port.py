"""What the house asks of a witness, wherever it runs: in this process, or on another machine.

Every call blocks. An OSError means that no answer came, and the same question may be asked again.
"""

from typing import Protocol

from msgspec import Struct

from engine.fairness.witness_state import Declined, Signed


class WitnessDeclined(Exception):  # noqa: N818 - an answer, not a fault
    """The witness did not sign; `declined` says why."""

    def __init__(self, declined: Declined) -> None:
        """Carry the witness's own reason."""
        super().__init__(declined.reason)
        self.declined = declined


class WitnessStatus(Struct, frozen=True):
    """What the witness has of a day or segment, and of the date it belongs to.

    `record` is the hash in hex of the day's record that it signed, empty if it signed none, and
    `released` the last index of the segment that it released or cancelled. `segment` is the
    highest number of any segment of the date, -1 if it signed none, and `last` the last index
    that it released or cancelled in any of them.
    """

    record: str
    released: int
    segment: int
    last: int


class Witness(Protocol):
    """A witness as the conductor and the opening of days use it."""

    @property
    def public(self) -> bytes:
        """Its raw public key."""

    def status(self, game: str, day: str) -> WitnessStatus:
        """What it has of a day or segment; ValueError for a name that is none."""

    def commit(self, game: str, day: str, rounds: int) -> bytes:
        """The anchor w_0 of a day's chain; its tail is durable when this returns."""

    def sign_day(self, request: Signed, operator_key: bytes) -> bytes:
        """The signature under a day's record; WitnessDeclined if it does not sign."""

    def release(self, request: Signed) -> tuple[bytes, bytes]:
        """The link of a round, and the signature under its frozen set; or WitnessDeclined."""

    def cancel(self, request: Signed) -> tuple[bytes, bytes]:
        """The link of a round that will never be released, and the signature that says so.

        WitnessDeclined for a round that was released, or that it cannot say it of.
        """
