"""What the house publishes, as calls show it, and what staff may write.

Two parts are put together: the read model says what is shown, and under the hash of each stand its
words (`engine/runtime/contents.py`). Words that were taken away for good are not shown.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from api.envelope import CallRefused
from api.markup import cleaned, is_link, is_picture, plain
from api.services import Services
from api.texts import LOCALES
from engine.house.contents import KINDS
from engine.refusals import Refusal
from engine.runtime.contents import Stored, Text
from projections.contents import queries
from projections.contents.queries import Content

ARTICLE: Final = "article"
ANNOUNCEMENT: Final = "announcement"
BANNER: Final = "banner"
MESSAGE: Final = "message"
TABS: Final = ("original", "recommend", "wealth")
LONGEST_TITLE: Final = 120
LONGEST_ARTICLE: Final = 20_000
LONGEST_TEXT: Final = 2_000


class Written(Struct, frozen=True):
    """What staff wrote in one language: HTML for an article, else plain text."""

    title: str
    content: str = ""


class Published(Struct, frozen=True):
    """Something that everybody is shown, and its words."""

    content: Content
    stored: Stored


async def published(services: Services, *kinds: str) -> list[Published]:
    """What everybody is shown of these kinds, newest first."""
    found = await services.read(lambda connection: queries.shown(connection, kinds))
    return await with_words(services, found)


async def with_words(services: Services, found: Sequence[Content]) -> list[Published]:
    """These with their words, without those whose words are gone."""
    words = await words_of(services, (each.digest for each in found))
    return [Published(each, words[each.digest]) for each in found if each.digest in words]


async def words_of(services: Services, digests: Iterable[str]) -> dict[str, Stored]:
    """What stands under these hashes."""
    wanted = list(digests)
    return await asyncio.to_thread(lambda: services.contents.read(wanted))


def drafted(stored: Stored) -> Stored:
    """The content as it may be published; CallRefused naming the field that it may not be for."""
    is_article, is_banner = stored.kind == ARTICLE, stored.kind == BANNER
    _demand(stored.kind in KINDS, "kind")
    _demand(stored.tab in (TABS if is_article else ("",)), "tab")
    _demand(is_article or not stored.top, "top")
    _demand(is_picture(stored.image) if is_banner else not stored.image, "image")
    _demand(not stored.link or (is_banner and is_link(stored.link)), "link")
    texts = _texts(stored.kind, stored.texts)
    return Stored(stored.id, stored.kind, texts, stored.tab, stored.top, stored.image, stored.link)


def _texts(kind: str, texts: Mapping[str, Text]) -> dict[str, Text]:
    _demand("tw" in texts or "en" in texts, "texts.tw")
    for locale in texts:
        _demand(locale in LOCALES, f"texts.{locale[:8]}")
    return {locale: _text(kind, texts[locale], locale) for locale in LOCALES if locale in texts}


def _text(kind: str, text: Text, locale: str) -> Text:
    most = LONGEST_ARTICLE if kind == ARTICLE else LONGEST_TEXT
    title, field = plain(text.title).replace("\n", " "), f"texts.{locale}.content"
    _demand(0 < len(title) <= LONGEST_TITLE, f"texts.{locale}.title")
    _demand(len(text.content) <= most, field)
    content = cleaned(text.content) if kind == ARTICLE else plain(text.content)
    # Cleaning closes what was left open, and may so make it longer.
    _demand((kind == BANNER or content) and len(content) <= most, field)
    return Text(title, content)


def _demand(is_so: object, field: str) -> None:
    if not is_so:
        raise CallRefused(Refusal.CONTENT_INVALID, field)
