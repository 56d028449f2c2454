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
from engine.runtime.vault.private_fields import IDCARD, PRIVATE_FIELDS, masked
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
# The outbox, filled by triggers (engine/runtime/log/migrations/0002_changed_players.sql).
_CHANGED: Final = "SELECT player, changes FROM vault.changed_players ORDER BY player LIMIT %s"
_RECORDED: Final = "DELETE FROM vault.changed_players WHERE player = %s AND changes = %s"
_ALL_SHARED: Final = (
    "SELECT DISTINCT player FROM (SELECT player, rank() OVER"
    " (PARTITION BY field, hash ORDER BY at, player) AS place FROM vault.blind_indexes) AS claims"
    " JOIN vault.members USING (player) WHERE place > 1 ORDER BY player"
)
_PROFILE: Final = (
    "SELECT m.avatar, k.key_version, k.sealed, given.names, given.sealed, c.set_at,"
    f" coalesce(c.tries - c.forgiven >= {FAILURES_ALLOWED}, false),"
    f" {_SHARED},"
    " card.id, card.sealed, wallet.id, wallet.sealed"
    " FROM vault.members m"
    " LEFT JOIN vault.member_keys k ON k.player = m.player"
    " CROSS JOIN LATERAL (SELECT array_agg(field) AS names, array_agg(sealed) AS sealed"
    " FROM vault.private_fields WHERE player = m.player AND field = ANY(%(fields)s)) AS given"
    " LEFT JOIN vault.security_codes c ON c.player = m.player"
    " LEFT JOIN vault.payout_accounts card"
    f" ON card.player = m.player AND card.kind = {BANK_CARD} AND card.current"
    " LEFT JOIN vault.payout_accounts wallet"
    f" ON wallet.player = m.player AND wallet.kind = {WALLET} AND wallet.current"
    " WHERE m.player = %(player)s"
)


class ShownPayout(Struct, frozen=True):
    """A current payout account, masked.

    `number` is the card number or the address; `name` is the masked holder or the plain network.
    Facts refer to the version by `id` and `commitment`.
    """

    id: str
    kind: int
    number: str
    name: str
    bank: str
    commitment: str


class ProfileState(Struct, frozen=True):
    """The data that a player has given of what a withdrawal needs.

    `private` has the private fields that were given, masked, by name. `code_set_at` is when the
    security code was last set, in microseconds, None without a code. `shared` names players who
    gave the same private field (by name) or payout account ("payout") earlier; it is never shown to
    the player.
    """

    avatar: int
    private: dict[str, str]
    payout_accounts: tuple[ShownPayout, ...]
    code_set_at: int | None
    code_locked: bool
    shared: tuple[tuple[int, str], ...] = ()

    @property
    def base_info_complete(self) -> bool:
        """Whether an ID-card number was given, which a withdrawal needs."""
        return IDCARD.name in self.private

    @property
    def code_is_set(self) -> bool:
        """Whether a security code is set."""
        return self.code_set_at is not None


class Profiles(VaultPart):
    """Queries about a player's data, and the outbox of changes that the engine has to record."""

    def profile_state(self, player: int) -> ProfileState | None:
        """Returns the player's profile state, in one query; None if there is no such player."""
        with self._pool.connection() as connection:
            values = {"player": player, "fields": list(PRIVATE_FIELDS)}
            row = connection.execute(_PROFILE, values).fetchone()
        if row is None:
            return None
        avatar, version, wrapped, names, sealed, code_set_at, locked, found, *accounts = row
        if wrapped is None:
            return ProfileState(avatar, {}, (), code_set_at, locked)
        key = self._keys.unwrap(player, WrappedKey(version, wrapped))
        given = masked(key, player, dict(zip(names or (), sealed or (), strict=True)))
        shown = _shown(key, player, (tuple(accounts[:2]), tuple(accounts[2:])))
        return ProfileState(avatar, given, shown, code_set_at, locked, _shared(found))

    def later_claimants(self, player: int) -> list[int]:
        """Returns the players who gave this player's ID card or payout account later."""
        with self._pool.connection() as connection:
            return [found for (found,) in connection.execute(_LATER, (player,))]

    def sharing(self) -> list[int]:
        """Returns all players who gave an ID card or payout account that another gave earlier."""
        with self._pool.connection() as connection:
            return [found for (found,) in connection.execute(_ALL_SHARED)]

    def changed_players(self, limit: int) -> list[tuple[int, int]]:
        """Returns players whose data changed, each with a number that grows with each change."""
        with self._pool.connection() as connection:
            return [(player, count) for player, count in connection.execute(_CHANGED, (limit,))]

    def change_recorded(self, player: int, changes: int) -> None:
        """Remove the player from the changed ones, unless there was a change after this number."""
        with self._pool.connection() as connection:
            connection.execute(_RECORDED, (player, changes))


def _shared(found: list[str]) -> tuple[tuple[int, str], ...]:
    """Returns the other players and the kind of value shared with each, without duplicates."""
    pairs = (each.split(" ") for each in found)
    subjects = {(int(other), name if name in PRIVATE_FIELDS else "payout") for name, other in pairs}
    return tuple(sorted(subjects))


def _shown(key: PlayerKey, player: int, rows: tuple[TupleRow, ...]) -> tuple[ShownPayout, ...]:
    return tuple(
        _masked(key, number, open_account(key, player, number, sealed))
        for number, sealed in rows
        if number is not None
    )


def _masked(key: PlayerKey, number: str, account: PayoutMethod) -> ShownPayout:
    kind, commitment = kind_of(account), commitment_to(key, number, account)
    if isinstance(account, BankCard):
        card, holder = mask_number(account.number), mask_name(account.holder)
        return ShownPayout(number, kind, card, holder, account.bank, commitment)
    address = mask_name(account.address)
    return ShownPayout(number, kind, address, account.network, "", commitment)
