"""Finds a player by id, or by the user name in the vault."""

from scripts.audit_tool import AuditError
from scripts.audit_tool.database import Connection

_BY_NAME = "SELECT player FROM vault.members WHERE lower(username) = lower(%s)"
_BY_PLAYER = "SELECT username FROM vault.members WHERE player = %s"
_MAX_ID_DIGITS = 18  # digits that always fit PostgreSQL's bigint


def find_player(connection: Connection, name_or_id: str) -> int:
    """Returns the player with this user name, or else with this id.

    Raises:
        AuditError: no player has that name, and it is not an id.
    """
    row = connection.execute(_BY_NAME, (name_or_id,)).fetchone()
    if row is not None:
        return int(row[0])
    if name_or_id.isascii() and name_or_id.isdigit() and len(name_or_id) <= _MAX_ID_DIGITS:
        return int(name_or_id)
    raise AuditError(f"there is no player {name_or_id}; an erased player has only an id")


def name_of(connection: Connection, player: int) -> str | None:
    """Returns the player's user name; None for erased players and bots."""
    row = connection.execute(_BY_PLAYER, (player,)).fetchone()
    return None if row is None else str(row[0])
