"""Players' private fields: ID-card number and legal name, sealed under the player's key."""

from typing import Final, Literal, TypeAlias

from psycopg import Connection
from psycopg.rows import TupleRow

from engine.runtime.vault import validation
from engine.runtime.vault.base import VaultPart
from engine.runtime.vault.validation import VaultRefused, mask_number
from engine.runtime.vault.vault_keys import PlayerKey

Field: TypeAlias = Literal["idcard", "legal_name"]

_READ: Final = "SELECT sealed FROM vault.private_fields WHERE player = %s AND field = %s"
_INSERT: Final = "INSERT INTO vault.private_fields (player, field, sealed) VALUES (%s, %s, %s)"


class PrivateFields(VaultPart):
    """Stores private fields."""

    def save_idcard(self, player: int, number: str) -> str | VaultRefused:
        """Store the number; it can be set only once. Returns the masked number.

        The same number again changes nothing. A number that another player gave is accepted too;
        `ProfileState.shared` reports it. Raises KeyError if there is no such player.
        """
        checked = validation.idcard(number)
        if isinstance(checked, VaultRefused):
            return checked
        with self._pool.connection() as connection:
            key = self._lock_player(connection, player)
            stored = read_field(connection, key, player, "idcard")
            if stored is not None and validation.same_idcard(stored) != validation.same_idcard(
                checked
            ):
                return VaultRefused("idcard_already_set", "idcard")
            if stored is None:
                self._claim_unique(connection, player, "idcard", validation.same_idcard(checked))
                save_field(connection, key, player, "idcard", checked)
        return mask_number(stored or checked)


def read_field(
    connection: Connection[TupleRow], key: PlayerKey, player: int, field: Field
) -> str | None:
    """Returns the field in plain text; None if it was never given."""
    row = connection.execute(_READ, (player, field)).fetchone()
    return None if row is None else open_field(key, player, field, row[0])


def open_field(key: PlayerKey, player: int, field: Field, sealed: bytes) -> str:
    """Decrypts a field. Raises InvalidTag if it was sealed for another player or field."""
    return key.open(sealed, _associated_data(player, field))


def save_field(
    connection: Connection[TupleRow], key: PlayerKey, player: int, field: Field, text: str
) -> None:
    """Store a field that was not given before."""
    connection.execute(_INSERT, (player, field, key.seal(text, _associated_data(player, field))))


def _associated_data(player: int, field: Field) -> str:
    return f"private_fields/{player}/{field}"
