"""Every fact, its versioned topic, and the envelope in which it is recorded.

A topic names a meaning and a version, never a Python path; once written it stays decodable forever
(tests/golden pins each). A changed fact gets a new version and an upcaster from the old.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import Struct

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.cashier import facts as money_facts
from engine.cashier.facts import ApprovedAlone, DeskFact, ReferenceCredited
from engine.chat import facts as chat_facts
from engine.content.published_content import ContentPublished, ContentWithdrawn
from engine.house.bookings import Booked, BookingDropped, BookingProposed
from engine.house.facts import (
    DayOpened,
    HouseFact,
    HouseFounded,
    OddsProposed,
    OddsSet,
    ProgramChecked,
    ProposalRejected,
    ReceiptsSigned,
    ReceivingAccountsProposed,
    ReceivingAccountsSet,
    RoundsCarried,
    RoundsSkipped,
    SegmentLeft,
    SwitchTurned,
    TermsProposed,
    TermsSet,
)
from engine.players import facts
from engine.players.facts import PlayerFact, PlayerRegistered
from engine.rounds.facts import (
    RoundClosed,
    RoundDrawn,
    RoundFact,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    StakesReturned,
    VoidRuled,
)
from engine.staff.passes import PassEnded, PassIssued, PassProposed
from engine.staff.staff import RolesProposed, RolesRejected, RolesSet, StaffRemoved
from engine.staff.void_proposals import VoidAgreed, VoidDropped, VoidProposed

Fact = PlayerFact | RoundFact | HouseFact | DeskFact

TYPES: Final[dict[str, type[Any]]] = {
    "player-registered.1": PlayerRegistered,
    "bet-placed.1": BetPlaced,
    "bet-recalled.1": BetRecalled,
    "bet-settled.1": BetSettled,
    "bet-voided.1": BetVoided,
    "round-opened.1": RoundOpened,
    "round-closed.1": RoundClosed,
    "round-drawn.1": RoundDrawn,
    "round-settled.1": RoundSettled,
    "round-voided.1": RoundVoided,
    "void-ruled.1": VoidRuled,
    "stakes-returned.1": StakesReturned,
    "booking-proposed.1": BookingProposed,
    "booked.1": Booked,
    "booking-dropped.1": BookingDropped,
    "void-proposed.1": VoidProposed,
    "void-agreed.1": VoidAgreed,
    "void-dropped.1": VoidDropped,
    "segment-left.1": SegmentLeft,
    "rounds-carried.1": RoundsCarried,
    "day-opened.1": DayOpened,
    "rounds-skipped.1": RoundsSkipped,
    "receipts-signed.1": ReceiptsSigned,
    "deposit-requested.1": money_facts.DepositRequested,
    "deposit-endorsed.1": money_facts.DepositEndorsed,
    "deposit-approved.1": money_facts.DepositApproved,
    "deposit-rejected.1": money_facts.DepositRejected,
    "withdrawal-requested.1": money_facts.WithdrawalRequested,
    "withdrawal-endorsed.1": money_facts.WithdrawalEndorsed,
    "withdrawal-approved.1": money_facts.WithdrawalApproved,
    "withdrawal-paid.1": money_facts.WithdrawalPaid,
    "withdrawal-rejected.1": money_facts.WithdrawalRejected,
    "turnover-counted.1": money_facts.TurnoverCounted,
    "gift-proposed.1": money_facts.GiftProposed,
    "gift-rejected.1": money_facts.GiftRejected,
    "gift-granted.1": money_facts.GiftGranted,
    "bonus-released.1": money_facts.BonusReleased,
    "adjustment-proposed.1": money_facts.AdjustmentProposed,
    "adjustment-approved.1": money_facts.AdjustmentApproved,
    "correction-proposed.1": money_facts.CorrectionProposed,
    "correction-approved.1": money_facts.CorrectionApproved,
    "adjustment-rejected.1": money_facts.AdjustmentRejected,
    "member-joined.1": facts.MemberJoined,
    "base-info-completed.1": facts.BaseInfoCompleted,
    "payout-account-set.1": facts.PayoutAccountSet,
    "security-code-set.1": facts.SecurityCodeSet,
    "quota-reserved.1": facts.QuotaReserved,
    "quota-released.1": facts.QuotaReleased,
    "limit-set.1": facts.LimitSet,
    "time-out-taken.1": facts.TimeOutTaken,
    "self-excluded.1": facts.SelfExcluded,
    "reality-check-set.1": facts.RealityCheckSet,
    "player-switched.1": facts.PlayerSwitched,
    "payout-shown.1": facts.PayoutShown,
    "security-code-lifted.1": facts.SecurityCodeLifted,
    "identity-shared.1": facts.IdentityShared,
    "exclusion-carried.1": facts.ExclusionCarried,
    "identity-decided.1": facts.IdentityDecided,
    "account-change-proposed.1": facts.AccountChangeProposed,
    "account-change-rejected.1": facts.AccountChangeRejected,
    "password-reset.1": facts.PasswordReset,
    "member-erased.1": facts.MemberErased,
    "chat-said.1": chat_facts.ChatSaid,
    "chat-removed.1": chat_facts.ChatRemoved,
    "chat-muted.1": chat_facts.ChatMuted,
    "chat-unmuted.1": chat_facts.ChatUnmuted,
    "house-founded.1": HouseFounded,
    "switch-turned.1": SwitchTurned,
    "terms-proposed.1": TermsProposed,
    "terms-set.1": TermsSet,
    "receiving-accounts-proposed.1": ReceivingAccountsProposed,
    "receiving-accounts-set.1": ReceivingAccountsSet,
    "odds-proposed.1": OddsProposed,
    "odds-set.1": OddsSet,
    "proposal-rejected.1": ProposalRejected,
    "roles-proposed.1": RolesProposed,
    "roles-set.1": RolesSet,
    "roles-rejected.1": RolesRejected,
    "staff-removed.1": StaffRemoved,
    "pass-proposed.1": PassProposed,
    "pass-issued.1": PassIssued,
    "pass-ended.1": PassEnded,
    "content-published.1": ContentPublished,
    "content-withdrawn.1": ContentWithdrawn,
    "message-sent.1": facts.MessageSent,
    "message-withdrawn.1": facts.MessageWithdrawn,
    "program-checked.1": ProgramChecked,
    "approved-alone.1": ApprovedAlone,
    "reference-credited.1": ReferenceCredited,
    "repeat-endorsed.1": money_facts.RepeatEndorsed,
}
TOPICS: Final[dict[type[Any], str]] = {kind: topic for topic, kind in TYPES.items()}

encode: Final[Callable[[Fact], bytes]] = msgspec.json.Encoder().encode
_decoders: Final = {topic: msgspec.json.Decoder(kind) for topic, kind in TYPES.items()}


class RecordedFact(Struct, frozen=True, gc=False):
    """A fact in the log: its position, when it was recorded, for which command and by whom.

    `position` counts the whole log without gaps from 1, `version` the stream from 1; `at` is the
    writer's time in microseconds since 1970 and never decreases along the log.
    """

    position: int
    stream: str
    version: int
    at: int
    command_id: str
    actor: str
    fact: Fact


def decode(topic: str, state: bytes) -> Fact:
    """The fact stored under `topic`; raises KeyError for an unknown topic."""
    fact: Fact = _decoders[topic].decode(state)
    return fact


def player_stream(player_id: int) -> str:
    """The name of a player's stream."""
    return f"player-{player_id}"


@lru_cache(1 << 14)  # called everywhere, in places once per fact
def player_of(stream: str) -> int:
    """The player whose stream this is; raises ValueError for any other stream."""
    kind, _, number = stream.partition("-")
    if kind != "player":
        message = f"{stream} is not a player's stream"
        raise ValueError(message)
    return int(number)


def round_stream(game: int, issue: str) -> str:
    """The name of a round's stream."""
    return f"round-{game}-{issue}"


def game_stream(game: int) -> str:
    """The name of the stream of a game's days."""
    return f"game-{game}"


def reference_stream(reference: str) -> str:
    """The name of the stream of a payment's reference, by its keyed hash."""
    return f"reference-{reference}"


RECEIPTS_STREAM: Final = "receipts"
HOUSE_STREAM: Final = "house"
DESK_STREAM: Final = "desk"
