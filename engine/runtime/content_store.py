"""Content-addressed store of the texts and pictures that the house publishes.

Each item is stored under the hash that its fact records, and is never changed. The hash verifies
the content. Unlike facts, content can be deleted permanently.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

import msgspec
import structlog
from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

_CACHE_SIZE: Final = 2_000
_INSERT: Final = (
    "INSERT INTO content.texts (content, digest, body) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
)
_READ: Final = "SELECT digest, body FROM content.texts WHERE digest = ANY(%s)"
_ERASE: Final = "DELETE FROM content.texts WHERE content = %s RETURNING digest"
_log = structlog.get_logger()


class Text(Struct, frozen=True):
    """The text in one language. An article's `content` is HTML, all other text is plain."""

    title: str
    content: str


class StoredContent(Struct, frozen=True):
    """Content as it is stored and hashed. `texts` is by locale and contains tw or en.

    Only articles use `tab` and `top`; only banners use `image` and `link`.
    """

    id: str
    kind: str
    texts: dict[str, Text]
    tab: str = ""
    top: bool = False
    image: str = ""
    link: str = ""

    def text(self, locale: str) -> Text:
        """Returns the text in this locale, else in tw, the default for stored text, else in en."""
        return self.texts.get(locale) or self.texts.get("tw") or self.texts["en"]


def encode(stored: StoredContent) -> bytes:
    """Returns the bytes to store. Equal content gives equal bytes."""
    return msgspec.json.encode(stored, order="deterministic")


_decode: Final = msgspec.json.Decoder(StoredContent).decode


class ContentStore:
    """The content table, with a cache of what was read last. Every call may block."""

    def __init__(self, pool: ConnectionPool[Connection[TupleRow]]) -> None:
        """Store content in this database."""
        self._pool = pool
        self._cache: dict[str, StoredContent] = {}

    def save(self, stored: StoredContent) -> str:
        """Store the content. Returns the SHA-256, in hex, of the stored bytes."""
        body = encode(stored)
        digest = sha256(body).hexdigest()
        with self._pool.connection() as connection:
            connection.execute(_INSERT, (stored.id, digest, body))
        return digest

    def read(self, digests: Iterable[str]) -> dict[str, StoredContent]:
        """Returns the stored content of these digests. Content that fails its hash is left out."""
        requested = set(digests)
        found = {each: cached for each in requested if (cached := self._cache.get(each))}
        missing = list(requested - found.keys())
        if missing:
            with self._pool.connection() as connection:
                rows = connection.execute(_READ, (missing,)).fetchall()
            for digest, body in rows:
                if sha256(body).hexdigest() == digest:
                    found[digest] = self._cache[digest] = _decode(body)
                else:
                    _log.error("content is not what was published", digest=digest)
            self._evict()
        return found

    def erase(self, content: str) -> None:
        """Permanently delete everything ever stored under this id."""
        with self._pool.connection() as connection:
            for (digest,) in connection.execute(_ERASE, (content,)).fetchall():
                self._cache.pop(digest, None)

    def _evict(self) -> None:
        while len(self._cache) > _CACHE_SIZE:
            self._cache.pop(next(iter(self._cache)), None)
