"""Facts about a round. Stream: `round-<game>-<issue>`.

Hashes, secrets and signatures are lower-case hex; times are microseconds since 1970.
"""

from enum import StrEnum

from msgspec import Struct


class Status(StrEnum):
    """The kinds of void, see `engine/rounds/voiding.py`; facts store these values."""

    ATTESTED = "attested"
    UNATTESTED = "unattested"
    BREACH = "breach"


class RoundOpened(Struct, frozen=True, gc=False):
    """Sales began. `day` names the chain segment and `index` the link that will be revealed."""

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


class RoundDrawn(Struct, frozen=True):
    """Both secrets are public, and the digits follow from them and the frozen bet set."""

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


class RoundSettled(Struct, frozen=True, gc=False):
    """Every bet of the frozen set is settled."""

    game: int
    issue: str
    count: int
    stake_minor: int
    payout_minor: int


class RoundVoided(Struct, frozen=True, gc=False):
    """All stakes were returned; `witness_signature` attests that no secret was released.

    Both links are revealed, because no result depends on them any more.
    """

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

    `status` is a `Status`, see `engine/rounds/voiding.py`. `answer` is the witness's reason for not
    releasing its link, empty if it gave none. The signature and the secrets are those that the
    house has; a lost or never received one is empty.
    """

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

    game: int
    issue: str
    count: int
    stake_minor: int


RoundFact = (
    RoundOpened | RoundClosed | RoundDrawn | RoundSettled | RoundVoided | VoidRuled | StakesReturned
)
