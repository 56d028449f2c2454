"""What is published of a round, as the proof of its draw has it on the wire.

The records have the fields that the parties hash and sign, and no others: their canonical bytes
(RFC 8785) are made from what is answered.
"""

from typing import Literal

from msgspec import Struct

from api.proof_bets import BetProof
from api.units import (
    AtUs,
    Count,
    Digit,
    DurationUs,
    Format,
    GameId,
    MinorUnits,
    MinuteOfDay,
    Total,
)

Phase = Literal["open", "closed", "drawn", "settled", "voided"]


class DaySchedule(Struct, frozen=True, gc=False):
    """The plan of a draw day; sales of a round end `close_us` before its draw."""

    rounds: Count
    round_us: DurationUs
    close_us: DurationUs
    stagger_us: DurationUs
    opens_minute_of_day: MinuteOfDay
    day_us: DurationUs
    timezone: str


class DayRecordBody(Struct, frozen=True, gc=False):
    """What both parties signed before the day's first sale; hashes, links and keys in hex.

    Its canonical bytes (RFC 8785) are what the signatures are over. `c_0` and `w_0` are the chains
    that every secret of the day leads back to; `rounds` is their length, and `first` the first
    round sold under this record.
    """

    beacon: str
    c_0: str
    day: str
    first: Count
    game: str
    odds_table: str
    operator_key: str
    program: str
    rounds: Count
    rules: str
    schedule: DaySchedule
    shift: Count
    v: Format
    w_0: str
    witness_key: str


class SignedDay(Struct, frozen=True, gc=False):
    """The day of the round with both signatures, recorded at `at`; `odds_table` is its id."""

    record: DayRecordBody
    operator_signature: str
    witness_signature: str
    odds_table: str
    at: AtUs


class FrozenRecordBody(Struct, frozen=True, gc=False):
    """The round's bets as they stood at its close.

    `bets` is the tree head (RFC 9162) of their receipts, `i` the round's place in both chains,
    `prev` the hash of the record before it, or of the day's for the first.
    """

    bets: str
    closes_at: AtUs
    count: Count
    day: str
    game: str
    i: Count
    issue: str
    prev: str
    stake_minor: MinorUnits
    stakes: dict[str, MinorUnits]
    v: Format


class SignedSet(Struct, frozen=True, gc=False):
    """The frozen record, its hash f_i (SHA-256 of its canonical bytes), the operator's signature.

    The signature is over f_i.
    """

    record: FrozenRecordBody
    hash: str
    operator_signature: str
    at: AtUs


class Secrets(Struct, frozen=True, gc=False):
    """Both parties' links for the round, and what the witness signed as it gave its own.

    Of a drawn round that is a release, over f_i; of a voided one that its link was not released
    and never will be.
    """

    operator_secret: str
    witness_secret: str
    witness_signature: str


class Drawn(Struct, frozen=True, gc=False):
    """The draw: three digits that follow from the secrets and f_i, and their sum."""

    digits: tuple[Digit, Digit, Digit]
    sum: Total
    at: AtUs


VoidStatus = Literal["attested", "unattested", "breach"]


class Voided(Struct, frozen=True, gc=False):
    """Why the round was never drawn; all stakes were returned.

    `status` is attested (the witness signed that it never released its secret), unattested (the
    witness did not say whether it did; two managers agreed, half an hour after the close or later)
    or breach (the witness released its secret, and the house could not draw). `answer` is the
    witness's own reason for declining, empty if it gave none. The secrets and the signature are
    those that are known of a round that was not attested; empty where they are not.
    """

    reason: str
    at: AtUs
    status: VoidStatus
    answer: str
    operator_secret: str
    witness_secret: str
    witness_signature: str


class DrawProof(Struct, frozen=True, gc=False):
    """What is public of a round; what has not happened yet is null.

    `bets` are the caller's own that stood at its close, or that stand now.
    """

    game_id: GameId
    issue: str
    state: Phase
    opens_at: AtUs
    closes_at: AtUs
    draws_at: AtUs
    self_witnessed: bool
    day: SignedDay | None
    frozen: SignedSet | None
    secrets: Secrets | None
    drawn: Drawn | None
    voided: Voided | None
    bets: tuple[BetProof, ...]
