"""The interface of a witness of the draws, in this process or on another machine.

`local_witness.py` is the witness itself, which also cosigns checkpoints of the log by the rules of
`engine/fairness/cosigning.py`; `engine/runtime/log/cosigners.py` asks it and others to.

Every call blocks. An OSError means that no answer arrived; the same call may be repeated.
"""

from typing import Protocol

from msgspec import Struct

from engine.fairness.witness_state import Declined, Signed
from engine.runtime.witness.log_evidence import LogEvidence


class WitnessDeclined(Exception):  # noqa: N818 - an answer, not a fault
    """The witness did not sign; `declined` has the reason."""

    def __init__(self, declined: Declined) -> None:
        """`declined` is the witness's answer."""
        super().__init__(declined.reason)
        self.declined = declined


class WitnessStatus(Struct, frozen=True):
    """The witness's records of a day or segment, and of its date.

    `record` is the hash in hex of the day's record that it signed, empty if none. `released` is
    the last index of the segment that it released or cancelled. `segment` is the highest segment
    number of the date that it signed, -1 if none. `last` is the last index that it released or
    cancelled in any segment of the date.
    """

    record: str
    released: int
    segment: int
    last: int


class Witness(Protocol):
    """A witness as the round scheduler and the day opener use it."""

    @property
    def public(self) -> bytes:
        """Its raw public key."""

    def status(self, game: str, day: str) -> WitnessStatus:
        """Returns its status of a day or segment. Raises ValueError for a malformed name."""

    def commit(self, game: str, day: str, rounds: int) -> bytes:
        """Returns the anchor w_0 of a day's chain; its tail is durable by then."""

    def sign_day(self, request: Signed, operator_key: bytes) -> bytes:
        """Returns the signature on a day's record. Raises WitnessDeclined if it does not sign."""

    def release(self, request: Signed, evidence: LogEvidence | None = None) -> tuple[bytes, bytes]:
        """Returns a round's link and the signature on its frozen set, or raises WitnessDeclined.

        `evidence` shows that the log holds the round; a witness in this process needs none.
        """

    def cancel(self, request: Signed) -> tuple[bytes, bytes]:
        """Returns the link of a round, and the signature that the round will never be released.

        Raises WitnessDeclined if the round was released, or if the witness cannot rule that out.
        """
