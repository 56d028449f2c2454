"""Public content, which needs no login: the app's configuration and the news, /api/index/*.

GET /api/index/index is the configuration, loaded before login; GET articleList and POST
articledetail are the news.
"""

from typing import Final

from msgspec import Struct

from api.content.content_views import (
    ANNOUNCEMENT,
    ARTICLE,
    BANNER,
    TABS,
    Published,
    published,
    with_stored,
)
from api.http.call_request import ApiRequest, CallRequest
from api.http.calls import call
from api.http.db_pool import ReadModels
from api.http.envelope import CallResult
from api.http.field_types import ArticleId, At, Count, GameId, MinuteOfDay, Minutes, Seconds
from api.http.refusals import CallRefused
from api.http.wire import seconds
from api.settings import VERSION, Operator, Settings
from engine.refusals import Refusal
from engine.runtime.content_store import ContentStore
from engine.schedule import SECOND_US, Schedule
from projections.content import find_content

_SHOWN: Final = (BANNER, ANNOUNCEMENT)
#: Fixed by the specification: the view count of a hot topic.
VIEWS: Final = 7706
MAX_ARTICLES_SHOWN: Final = 100
_MAX_ID_LENGTH: Final = 128


class Banner(Struct, frozen=True):
    """A picture of the carousel, a path under /vip/, and the text on it.

    `link` is empty if the banner is not a link.
    """

    image: str
    title: str
    content: str
    link: str


class Announcement(Struct, frozen=True):
    """A notice of the operator, in plain text."""

    id: str
    title: str
    content: str


class Contact(Struct, frozen=True):
    """The customer service's links; empty where there is none."""

    online: str
    ws: str


class GameName(Struct, frozen=True):
    """A game by name."""

    id: GameId
    name: str


class RoundTimes(Struct, frozen=True):
    """How long a round lasts, and when rounds are sold: for `minutes` from `opens` on.

    `opens` is in the operator's time zone; 1440 minutes is the whole day.
    """

    seconds: Seconds
    opens: MinuteOfDay
    minutes: Minutes


class Config(Struct, frozen=True):
    """The app's configuration; with `demo` all money is play money.

    `timezone` is the IANA name of the operator's time zone, which defines calendar days; `rounds`
    is the schedule of a day there. `lines` are the origins of line 1 and line 2, empty if calls go
    to the app's own origin.
    """

    banner: tuple[Banner, ...]
    kefu: Contact
    demo: bool
    timezone: str
    rounds: RoundTimes
    operator: Operator
    announcements: tuple[Announcement, ...]
    version: str
    games: tuple[GameName, ...]
    lines: tuple[str, str]


@call("/api/index/index", "The app's configuration", method="GET")
async def index(
    request: CallRequest, settings: Settings, read_models: ReadModels, content_store: ContentStore
) -> CallResult[Config]:
    """Returns the configuration, in the caller's language; it is public.

    `kefu` is customer service: a page to open, and the web socket of its live chat, which the
    app connects to. Either is empty if the operator has none.
    """
    texts = request.texts
    found = await published(read_models, content_store, BANNER, ANNOUNCEMENT)
    by_kind = {kind: [it for it in found if it.content.kind == kind] for kind in _SHOWN}
    return CallResult(
        Config(
            banner=tuple(_banner(it, texts.name) for it in by_kind[BANNER]),
            kefu=Contact(settings.support.online, settings.support.ws),
            demo=settings.demo,
            timezone=settings.timezone,
            rounds=_rounds(settings.operator_schedule),
            operator=settings.operator,
            announcements=tuple(_announcement(it, texts.name) for it in by_kind[ANNOUNCEMENT]),
            version=VERSION,
            games=tuple(GameName(game, name) for game, name in texts.games.items()),
            lines=settings.lines,
        )
    )


def _rounds(plan: Schedule) -> RoundTimes:
    return RoundTimes(
        seconds=plan.round_us // SECOND_US,
        opens=plan.opens_minute_of_day,
        minutes=plan.day_us // (60 * SECOND_US),
    )


def _banner(it: Published, locale: str) -> Banner:
    text = it.stored.text(locale)
    return Banner(it.stored.image, text.title, text.content, it.stored.link)


def _announcement(it: Published, locale: str) -> Announcement:
    text = it.stored.text(locale)
    return Announcement(it.stored.id, text.title, text.content)


class ArticleRequest(ApiRequest):
    """`id` is an article's."""

    id: ArticleId


class Article(Struct, frozen=True):
    """An article; `createtime` is in seconds since 1970.

    It is in the caller's language, else in tw, the language of stored texts, else in English.

    `title` is plain text and `content` is HTML with few tags, cleaned when it was written. `tab` is
    original, recommend or wealth, `top` marks a hot topic.
    """

    id: str
    title: str
    content: str
    createtime: At
    tab: str
    top: bool
    views: Count


class ArticleTab(Struct, frozen=True):
    """A tab of the news page with its articles, newest first; `name` is the text to display."""

    id: str
    name: str
    articles: tuple[Article, ...]


class News(Struct, frozen=True):
    """`articles` are the newest, at most 100, for headlines; `tops` are the hot topics among them.

    `articleTabs` are the same articles by tab: original, recommend and wealth, also when empty.
    """

    articles: tuple[Article, ...]
    tops: tuple[Article, ...]
    articleTabs: tuple[ArticleTab, ...]  # noqa: N815 - the specification's name


@call("/api/index/articleList", "The news", method="GET")
async def article_list(
    request: CallRequest, read_models: ReadModels, content_store: ContentStore
) -> CallResult[News]:
    """Returns all news; each article includes its full content."""
    newest = (await published(read_models, content_store, ARTICLE))[:MAX_ARTICLES_SHOWN]
    articles = tuple(_article(each, request.texts.name) for each in newest)
    tabs = (
        ArticleTab(tab, request.texts.tabs[tab], tuple(it for it in articles if it.tab == tab))
        for tab in TABS
    )
    return CallResult(News(articles, tuple(it for it in articles if it.top), tuple(tabs)))


@call("/api/index/articledetail", "One article", refusals=(Refusal.ARTICLE_UNKNOWN,))
async def article_detail(
    request: CallRequest, data: ArticleRequest, read_models: ReadModels, content_store: ContentStore
) -> CallResult[Article]:
    """Returns one article; a withdrawn article is refused as unknown."""
    article_id = str(data.id)
    if not (0 < len(article_id) <= _MAX_ID_LENGTH and article_id.isprintable()):
        raise CallRefused(Refusal.ARTICLE_UNKNOWN, "id")
    found = await read_models.read(lambda connection: find_content(connection, article_id))
    if found is None or found.kind != ARTICLE or not found.shown:
        raise CallRefused(Refusal.ARTICLE_UNKNOWN, "id")
    for each in await with_stored(content_store, [found]):
        return CallResult(_article(each, request.texts.name))
    raise CallRefused(Refusal.ARTICLE_UNKNOWN, "id")


def _article(it: Published, locale: str) -> Article:
    text, stored = it.stored.text(locale), it.stored
    at = seconds(it.content.at)
    return Article(stored.id, text.title, text.content, at, stored.tab, stored.top, VIEWS)
