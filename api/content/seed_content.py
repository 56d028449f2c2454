"""Publishes default content once, in the house's name, before staff have written anything.

A default that staff have changed or withdrawn is not published again.
"""

import asyncio
import tomllib
from collections.abc import Iterator
from typing import Final

import structlog
from msgspec import Struct, convert

from api.content.content_views import ANNOUNCEMENT, ARTICLE, BANNER, LocalizedText, validate_draft
from api.http.refusals import CallRefused
from api.messages import LOCALES, read
from api.services import Services, wait_until
from engine.house.published_content import PublishContent
from engine.runtime.content_store import StoredContent, Text
from engine.runtime.port import EngineUnavailableError

HOUSE: Final = "house"
#: The tab of each article, and whether it is a hot topic.
_ARTICLES: Final = {
    "checking-a-draw": ("original", True),
    "one-bet-from-press-to-payout": ("original", False),
    "reading-the-trend-chart": ("original", False),
    "keeping-your-account-safe": ("recommend", True),
    "playing-within-limits": ("recommend", True),
    "reading-your-statement": ("recommend", False),
    "what-the-odds-mean": ("wealth", True),
    "deposits-and-withdrawals": ("wealth", False),
    "what-a-bonus-costs": ("wealth", False),
}
#: The link of each banner.
_BANNERS: Final = {
    "draw": "/vip/lottery?id=0",
    "proof": "/vip/lotteryExplain",
    "limits": "/vip/setting?type=3",
}
_RETRY_S: Final = 1.0
logger = structlog.get_logger()


class _Language(Struct, frozen=True):
    announcements: dict[str, LocalizedText]
    banners: dict[str, LocalizedText]
    articles: dict[str, LocalizedText]


def _load(language: str) -> _Language:
    return convert(tomllib.loads(read(language, "content.toml").decode()), _Language)


def defaults(*, demo: bool) -> Iterator[StoredContent]:
    """Yields the content in order of publication: what is shown first is published last."""
    languages = {language: _load(language) for language in LOCALES}

    def texts(section: str, name: str) -> dict[str, Text]:
        localized = {each: getattr(it, section)[name] for each, it in languages.items()}
        return {each: Text(it.title, it.content) for each, it in localized.items()}

    if demo:
        for name, (tab, top) in reversed(_ARTICLES.items()):
            yield validate_draft(StoredContent(name, ARTICLE, texts("articles", name), tab, top))
    for name, link in reversed(_BANNERS.items()):
        image = f"/vip/banners/{name}.svg"
        yield validate_draft(
            StoredContent(f"banner-{name}", BANNER, texts("banners", name), image=image, link=link)
        )
    for name in reversed(languages["en"].announcements):
        yield validate_draft(StoredContent(name, ANNOUNCEMENT, texts("announcements", name)))


async def seed(services: Services) -> None:
    """Publish the defaults that were never published. Raises CallRefused if that fails now."""
    existing = (await services.engine.house()).contents
    for stored in defaults(demo=services.settings.demo):
        if stored.id not in existing:
            digest = await asyncio.to_thread(services.content_store.save, stored)
            command = PublishContent(stored.id, stored.kind, digest, new=True, by=HOUSE)
            await services.commands.submit(HOUSE, f"first-{stored.id}", command)


async def run(services: Services) -> None:
    """Publish the defaults as soon as this instance leads; a refusal is retried after a second."""
    while True:
        await wait_until(lambda: services.engine.ready)
        try:
            return await seed(services)
        except (CallRefused, EngineUnavailableError) as error:
            logger.warning("nothing published yet", error=repr(error))
        await asyncio.sleep(_RETRY_S)
