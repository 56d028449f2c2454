"""Published content for display, and the validation and cleaning of what staff write.

The read model lists what is shown. The content store has each text under its hash
(`engine/runtime/content_store.py`). Content whose text was permanently erased is not shown.
"""

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import nh3
from msgspec import Struct

from api.http.db_pool import ReadModels
from api.http.refusals import CallRefused
from api.messages import LOCALES
from engine.house.published_content import KINDS
from engine.refusals import Refusal
from engine.runtime.content_store import ContentStore, StoredContent, Text
from engine.runtime.vault import clean_text
from projections.content import ContentRow, shown

ARTICLE: Final = "article"
ANNOUNCEMENT: Final = "announcement"
BANNER: Final = "banner"
MESSAGE: Final = "message"
TABS: Final = ("original", "recommend", "wealth")
MAX_TITLE_LENGTH: Final = 120
MAX_ARTICLE_LENGTH: Final = 20_000
MAX_TEXT_LENGTH: Final = 2_000
#: Below the length at which browsers or proxies truncate an address.
MAX_ADDRESS_LENGTH: Final = 500
_PATH: Final = re.compile(r"/vip/(?!.*\.\.)[A-Za-z0-9._/-]*([?#][A-Za-z0-9._~/?#=&%-]*)?")
_PICTURE: Final = re.compile(r"/vip/(?!.*\.\.)[A-Za-z0-9._/-]+")
_WEB: Final = re.compile(r"https://[A-Za-z0-9.-]+(:[0-9]+)?([/?#][^\s<>\"'\\`]*)?")


class LocalizedText(Struct, frozen=True):
    """A text by staff in one language: HTML for an article, otherwise plain text."""

    title: str
    content: str = ""


class Published(Struct, frozen=True):
    """Content that is shown to all players, with its stored texts."""

    content: ContentRow
    stored: StoredContent


async def published(
    read_models: ReadModels, content_store: ContentStore, *kinds: str
) -> list[Published]:
    """Returns the content of these kinds that is shown to all players, newest first."""
    found = await read_models.read(lambda connection: shown(connection, kinds))
    return await with_stored(content_store, found)


async def with_stored(content_store: ContentStore, found: Sequence[ContentRow]) -> list[Published]:
    """Returns the rows with their texts, without those whose texts were erased."""
    stored = await load_stored(content_store, (each.digest for each in found))
    return [Published(each, stored[each.digest]) for each in found if each.digest in stored]


async def load_stored(
    content_store: ContentStore, digests: Iterable[str]
) -> dict[str, StoredContent]:
    """Returns the stored content by hash."""
    requested = list(digests)
    return await asyncio.to_thread(lambda: content_store.read(requested))


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


def is_link(address: str) -> bool:
    """Whether a link may lead there: to a page of the app, or to any https address."""
    is_short = len(address) <= MAX_ADDRESS_LENGTH
    return is_short and bool(_PATH.fullmatch(address) or _WEB.fullmatch(address))


def is_picture(address: str) -> bool:
    """Whether a picture may come from there: own paths only, as in the Content-Security-Policy."""
    return len(address) <= MAX_ADDRESS_LENGTH and bool(_PICTURE.fullmatch(address))


def _allowed_value(tag: str, name: str, value: str) -> str | None:
    if (tag, name) == ("a", "href"):
        return value if is_link(value) else None
    if (tag, name) == ("img", "src"):
        return value if is_picture(value) else None
    return value


_CLEANER: Final = nh3.Cleaner(
    tags={
        *("p", "br", "hr", "h2", "h3", "h4", "ul", "ol", "li", "blockquote", "code"),
        *("strong", "b", "em", "i", "a", "img"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    },
    # These elements are not readable text, so they are removed with their content.
    clean_content_tags={
        *("script", "style", "iframe", "object", "template", "noscript", "svg", "math"),
        *("textarea", "select", "title"),
    },
    attributes={"a": {"href"}, "img": {"src", "alt"}},
    attribute_filter=_allowed_value,
    url_schemes={"https"},
    link_rel="noopener",
)


def sanitize_html(html: str) -> str:
    """Returns the HTML with only a few tags and safe addresses, all that an article may have.

    Articles are cleaned when they are written, so that nothing else is ever stored or shown (ASVS
    1.3.1).
    """
    return _CLEANER.clean(html).strip()


def strip_controls(text: str) -> str:
    """Returns the text without control characters; line breaks are kept."""
    return "\n".join(clean_text(line) for line in text.splitlines()).strip()
