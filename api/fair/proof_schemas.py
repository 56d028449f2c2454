"""Wire form of the proof of a draw: everything that is published about a round.

The records have exactly the fields that the parties hash and sign, so a client can build their
canonical bytes (RFC 8785) from the response.
"""

from typing import Literal

from msgspec import Struct

from api.fair.proof_bets import BetProof
from api.http.field_types import (
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
    """The schedule of a draw day; sales of a round end `close_us` before its draw."""

    rounds: Count
    round_us: DurationUs
    close_us: DurationUs
    stagger_us: DurationUs
    opens_minute_of_day: MinuteOfDay
    day_us: DurationUs
    timezone: str


class DayRecordBody(Struct, frozen=True, gc=False):
    """What both parties signed before the day's first sale; hashes, links and keys are in hex.

    The signatures are over its canonical bytes (RFC 8785). `c_0` and `w_0` commit to the operator's
    and the witness's hash chain: every secret of the day hashes back to them. `rounds` is the
    chains' length, and `first` the first round sold under this record.
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
    """The round's bets at its close.

    `bets` is the Merkle tree head (RFC 9162) of their receipts, `i` the round's index in both
    chains. `prev` is the hash of the previous round's record; for the first round, of the day's.
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
    """The frozen record, its hash f_i (SHA-256 of its canonical bytes), and a signature over f_i.

    The signature is the operator's.
    """

    record: FrozenRecordBody
    hash: str
    operator_signature: str
    at: AtUs


class Secrets(Struct, frozen=True, gc=False):
    """Both parties' chain links for the round, and the witness's signature.

    For a drawn round the witness signs the release of its link, over f_i. For a voided round it
    signs that its link was not released and never will be.
    """

    operator_secret: str
    witness_secret: str
    witness_signature: str


class Drawn(Struct, frozen=True, gc=False):
    """The draw: three digits computed from the secrets and f_i, and their sum."""

    digits: tuple[Digit, Digit, Digit]
    sum: Total
    at: AtUs


VoidStatus = Literal["attested", "unattested", "breach"]


class Voided(Struct, frozen=True, gc=False):
    """Why the round was never drawn; all stakes were returned.

    `status` is one of:

    - attested: the witness signed that it never released its secret.
    - unattested: the witness did not state whether it released it. Two managers agreed to the
      void, half an hour after the close or later.
    - breach: the witness released its secret, and the house could not draw.

    `answer` is the witness's own reason for declining, empty if it gave none. The secrets and the
    signature are those known of a round that was not attested, and empty if unknown.
    """

    reason: str
    at: AtUs
    status: VoidStatus
    answer: str
    operator_secret: str
    witness_secret: str
    witness_signature: str


class DrawProof(Struct, frozen=True, gc=False):
    """Everything public about a round; what has not happened yet is null.

    `bets` are the caller's own bets that were not recalled: at its close, or until then now.
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
