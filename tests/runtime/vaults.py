"""A vault to test, with access to its parts and tables."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.runtime.vault import (
    BankCard,
    PlayerIdentity,
    RegistrationRequest,
    Vault,
    VaultKeys,
    Wallet,
    validation,
)
from engine.runtime.vault.base import Pool
from engine.runtime.vault.private_fields import read_field
from engine.runtime.vault.sessions import Sessions
from tests.runtime.house import Clock

PASSWORD = "secret-enough-1"
_FILLED = (
    *("members", "words", "private_fields", "payout_accounts", "key_fingerprints"),
    *("blind_indexes", "erased_claims"),
)
FIRST_KEYS = VaultKeys({1: b"1" * 32}, b"p" * 32)


@dataclass
class Keeper:
    """A vault, sessions, and their clock."""

    conninfos: Conninfos
    pool: Pool
    clock: Clock
    vault: Vault
    sessions: Sessions

    def with_keys(self, keys: VaultKeys) -> Vault:
        """A vault on the same database with other keys."""
        return Vault(self.pool, self.clock, keys)

    def restarted(self) -> Sessions:
        """New sessions with an empty cache, as after a restart."""
        return Sessions(self.pool, self.clock)

    def join(self, username: str = "member1") -> int:
        """Register a player. Returns the player id."""
        member = self.vault.register(RegistrationRequest(username, PASSWORD, 1, None, None))
        assert isinstance(member, PlayerIdentity)
        return member.player

    def sql(self, statement: str, *values: object) -> list[TupleRow]:
        """Run a statement with database access but without the keys. Returns the rows, if any."""
        with psycopg.connect(self.conninfos.app) as connection:
            cursor = connection.execute(statement.encode(), values)
            return cursor.fetchall() if cursor.description else []

    def everything(self) -> str:
        """The contents of all vault tables as one text; bytes as Latin-1."""
        tables = self.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'vault'")
        rows = [row for (table,) in tables for row in self.sql(f"SELECT * FROM vault.{table}")]
        values = [value for row in rows for value in row]
        return "\n".join(_text(value) for value in values)


def empty(conninfos: Conninfos) -> None:
    """Empty the vault of this database, and restart the player ids."""
    with psycopg.connect(conninfos.owner) as connection:
        for table in _FILLED:
            connection.execute(f"DELETE FROM vault.{table}".encode())
        connection.execute("ALTER SEQUENCE vault.player_ids RESTART")


@contextmanager
def keeper_of(conninfos: Conninfos) -> Iterator[Keeper]:
    """A `Keeper` for the vault in this database."""
    clock = Clock()
    with ConnectionPool(
        conninfos.app, connection_class=Connection[TupleRow], min_size=1, max_size=8, open=True
    ) as pool:
        vault = Vault(pool, clock, FIRST_KEYS)
        yield Keeper(conninfos, pool, clock, vault, Sessions(pool, clock))


def revealed(vault: Vault, player: int, field: str) -> str | None:
    """A private field in plain text; None if it was never given."""
    with vault._pool.connection() as connection:
        return read_field(connection, vault._lock_player(connection, player), player, field)


def a_card(
    number: str = "6222 0200 1234 5678", holder: str = "Jane Doe", bank: str = "ICBC"
) -> BankCard:
    """A valid bank card."""
    card = validation.bank_card(number, holder, bank)
    assert isinstance(card, BankCard)
    return card


def a_wallet(address: str = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8", network: str = "trc20") -> Wallet:
    """A valid wallet."""
    wallet = validation.wallet(address, network)
    assert isinstance(wallet, Wallet)
    return wallet


def _text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
