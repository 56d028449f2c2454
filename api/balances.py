"""What active players hold, kept in step with the log, so that a heartbeat costs no query."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from msgspec import Struct

from api.units import Money, Version
from api.wire import encode, money
from engine.facts import Recorded
from engine.ledger import account, postings
from engine.runtime import supervision
from projections.accounts.queries import Account

KEPT: Final = 50_000


class WireBalance(Struct, frozen=True, gc=False):
    """Available money and bonus in u; `version` counts the player's facts."""

    money: Money
    score: Money
    version: Version


class Balance(Struct, gc=False):
    """Minor units after the player's fact `version`; `encoded` is its wire form, once made."""

    available: int
    bonus: int
    version: int
    encoded: bytes = b""

    def wire(self) -> bytes:
        """The balance as JSON."""
        if not self.encoded:
            self.encoded = encode(
                WireBalance(money(self.available), money(self.bonus), self.version)
            )
        return self.encoded


class Balances:
    """Balances at hand. Used from the event loop alone; a version never goes back."""

    def __init__(self, load: Callable[[int], Awaitable[Account | None]]) -> None:
        """`load` reads a player's account from the read models."""
        self._load = load
        self._at_hand: dict[int, Balance] = {}
        self._fetching: dict[int, asyncio.Task[None]] = {}
        self._passed: dict[int, int] = {}

    def at_hand(self, player: int) -> Balance | None:
        """The balance, unless it must be fetched first."""
        return self._at_hand.get(player)

    async def fetch(self, player: int) -> Balance | None:
        """The balance, read if it is not at hand; None for a player nobody knows."""
        if player not in self._at_hand:
            reading = self._fetching.get(player)
            if reading is None:
                reading = self._fetching[player] = supervision.owned(self._read(player))
            await asyncio.shield(reading)
        return self._at_hand.get(player)

    async def _read(self, player: int) -> None:
        """Read until nothing has passed meanwhile that may be missing in what was read."""
        self._passed[player] = 0
        try:
            while (row := await self._load(player)) is not None:
                if row.version >= self._passed[player]:
                    self.learn(player, row.version, row.available, row.bonus)
                    return
        finally:
            del self._passed[player], self._fetching[player]

    def learn(self, player: int, version: int, available: int, bonus: int) -> None:
        """What a player holds after their fact `version`."""
        known = self._at_hand.get(player)
        if known is not None and known.version >= version:
            return
        self._at_hand[player] = Balance(available, bonus, version)
        while len(self._at_hand) > KEPT:
            del self._at_hand[next(iter(self._at_hand))]

    def forget(self) -> None:
        """Facts have passed unseen: whatever is asked for next is read again."""
        self._at_hand.clear()

    def apply(self, player: int, recorded: Recorded) -> None:
        """A fact of this player has passed: move the balance, if it is at hand."""
        if player in self._passed:
            self._passed[player] = recorded.version
        known = self._at_hand.get(player)
        if known is None or recorded.version <= known.version:
            return
        if recorded.version != known.version + 1:
            del self._at_hand[player]
            return
        moved = {posting.account: posting.amount_minor for posting in postings(recorded)}
        self._at_hand[player] = Balance(
            known.available + moved.get(account(player, "available"), 0),
            known.bonus + moved.get(account(player, "bonus"), 0),
            recorded.version,
        )
