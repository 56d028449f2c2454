"""Facts about a round. Stream: `round-<game>-<issue>`.

Hashes, secrets and signatures are lower-case hex; times are microseconds since 1970.
"""

from enum import StrEnum
from typing import ClassVar

from msgspec import Struct

from engine.fairness.beacon import BeaconRound


class Status(StrEnum):
    """The kinds of void, see `rule_void`; facts store these values."""

    ATTESTED = "attested"
    UNATTESTED = "unattested"
    BREACH = "breach"


class Statement(StrEnum):
    """What a witness states about a round after it was voided as unattested; facts store these."""

    RELEASED = "released"
    NOT_RELEASED = "not_released"
    UNKNOWN = "unknown"


class RoundOpened(Struct, frozen=True, gc=False):
    """Sales began. `day` names the chain segment and `index` the link that will be revealed."""

    topic: ClassVar = "round-opened.1"
    game: int
    day: str
    index: int
    issue: str
    opens_at: int
    closes_at: int
    draws_at: int
    odds_table: str


class RoundClosed(Struct, frozen=True):
    """Sales ended; the set of unrecalled bets is frozen under the hash `frozen`.

    `bets` is the tree head of their receipts in log order, `stakes` the stake per bet kind, `prev`
    the hash of the previous record; together they are the record that `frozen` hashes.
    """

    topic: ClassVar = "round-closed.1"
    game: int
    day: str
    index: int
    issue: str
    closes_at: int
    count: int
    stake_minor: int
    stakes: dict[str, int]
    bets: str
    prev: str
    frozen: str
    signature: str


class RoundDrawn(Struct, frozen=True, omit_defaults=True):
    """Both secrets are public, and the digits follow from them and the frozen bet set.

    `beacon` is the public beacon's round that the digits follow from as well; None if the day's
    beacon mode is off.
    """

    topic: ClassVar = "round-drawn.1"
    game: int
    day: str
    index: int
    issue: str
    operator_secret: str
    witness_secret: str
    frozen: str
    digits: tuple[int, int, int]
    total: int
    operator_signature: str
    witness_signature: str
    beacon: BeaconRound | None = None


class RoundSettled(Struct, frozen=True, gc=False):
    """Every bet of the frozen set is settled."""

    topic: ClassVar = "round-settled.1"
    game: int
    issue: str
    count: int
    stake_minor: int
    payout_minor: int


class RoundVoided(Struct, frozen=True, gc=False):
    """All stakes were returned, as `VoidRound` asked; the scheduler uses `VoidRuled` instead.

    `witness_signature` attests that no secret was released.

    Both links are revealed, because no result depends on them any more.
    """

    topic: ClassVar = "round-voided.1"
    game: int
    issue: str
    reason: str
    count: int
    stake_minor: int
    witness_signature: str
    index: int
    operator_secret: str
    witness_secret: str


class VoidRuled(Struct, frozen=True):
    """Two managers agreed to void a round that cannot be drawn; from here on it never is drawn.

    `status` is a `Status`, see `rule_void`. `answer` is the witness's reason for not releasing its
    link, empty if it gave none. The signature and the secrets are those that the house has; a lost
    or never received one is empty.
    """

    topic: ClassVar = "void-ruled.1"
    game: int
    day: str
    index: int
    issue: str
    status: str
    reason: str
    proposed_by: str
    agreed_by: str
    answer: str
    witness_signature: str
    operator_secret: str
    witness_secret: str


class StakesReturned(Struct, frozen=True, gc=False):
    """Every stake of a round whose void was ruled was returned: the round is voided."""

    topic: ClassVar = "stakes-returned.1"
    game: int
    issue: str
    count: int
    stake_minor: int


class WitnessAnsweredLate(Struct, frozen=True):
    """The witness of a round that was voided as unattested stated later what was true.

    `statement` is a `Statement`, see `answer_late`. A signature is the witness's over its release
    of the round's frozen record, or over "not released, and never will be", and the secret is its
    link. Both are empty if it signed nothing: then `answer` is its reason for declining.
    """

    topic: ClassVar = "witness-answered-late.1"
    game: int
    day: str
    index: int
    issue: str
    statement: str
    answer: str
    witness_signature: str
    witness_secret: str


RoundFact = (
    RoundOpened
    | RoundClosed
    | RoundDrawn
    | RoundSettled
    | RoundVoided
    | VoidRuled
    | StakesReturned
    | WitnessAnsweredLate
)
