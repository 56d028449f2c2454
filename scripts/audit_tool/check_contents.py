"""Whether the published content matches the hashes in the facts of its publication."""

from typing import NamedTuple

from scripts.audit_tool.database import Connection

_HAS_TEXTS = "SELECT to_regclass('content.texts') IS NOT NULL"
_CHECK = (
    "SELECT content, digest, encode(sha256(body), 'hex') = digest"
    " FROM content.texts ORDER BY content, digest"
)


class ContentCheck(NamedTuple):
    """The number of texts compared with their hashes, and those that differ."""

    checked: int
    wrong: tuple[str, ...]


def contents(connection: Connection) -> ContentCheck:
    """Compare every stored text with the hash in its fact; erased texts no longer exist."""
    row = connection.execute(_HAS_TEXTS).fetchone()
    if row is None or not row[0]:
        return ContentCheck(0, ())
    rows = connection.execute(_CHECK).fetchall()
    wrong = tuple(f"{name}: {digest}" for name, digest, is_right in rows if not is_right)
    return ContentCheck(len(rows), wrong)
