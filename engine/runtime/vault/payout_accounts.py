"""What members are paid to: bank cards and wallets. No version of one is ever changed.

A withdrawal refers to the version that was current when it was asked for, so old versions stay.
"""

from typing import Final, TypeAlias

import msgspec
from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from engine.runtime.vault.identity import read_field, save_field
from engine.runtime.vault.keys import PlayerKey
from engine.runtime.vault.part import VaultPart
from engine.runtime.vault.refused import VaultRefused
from engine.runtime.vault.rules import BankCard, Wallet, same_name

PayoutMethod: TypeAlias = BankCard | Wallet
BANK_CARD: Final = 0
WALLET: Final = 1
_ID_BYTES: Final = 16

_CURRENT: Final = (
    "SELECT id, sealed, saved_at FROM vault.payout_accounts"
    " WHERE player = %s AND kind = %s AND current"
)
_BY_ID: Final = "SELECT kind, sealed FROM vault.payout_accounts WHERE player = %s AND id = %s"
_REPLACE: Final = (
    "UPDATE vault.payout_accounts SET current = false WHERE player = %s AND kind = %s AND current"
)
_INSERT: Final = (
    "INSERT INTO vault.payout_accounts (id, player, kind, sealed, saved_at, current)"
    " VALUES (%s, %s, %s, %s, %s, true)"
)


class Saved(Struct, frozen=True):
    """A version of a payout account as facts refer to it.

    `commitment` is hex; `at` is when it was saved. `fresh` is false if it was current before.
    """

    id: str
    kind: int
    commitment: str
    at: int
    fresh: bool


class PayoutAccounts(VaultPart):
    """One current bank card (kind 0) and one current wallet (kind 1) a member."""

    def save_payout_account(self, player: int, account: PayoutMethod) -> Saved | VaultRefused:
        """Make it the member's current account of its kind; the current one again is no change.

        The first bank card's holder becomes the member's legal name. What another member ever
        saved is kept as well: `ProfileState.shared` says so. Get an account from
        `rules.bank_card` or `rules.wallet`. KeyError when there is no such member.
        """
        with self._pool.connection() as connection:
            key = self._lock_player(connection, player)
            row = connection.execute(_CURRENT, (player, kind_of(account))).fetchone()
            if row is not None and open_account(key, player, row[0], row[1]) == account:
                return _saved(key, row[0], account, at=row[2], fresh=False)
            refused = self._check(connection, key, player, account)
            return refused or self._insert_account(connection, key, player, account)

    def _check(
        self, connection: Connection[TupleRow], key: PlayerKey, player: int, account: PayoutMethod
    ) -> VaultRefused | None:
        legal_name = read_field(connection, key, player, "legal_name")
        if legal_name is not None and not _belongs_to(account, legal_name):
            return VaultRefused("holder_mismatch", "holder")
        self._claim_unique(connection, player, *account.owned)
        if legal_name is None and isinstance(account, BankCard):
            save_field(connection, key, player, "legal_name", account.holder)
        return None

    def _insert_account(
        self, connection: Connection[TupleRow], key: PlayerKey, player: int, account: PayoutMethod
    ) -> Saved:
        number, now, kind = self._entropy(_ID_BYTES).hex(), self._clock(), kind_of(account)
        sealed = key.seal(msgspec.json.encode(account).decode(), _associated_data(player, number))
        connection.execute(_REPLACE, (player, kind))
        connection.execute(_INSERT, (number, player, kind, sealed, now))
        return _saved(key, number, account, at=now, fresh=True)

    def reveal_payout_account(self, player: int, account: str) -> PayoutMethod | None:
        """The version with this id in plain text, for staff who pay; None if it is not theirs.

        The caller records who saw it as a fact BEFORE showing it. KeyError when there is no such
        member, or no longer.
        """
        with self._pool.connection() as connection:
            key = self._lock_player(connection, player)
            row = connection.execute(_BY_ID, (player, account)).fetchone()
            return None if row is None else open_account(key, player, account, row[1])


def _belongs_to(account: PayoutMethod, legal_name: str) -> bool:
    """Whether the account names this person; a wallet names nobody."""
    return isinstance(account, Wallet) or same_name(account.holder) == same_name(legal_name)


def kind_of(account: PayoutMethod) -> int:
    """0 for a bank card, 1 for a wallet."""
    return BANK_CARD if isinstance(account, BankCard) else WALLET


def current_card(connection: Connection[TupleRow], key: PlayerKey, player: int) -> BankCard | None:
    """The member's bank card, if they gave one."""
    row = connection.execute(_CURRENT, (player, BANK_CARD)).fetchone()
    if row is None:
        return None
    account = open_account(key, player, row[0], row[1])
    assert isinstance(account, BankCard)
    return account


def open_account(key: PlayerKey, player: int, number: str, sealed: bytes) -> PayoutMethod:
    """A version in plain text; InvalidTag if it was sealed for another member or id."""
    opened = key.open(sealed, _associated_data(player, number))
    return msgspec.json.decode(opened, type=BankCard | Wallet)


def commitment_to(key: PlayerKey, number: str, account: PayoutMethod) -> str:
    """The hex that facts hold for a version: another id or another content gives another."""
    return key.commitment(f"payout/{number}/".encode() + msgspec.json.encode(account))


def _saved(key: PlayerKey, number: str, account: PayoutMethod, *, at: int, fresh: bool) -> Saved:
    return Saved(number, kind_of(account), commitment_to(key, number, account), at, fresh)


def _associated_data(player: int, number: str) -> str:
    return f"payout_accounts/{player}/{number}"
