"""Whether what the house publishes is what its facts say that staff published."""

from typing import NamedTuple

from scripts.auditing.house import Connection

_HAS_TEXTS = "SELECT to_regclass('content.texts') IS NOT NULL"
_CHECK = (
    "SELECT content, digest, encode(sha256(body), 'hex') = digest"
    " FROM content.texts ORDER BY content, digest"
)


class ContentCheck(NamedTuple):
    """How many texts were held against their hashes, and those that are not what they should be."""

    checked: int
    wrong: tuple[str, ...]


def contents(connection: Connection) -> ContentCheck:
    """Every stored text, held against the hash that its fact has; what was erased is not there."""
    row = connection.execute(_HAS_TEXTS).fetchone()
    if row is None or not row[0]:
        return ContentCheck(0, ())
    rows = connection.execute(_CHECK).fetchall()
    wrong = tuple(f"{name}: {digest}" for name, digest, is_right in rows if not is_right)
    return ContentCheck(len(rows), wrong)
