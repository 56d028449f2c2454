"""Players' private fields, sealed under the player's key.

A field that a player gives once is declared here: what is valid, how its refusals are named, when
two values are the same, and what of it is shown. The legal name is not given; it is the holder of
the first bank card.
"""

import unicodedata
from collections.abc import Callable
from typing import Final

from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from engine.players.commands import IDENTITIES
from engine.refusals import Refusal
from engine.runtime.vault.base import VaultPart
from engine.runtime.vault.validation import VaultRefused, mask_number
from engine.runtime.vault.vault_keys import PlayerKey

_READ: Final = "SELECT sealed FROM vault.private_fields WHERE player = %s AND field = %s"
_INSERT: Final = "INSERT INTO vault.private_fields (player, field, sealed) VALUES (%s, %s, %s)"


class PrivateField(Struct, frozen=True):
    """A text that a player gives once, of at most `max_length` printable characters.

    `normalize` returns the form in which values are compared; it is empty if the value is invalid.
    `mask` returns what may be shown of a value. `name` is stored, and is the invalid argument of a
    refusal. Players who gave one value of a field in `IDENTITIES` are found as one person.
    """

    name: str
    max_length: int
    normalize: Callable[[str], str]
    mask: Callable[[str], str]
    invalid: Refusal
    already_set: Refusal

    def validate(self, text: str) -> str | VaultRefused:
        """Returns the text to store, without blanks around it."""
        trimmed = text.strip()
        is_valid = 0 < len(trimmed) <= self.max_length and trimmed.isprintable()
        if is_valid and self.normalize(trimmed):
            return trimmed
        return VaultRefused(self.invalid, self.name)


def _letters_and_digits(number: str) -> str:
    """Returns the letters and digits, in upper case."""
    folded = unicodedata.normalize("NFKC", number).upper()
    return "".join(each for each in folded if each.isalnum())


IDCARD: Final = PrivateField(
    name="idcard",
    max_length=40,
    normalize=_letters_and_digits,
    mask=mask_number,
    invalid=Refusal.IDCARD_INVALID,
    already_set=Refusal.IDCARD_ALREADY_SET,
)
PRIVATE_FIELDS: Final = {field.name: field for field in (IDCARD,)}
LEGAL_NAME: Final = "legal_name"


class PrivateFields(VaultPart):
    """Stores private fields."""

    def save_private_field(self, player: int, field: PrivateField, text: str) -> str | VaultRefused:
        """Store the text; it can be set only once. Returns it masked.

        The same value again changes nothing. A value that another player gave is accepted too;
        `ProfileState.shared` reports it. Raises KeyError if there is no such player.
        """
        checked = field.validate(text)
        if isinstance(checked, VaultRefused):
            return checked
        with self._pool.connection() as connection:
            key = self._lock_player(connection, player)
            stored = read_field(connection, key, player, field.name)
            if stored is not None and field.normalize(stored) != field.normalize(checked):
                return VaultRefused(field.already_set, field.name)
            if stored is None:
                if field.name in IDENTITIES:
                    self._record_value(connection, player, field.name, field.normalize(checked))
                save_field(connection, key, player, field.name, checked)
        return field.mask(stored or checked)


def identifying_values(
    connection: Connection[TupleRow], key: PlayerKey, player: int
) -> list[tuple[str, str]]:
    """Returns the player's values that identify a person, as (name, normalized value)."""
    identifying = PRIVATE_FIELDS.keys() & IDENTITIES
    given = {name: read_field(connection, key, player, name) for name in identifying}
    return [(name, PRIVATE_FIELDS[name].normalize(text)) for name, text in given.items() if text]


def masked(key: PlayerKey, player: int, sealed: dict[str, bytes]) -> dict[str, str]:
    """Returns what may be shown of the fields that the player gave, by name."""
    return {
        name: PRIVATE_FIELDS[name].mask(_open(key, player, name, text))
        for name, text in sealed.items()
    }


def read_field(
    connection: Connection[TupleRow], key: PlayerKey, player: int, name: str
) -> str | None:
    """Returns the field in plain text; None if it was never given."""
    row = connection.execute(_READ, (player, name)).fetchone()
    return None if row is None else _open(key, player, name, row[0])


def save_field(
    connection: Connection[TupleRow], key: PlayerKey, player: int, name: str, text: str
) -> None:
    """Store a field that was not given before."""
    connection.execute(_INSERT, (player, name, key.seal(text, _associated_data(player, name))))


def _open(key: PlayerKey, player: int, name: str, sealed: bytes) -> str:
    """Decrypts a field. Raises InvalidTag if it was sealed for another player or field."""
    return key.open(sealed, _associated_data(player, name))


def _associated_data(player: int, name: str) -> str:
    return f"private_fields/{player}/{name}"
