"""Whom an auditor means: a player by id, or by the user name that the vault keeps."""

from scripts.auditing import AuditError
from scripts.auditing.house import Connection

_BY_NAME = "SELECT player FROM vault.members WHERE lower(username) = lower(%s)"
_BY_PLAYER = "SELECT username FROM vault.members WHERE player = %s"
_MAX_ID_DIGITS = 18  # digits that surely fit PostgreSQL's bigint


def find_player(connection: Connection, name_or_id: str) -> int:
    """The player with this user name, or failing that with this id.

    Raises:
        AuditError: nobody has that name, and it is no id.
    """
    row = connection.execute(_BY_NAME, (name_or_id,)).fetchone()
    if row is not None:
        return int(row[0])
    if name_or_id.isascii() and name_or_id.isdigit() and len(name_or_id) <= _MAX_ID_DIGITS:
        return int(name_or_id)
    raise AuditError(f"nobody is called {name_or_id}; somebody who was erased has only an id")


def name_of(connection: Connection, player: int) -> str | None:
    """The player's user name; None for an erased one and for bots."""
    row = connection.execute(_BY_PLAYER, (player,)).fetchone()
    return None if row is None else str(row[0])
