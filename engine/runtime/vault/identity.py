"""A member's private fields: the ID-card number and the legal name, sealed under their own key."""

from typing import Final, Literal, TypeAlias

from psycopg import Connection
from psycopg.rows import TupleRow

from engine.runtime.vault import rules
from engine.runtime.vault.keys import PlayerKey
from engine.runtime.vault.masking import mask_number
from engine.runtime.vault.part import VaultPart
from engine.runtime.vault.refused import VaultRefused

Field: TypeAlias = Literal["idcard", "legal_name"]

_READ: Final = "SELECT sealed FROM vault.private_fields WHERE player = %s AND field = %s"
_INSERT: Final = "INSERT INTO vault.private_fields (player, field, sealed) VALUES (%s, %s, %s)"


class PrivateFields(VaultPart):
    """Who a member is by law."""

    def save_idcard(self, player: int, number: str) -> str | VaultRefused:
        """Keep the number, once for all; how it is shown from now on.

        The same number again is no change. One that another member gave is kept like any other:
        `ProfileState.shared` says so. KeyError when there is no such member.
        """
        checked = rules.idcard(number)
        if isinstance(checked, VaultRefused):
            return checked
        with self._pool.connection() as connection:
            key = self._lock_player(connection, player)
            stored = read_field(connection, key, player, "idcard")
            if stored is not None and rules.same_idcard(stored) != rules.same_idcard(checked):
                return VaultRefused("idcard_already_set", "idcard")
            if stored is None:
                self._claim_unique(connection, player, "idcard", rules.same_idcard(checked))
                save_field(connection, key, player, "idcard", checked)
        return mask_number(stored or checked)

    def reveal(self, player: int, field: Field) -> str | None:
        """A private field in plain text, for staff; None if it was never given.

        The caller records who saw it as a fact BEFORE showing it. KeyError when there is no such
        member, or no longer.
        """
        with self._pool.connection() as connection:
            return read_field(connection, self._lock_player(connection, player), player, field)


def read_field(
    connection: Connection[TupleRow], key: PlayerKey, player: int, field: Field
) -> str | None:
    """The field in plain text, if it was given."""
    row = connection.execute(_READ, (player, field)).fetchone()
    return None if row is None else open_field(key, player, field, row[0])


def open_field(key: PlayerKey, player: int, field: Field, sealed: bytes) -> str:
    """The plain text; InvalidTag if it was sealed for another member or field."""
    return key.open(sealed, _associated_data(player, field))


def save_field(
    connection: Connection[TupleRow], key: PlayerKey, player: int, field: Field, text: str
) -> None:
    """Keep a field that was not given before."""
    connection.execute(_INSERT, (player, field, key.seal(text, _associated_data(player, field))))


def _associated_data(player: int, field: Field) -> str:
    return f"private_fields/{player}/{field}"
