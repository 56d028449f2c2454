"""The house's steps with a round. They come from the scheduler, never from a player."""

from msgspec import Struct

from engine.fairness.beacon import BeaconRound


class OpenRound(Struct, frozen=True, tag="open-round"):
    """Begin the sale of round `index` of the game's open day."""

    game: int
    index: int
    opens_at: int
    closes_at: int
    draws_at: int


class CloseRound(Struct, frozen=True, tag="close-round"):
    """End the sale and freeze the bet set."""

    game: int
    issue: str


class DrawRound(Struct, frozen=True, tag="draw-round"):
    """Release the draw from both secrets (hex) and the witness's signature over the bet set.

    `beacon` is the beacon round that the day's mode requires, None if it is off.
    """

    game: int
    issue: str
    operator_secret: str
    witness_secret: str
    witness_signature: str
    beacon: BeaconRound | None = None


class SettleRound(Struct, frozen=True, tag="settle-round"):
    """Settle the next `limit` bets; after the last one the round is settled."""

    game: int
    issue: str
    limit: int


class VoidRound(Struct, frozen=True, tag="void-round"):
    """Return the next `limit` stakes of a closed round that the witness never released.

    Tests and the simulator send it; the scheduler voids with `RuleVoid` and `ReturnStakes`, which
    need the agreement of two managers.
    """

    game: int
    issue: str
    reason: str
    witness_signature: str
    operator_secret: str
    witness_secret: str
    limit: int


class RuleVoid(Struct, frozen=True, tag="rule-void"):
    """Void a closed round that cannot be drawn, as two managers agreed.

    Everything but the round comes from the witness and from the chains, never from staff: the
    operator's link, the witness's signed release and link, its signed "not released", and its
    reason for declining to release. A field is empty if there is none.
    """

    game: int
    issue: str
    operator_secret: str
    witness_secret: str
    released: str
    cancelled: str
    answer: str


class ReturnStakes(Struct, frozen=True, tag="return-stakes"):
    """Return the next `limit` stakes of a round whose void was ruled."""

    game: int
    issue: str
    limit: int


class AnswerLate(Struct, frozen=True, tag="answer-late"):
    """Record what the witness answered about a round that was voided as unattested.

    `released` and `cancelled` are its signatures, `answer` its reason for declining. A field is
    empty if there is none.
    """

    game: int
    issue: str
    released: str
    cancelled: str
    witness_secret: str
    answer: str


RoundCommand = (
    OpenRound
    | CloseRound
    | DrawRound
    | SettleRound
    | VoidRound
    | RuleVoid
    | ReturnStakes
    | AnswerLate
)
