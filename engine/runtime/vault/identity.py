"""A member's private fields: the ID-card number and the legal name, sealed under their own key."""

from typing import Final, Literal, TypeAlias

from psycopg import Connection
from psycopg.rows import TupleRow

from engine.runtime.vault import rules
from engine.runtime.vault.keys import MemberKey
from engine.runtime.vault.masking import mask_number
from engine.runtime.vault.part import Part
from engine.runtime.vault.refused import VaultRefused

Field: TypeAlias = Literal["idcard", "legal_name"]

_READ: Final = "SELECT sealed FROM vault.private_fields WHERE player = %s AND field = %s"
_KEEP: Final = "INSERT INTO vault.private_fields (player, field, sealed) VALUES (%s, %s, %s)"


class Identity(Part):
    """Who a member is by law."""

    def keep_idcard(self, player: int, number: str) -> str | VaultRefused:
        """Keep the number, once for all; how it is shown from now on.

        The same number again is no change. One that another member gave is kept like any other:
        `ProfileState.shared` says so. KeyError when there is no such member.
        """
        given = rules.idcard(number)
        if isinstance(given, VaultRefused):
            return given
        with self._pool.connection() as connection:
            key = self._hold(connection, player)
            kept = read_field(connection, key, player, "idcard")
            if kept is not None and rules.same_idcard(kept) != rules.same_idcard(given):
                return VaultRefused("idcard_already_set", "idcard")
            if kept is None:
                self._claim(connection, player, "idcard", rules.same_idcard(given))
                keep_field(connection, key, player, "idcard", given)
        return mask_number(kept or given)

    def reveal(self, player: int, field: Field) -> str | None:
        """A private field in plain text, for staff; None if it was never given.

        The caller records who saw it as a fact BEFORE showing it. KeyError when there is no such
        member, or no longer.
        """
        with self._pool.connection() as connection:
            return read_field(connection, self._hold(connection, player), player, field)


def read_field(
    connection: Connection[TupleRow], key: MemberKey, player: int, field: Field
) -> str | None:
    """The field in plain text, if it was given."""
    row = connection.execute(_READ, (player, field)).fetchone()
    return None if row is None else open_field(key, player, field, row[0])


def open_field(key: MemberKey, player: int, field: Field, sealed: bytes) -> str:
    """The plain text; InvalidTag if it was sealed for another member or field."""
    return key.open(sealed, _place(player, field))


def keep_field(
    connection: Connection[TupleRow], key: MemberKey, player: int, field: Field, text: str
) -> None:
    """Keep a field that was not given before."""
    connection.execute(_KEEP, (player, field, key.seal(text, _place(player, field))))


def _place(player: int, field: Field) -> str:
    return f"private_fields/{player}/{field}"
