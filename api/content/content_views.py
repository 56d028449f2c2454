"""Published content for display, and the validation of what staff write.

The read model lists what is shown. The content store has each text under its hash
(`engine/runtime/content_store.py`). Content whose text was permanently erased is not shown.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from api.content.html_sanitizer import is_link, is_picture, sanitize_html, strip_controls
from api.http.refusals import CallRefused
from api.messages import LOCALES
from api.services import Services
from engine.content.published_content import KINDS
from engine.refusals import Refusal
from engine.runtime.content_store import StoredContent, Text
from projections.content import queries
from projections.content.queries import ContentRow

ARTICLE: Final = "article"
ANNOUNCEMENT: Final = "announcement"
BANNER: Final = "banner"
MESSAGE: Final = "message"
TABS: Final = ("original", "recommend", "wealth")
MAX_TITLE_LENGTH: Final = 120
MAX_ARTICLE_LENGTH: Final = 20_000
MAX_TEXT_LENGTH: Final = 2_000


class LocalizedText(Struct, frozen=True):
    """A text by staff in one language: HTML for an article, otherwise plain text."""

    title: str
    content: str = ""


class Published(Struct, frozen=True):
    """Content that is shown to all players, with its stored texts."""

    content: ContentRow
    stored: StoredContent


async def published(services: Services, *kinds: str) -> list[Published]:
    """Returns the content of these kinds that is shown to all players, newest first."""
    found = await services.read(lambda connection: queries.shown(connection, kinds))
    return await with_stored(services, found)


async def with_stored(services: Services, found: Sequence[ContentRow]) -> list[Published]:
    """Returns the rows with their texts, without those whose texts were erased."""
    stored = await load_stored(services, (each.digest for each in found))
    return [Published(each, stored[each.digest]) for each in found if each.digest in stored]


async def load_stored(services: Services, digests: Iterable[str]) -> dict[str, StoredContent]:
    """Returns the stored content by hash."""
    requested = list(digests)
    return await asyncio.to_thread(lambda: services.content_store.read(requested))


def validate_draft(stored: StoredContent) -> StoredContent:
    """Returns the cleaned content for publication. Raises CallRefused with the invalid field."""
    is_article, is_banner = stored.kind == ARTICLE, stored.kind == BANNER
    _require(stored.kind in KINDS, "kind")
    _require(stored.tab in (TABS if is_article else ("",)), "tab")
    _require(is_article or not stored.top, "top")
    _require(is_picture(stored.image) if is_banner else not stored.image, "image")
    _require(not stored.link or (is_banner and is_link(stored.link)), "link")
    texts = _texts(stored.kind, stored.texts)
    return StoredContent(
        stored.id, stored.kind, texts, stored.tab, stored.top, stored.image, stored.link
    )


def _texts(kind: str, texts: Mapping[str, Text]) -> dict[str, Text]:
    _require("tw" in texts or "en" in texts, "texts.tw")
    for locale in texts:
        _require(locale in LOCALES, f"texts.{locale[:8]}")
    return {locale: _text(kind, texts[locale], locale) for locale in LOCALES if locale in texts}


def _text(kind: str, text: Text, locale: str) -> Text:
    max_length = MAX_ARTICLE_LENGTH if kind == ARTICLE else MAX_TEXT_LENGTH
    title, field = strip_controls(text.title).replace("\n", " "), f"texts.{locale}.content"
    _require(0 < len(title) <= MAX_TITLE_LENGTH, f"texts.{locale}.title")
    _require(len(text.content) <= max_length, field)
    content = sanitize_html(text.content) if kind == ARTICLE else strip_controls(text.content)
    # Cleaning closes open tags, which may make the text longer.
    _require((kind == BANNER or content) and len(content) <= max_length, field)
    return Text(title, content)


def _require(is_so: object, field: str) -> None:
    if not is_so:
        raise CallRefused(Refusal.CONTENT_INVALID, field)
