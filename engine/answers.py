"""What a command is answered with: accepted with what the caller needs next, or refused.

Answers are remembered with their command's id and must be readable for ever: fields are only
ever added, at the end and with a default.
"""

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import Struct

from engine.refusals import Refusal


class BetAccepted(Struct, frozen=True, gc=False, array_like=True, tag="bet"):
    """The bet is in the log as fact `version` of its player, recorded at `at` (microseconds).

    `available_minor` and `bonus_minor` are what the player holds after it.
    """

    bet: str
    game: int
    issue: str
    plan: int
    kind: str
    stake_minor: int
    odds_milli: int
    at: int
    version: int
    available_minor: int
    bonus_minor: int


class BetsRecalled(Struct, frozen=True, gc=False, array_like=True, tag="recalled"):
    """These bets were taken back and `stake_minor` in all returned."""

    bets: tuple[str, ...]
    stake_minor: int
    version: int
    available_minor: int
    bonus_minor: int


class PlayerAccepted(Struct, frozen=True, gc=False, array_like=True, tag="player"):
    """The player exists, with this balance."""

    player: int
    version: int
    available_minor: int
    bonus_minor: int


class MoneyAnswered(Struct, frozen=True, gc=False, array_like=True, tag="money"):
    """Where a deposit, withdrawal, gift or correction stands, and what the player holds.

    `status` is requested, endorsed, approved, paid, rejected, returned, or unchanged when it had
    been so before.
    """

    id: str
    status: str
    amount_minor: int
    version: int
    available_minor: int
    bonus_minor: int
    withdrawing_minor: int


class StandingChanged(Struct, frozen=True, gc=False, array_like=True, tag="standing"):
    """A setting of the player holds from `from_at` on, in microseconds since 1970."""

    version: int
    from_at: int


class ChatAnswered(Struct, frozen=True, gc=False, array_like=True, tag="chat"):
    """What was asked about the chat is done, at `at`; the player may not speak until a time.

    Microseconds since 1970; `muted_until` lies in the past for one who may speak.
    """

    version: int
    at: int
    muted_until: int


class Done(Struct, frozen=True, gc=False, array_like=True, tag="done"):
    """A step of the house was taken, or had been taken before (`facts` is then 0)."""

    facts: int


class Refused(Struct, frozen=True, gc=False, array_like=True, tag="refused"):
    """Nothing happened; `field` names the part of the command that is to blame, if one is."""

    refusal: Refusal
    field: str = ""


Answer = (
    BetAccepted
    | BetsRecalled
    | PlayerAccepted
    | MoneyAnswered
    | StandingChanged
    | ChatAnswered
    | Done
    | Refused
)

encode: Final[Callable[[Answer], bytes]] = msgspec.json.Encoder().encode
decode: Final[Callable[[bytes], Answer]] = msgspec.json.Decoder(Answer).decode
