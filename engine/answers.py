"""Answers to commands: accepted with what the caller needs next, or refused.

Each answer is stored with its command's id and must stay readable forever. New fields are therefore
only added at the end, with a default.
"""

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import Struct

from engine.refusals import Refusal


class BetAccepted(Struct, frozen=True, gc=False, array_like=True, tag="bet"):
    """The bet is in the log as fact `version` of its player, recorded at `at` (microseconds).

    `available_minor` and `bonus_minor` are the player's balances after the bet.
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
    """These bets were recalled and `stake_minor` in total was returned."""

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
    """The status of a deposit, withdrawal, gift or correction, and the player's balances.

    `status` is requested, endorsed, approved, paid, rejected, returned, or unchanged if the command
    changed nothing.
    """

    id: str
    status: str
    amount_minor: int
    version: int
    available_minor: int
    bonus_minor: int
    withdrawing_minor: int


class StandingChanged(Struct, frozen=True, gc=False, array_like=True, tag="standing"):
    """A setting of the player takes effect at `from_at`, in microseconds since 1970."""

    version: int
    from_at: int


class ChatAnswered(Struct, frozen=True, gc=False, array_like=True, tag="chat"):
    """The chat command is done, at `at`; the player is muted until `muted_until`.

    Both are microseconds since 1970; `muted_until` is in the past if the player is not muted.
    """

    version: int
    at: int
    muted_until: int


class Done(Struct, frozen=True, gc=False, array_like=True, tag="done"):
    """A step of the house was taken, or had been taken before (`facts` is then 0)."""

    facts: int


class Refused(Struct, frozen=True, gc=False, array_like=True, tag="refused"):
    """Nothing happened; `field` names the invalid part of the command, if there is one."""

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
