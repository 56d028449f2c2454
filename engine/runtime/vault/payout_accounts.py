"""Players' payout accounts: bank cards and wallets, as immutable versions.

A withdrawal refers to the version that was current at its request, so old versions are kept.
"""

import os
from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from engine.refusals import Refusal
from engine.runtime.vault.base import VaultPart
from engine.runtime.vault.private_fields import LEGAL_NAME, read_field, save_field
from engine.runtime.vault.validation import BankCard, VaultRefused, Wallet, same_name
from engine.runtime.vault.vault_keys import PlayerKey

PayoutMethod: TypeAlias = BankCard | Wallet
BANK_CARD: Final = 0
WALLET: Final = 1
_ID_BYTES: Final = 16
_decode_account: Final[Callable[[str], PayoutMethod]] = msgspec.json.Decoder(
    BankCard | Wallet
).decode

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

    `commitment` is in hex; `at` is when it was saved.
    """

    id: str
    kind: int
    commitment: str
    at: int


class PayoutAccounts(VaultPart):
    """Stores one current bank card (kind 0) and one current wallet (kind 1) per player."""

    def save_payout_account(self, player: int, account: PayoutMethod) -> Saved | VaultRefused:
        """Make it the player's current account of its kind. Saving the current one changes nothing.

        The first bank card's holder becomes the player's legal name. An account that another player
        has saved is accepted too; `ProfileState.shared` reports it. Create `account` with
        `validation.bank_card` or `validation.wallet`. Raises KeyError if there is no such player.
        """
        with self._pool.connection() as connection:
            key = self._lock_player(connection, player)
            row = connection.execute(_CURRENT, (player, kind_of(account))).fetchone()
            if row is not None and open_account(key, player, row[0], row[1]) == account:
                return _saved(key, row[0], account, row[2])
            refused = self._check(connection, key, player, account)
            return refused or self._insert_account(connection, key, player, account)

    def _check(
        self, connection: Connection[TupleRow], key: PlayerKey, player: int, account: PayoutMethod
    ) -> VaultRefused | None:
        legal_name = read_field(connection, key, player, LEGAL_NAME)
        if legal_name is not None and not _belongs_to(account, legal_name):
            return VaultRefused(Refusal.HOLDER_MISMATCH, "holder")
        self._record_value(connection, player, *account.owned)
        if legal_name is None and isinstance(account, BankCard):
            save_field(connection, key, player, LEGAL_NAME, account.holder)
        return None

    def _insert_account(
        self, connection: Connection[TupleRow], key: PlayerKey, player: int, account: PayoutMethod
    ) -> Saved:
        number, now, kind = os.urandom(_ID_BYTES).hex(), self._clock(), kind_of(account)
        sealed = key.seal(msgspec.json.encode(account).decode(), _associated_data(player, number))
        connection.execute(_REPLACE, (player, kind))
        connection.execute(_INSERT, (number, player, kind, sealed, now))
        return _saved(key, number, account, now)

    def reveal_payout_account(self, player: int, account: str) -> PayoutMethod | None:
        """Returns the version with this id in plain text, for staff who pay.

        None if it is not the player's. The caller records who saw it as a fact BEFORE showing it.
        Raises KeyError if the player does not exist or was erased.
        """
        with self._pool.connection() as connection:
            key = self._lock_player(connection, player)
            row = connection.execute(_BY_ID, (player, account)).fetchone()
            return None if row is None else open_account(key, player, account, row[1])


def _belongs_to(account: PayoutMethod, legal_name: str) -> bool:
    """Whether the account's holder is this person. A wallet has no holder and always matches."""
    return isinstance(account, Wallet) or same_name(account.holder) == same_name(legal_name)


def kind_of(account: PayoutMethod) -> int:
    """Returns 0 for a bank card, 1 for a wallet."""
    return BANK_CARD if isinstance(account, BankCard) else WALLET


def current_card(connection: Connection[TupleRow], key: PlayerKey, player: int) -> BankCard | None:
    """Returns the player's current bank card, if there is one."""
    row = connection.execute(_CURRENT, (player, BANK_CARD)).fetchone()
    if row is None:
        return None
    account = open_account(key, player, row[0], row[1])
    assert isinstance(account, BankCard)
    return account


def open_account(key: PlayerKey, player: int, number: str, sealed: bytes) -> PayoutMethod:
    """Decrypts a version. Raises InvalidTag if it was sealed for another player or id."""
    opened = key.open(sealed, _associated_data(player, number))
    return _decode_account(opened)


def commitment_to(key: PlayerKey, number: str, account: PayoutMethod) -> str:
    """Returns the commitment, in hex, that facts record for a version; it covers id and content."""
    return key.commitment(f"payout/{number}/".encode() + msgspec.json.encode(account))


def _saved(key: PlayerKey, number: str, account: PayoutMethod, at: int) -> Saved:
    return Saved(number, kind_of(account), commitment_to(key, number, account), at)


def _associated_data(player: int, number: str) -> str:
    return f"payout_accounts/{player}/{number}"
