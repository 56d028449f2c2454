"""The words and pictures behind the facts of what the house publishes.

Each is stored under the hash that its fact has, and never changed: whoever has both can check the
one by the other. Unlike facts, words can be taken away for good.
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
    """What is said in one language; an article's `content` is HTML, all else is plain."""

    title: str
    content: str


class StoredContent(Struct, frozen=True):
    """Content as it is stored and hashed; `texts` by locale, tw or en among them.

    `tab` and `top` are an article's, `image` and `link` a banner's.
    """

    id: str
    kind: str
    texts: dict[str, Text]
    tab: str = ""
    top: bool = False
    image: str = ""
    link: str = ""

    def text(self, locale: str) -> Text:
        """What it says in this language, else in tw, the language of stored text, else in en."""
        return self.texts.get(locale) or self.texts.get("tw") or self.texts["en"]


def encode(stored: StoredContent) -> bytes:
    """The bytes that are kept, the same for equal content."""
    return msgspec.json.encode(stored, order="deterministic")


_decode: Final = msgspec.json.Decoder(StoredContent).decode


class ContentStore:
    """The table of them, with the newest at hand. Every call may block."""

    def __init__(self, pool: ConnectionPool[Connection[TupleRow]]) -> None:
        """Keep them in this database."""
        self._pool = pool
        self._cache: dict[str, StoredContent] = {}

    def save(self, stored: StoredContent) -> str:
        """Store the content; the SHA-256, in hex, of what is stored."""
        body = encode(stored)
        digest = sha256(body).hexdigest()
        with self._pool.connection() as connection:
            connection.execute(_INSERT, (stored.id, digest, body))
        return digest

    def read(self, digests: Iterable[str]) -> dict[str, StoredContent]:
        """Those of these that are there, as they were when they were published."""
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
        """Take away all that was ever stored under this id, for good."""
        with self._pool.connection() as connection:
            for (digest,) in connection.execute(_ERASE, (content,)).fetchall():
                self._cache.pop(digest, None)

    def _evict(self) -> None:
        while len(self._cache) > _CACHE_SIZE:
            self._cache.pop(next(iter(self._cache)), None)
