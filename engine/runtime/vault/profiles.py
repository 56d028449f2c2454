"""A player's profile state: which private data they gave, masked."""

from typing import Final

from msgspec import Struct
from psycopg.rows import TupleRow

from engine.runtime.vault.base import VaultPart
from engine.runtime.vault.payout_accounts import (
    BANK_CARD,
    WALLET,
    PayoutMethod,
    commitment_to,
    kind_of,
    open_account,
)
from engine.runtime.vault.private_fields import open_field
from engine.runtime.vault.security_codes import FAILURES_ALLOWED
from engine.runtime.vault.validation import BankCard, mask_name, mask_number
from engine.runtime.vault.vault_keys import PlayerKey, WrappedKey

# The other players who gave one of the player's values earlier.
_SHARED: Final = (
    "ARRAY(SELECT DISTINCT mine.field || ' ' || theirs.player FROM vault.blind_indexes mine"
    " JOIN vault.blind_indexes theirs ON theirs.field = mine.field AND theirs.hash = mine.hash"
    " WHERE mine.player = m.player AND (theirs.at, theirs.player) < (mine.at, mine.player))"
)
_LATER: Final = (
    "SELECT DISTINCT theirs.player FROM vault.blind_indexes mine"
    " JOIN vault.blind_indexes theirs ON theirs.field = mine.field AND theirs.hash = mine.hash"
    " JOIN vault.members m ON m.player = theirs.player"
    " WHERE mine.player = %s AND (theirs.at, theirs.player) > (mine.at, mine.player)"
)
_ALL_SHARED: Final = (
    "SELECT DISTINCT player FROM (SELECT player, rank() OVER"
    " (PARTITION BY field, hash ORDER BY at, player) AS place FROM vault.blind_indexes) AS claims"
    " JOIN vault.members USING (player) WHERE place > 1 ORDER BY player"
)
_PROFILE: Final = (
    "SELECT m.avatar, k.key_version, k.sealed, i.sealed, c.set_at,"
    f" coalesce(c.tries - c.forgiven >= {FAILURES_ALLOWED}, false),"
    f" {_SHARED},"
    " card.id, card.sealed, card.saved_at, wallet.id, wallet.sealed, wallet.saved_at"
    " FROM vault.members m"
    " LEFT JOIN vault.member_keys k ON k.player = m.player"
    " LEFT JOIN vault.private_fields i ON i.player = m.player AND i.field = 'idcard'"
    " LEFT JOIN vault.security_codes c ON c.player = m.player"
    " LEFT JOIN vault.payout_accounts card"
    f" ON card.player = m.player AND card.kind = {BANK_CARD} AND card.current"
    " LEFT JOIN vault.payout_accounts wallet"
    f" ON wallet.player = m.player AND wallet.kind = {WALLET} AND wallet.current"
    " WHERE m.player = %s"
)


class ShownPayout(Struct, frozen=True):
    """A current payout account, masked.

    `number` is the card number or the address; `name` is the masked holder or the plain network.
    Facts refer to the version by `id` and `commitment`. `saved_at` is in microseconds.
    """

    id: str
    kind: int
    number: str
    name: str
    bank: str
    commitment: str
    saved_at: int


class ProfileState(Struct, frozen=True):
    """The data that a player has given of what a withdrawal needs.

    `idcard` is masked, None until it is given. `code_set_at` is when the security code was last
    set, in microseconds, None without a code. `shared` names players who gave the same ID card
    ("idcard") or payout account ("payout") earlier; it is never shown to the player.
    """

    avatar: int
    idcard: str | None
    payout_accounts: tuple[ShownPayout, ...]
    code_set_at: int | None
    code_locked: bool
    shared: tuple[tuple[int, str], ...] = ()

    @property
    def base_info_complete(self) -> bool:
        """Whether an ID-card number was given, the only base information that a player can add."""
        return self.idcard is not None

    @property
    def code_is_set(self) -> bool:
        """Whether a security code is set."""
        return self.code_set_at is not None


class Profiles(VaultPart):
    """Read-only queries."""

    def profile_state(self, player: int) -> ProfileState | None:
        """Returns the player's profile state, in one query; None if there is no such player."""
        with self._pool.connection() as connection:
            row = connection.execute(_PROFILE, (player,)).fetchone()
        if row is None:
            return None
        avatar, version, wrapped, idcard, code_set_at, locked, found, *accounts = row
        if wrapped is None:
            return ProfileState(avatar, None, (), code_set_at, locked)
        key = self._keys.unwrap(player, WrappedKey(version, wrapped))
        number = None if idcard is None else mask_number(open_field(key, player, "idcard", idcard))
        shown = _shown(key, player, (tuple(accounts[:3]), tuple(accounts[3:])))
        return ProfileState(avatar, number, shown, code_set_at, locked, _shared(found))

    def later_claimants(self, player: int) -> list[int]:
        """Returns the players who gave this player's ID card or payout account later."""
        with self._pool.connection() as connection:
            return [found for (found,) in connection.execute(_LATER, (player,))]

    def sharing(self) -> list[int]:
        """Returns all players who gave an ID card or payout account that another gave earlier."""
        with self._pool.connection() as connection:
            return [found for (found,) in connection.execute(_ALL_SHARED)]


def _shared(found: list[str]) -> tuple[tuple[int, str], ...]:
    """Returns the other players and the kind of value shared with each, without duplicates."""
    pairs = (each.split(" ") for each in found)
    subjects = {(int(other), "idcard" if field == "idcard" else "payout") for field, other in pairs}
    return tuple(sorted(subjects))


def _shown(key: PlayerKey, player: int, rows: tuple[TupleRow, ...]) -> tuple[ShownPayout, ...]:
    return tuple(
        _masked(key, number, open_account(key, player, number, sealed), saved_at)
        for number, sealed, saved_at in rows
        if number is not None
    )


def _masked(key: PlayerKey, number: str, account: PayoutMethod, saved_at: int) -> ShownPayout:
    kind, commitment = kind_of(account), commitment_to(key, number, account)
    if isinstance(account, BankCard):
        card, holder = mask_number(account.number), mask_name(account.holder)
        return ShownPayout(number, kind, card, holder, account.bank, commitment, saved_at)
    address = mask_name(account.address)
    return ShownPayout(number, kind, address, account.network, "", commitment, saved_at)
