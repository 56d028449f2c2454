"""News: GET /api/index/articleList and POST /api/index/articledetail."""

from typing import Final

from msgspec import Struct

from api.content.content_views import ARTICLE, TABS, Published, published, with_stored
from api.http.call_request import ApiRequest, CallRequest
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import ArticleId, At, Count
from api.http.refusals import CallRefused
from api.http.wire import seconds
from api.services import Services
from engine.refusals import Refusal
from projections.content import queries

#: Fixed by the specification: the view count of a hot topic.
VIEWS: Final = 7706
MAX_ARTICLES_SHOWN: Final = 100
_MAX_ID_LENGTH: Final = 128


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
async def article_list(request: CallRequest, services: Services) -> CallResult[News]:
    """Returns all news; each article includes its full content."""
    newest = (await published(services, ARTICLE))[:MAX_ARTICLES_SHOWN]
    articles = tuple(_article(each, request.texts.name) for each in newest)
    tabs = (
        ArticleTab(tab, request.texts.tabs[tab], tuple(it for it in articles if it.tab == tab))
        for tab in TABS
    )
    return CallResult(News(articles, tuple(it for it in articles if it.top), tuple(tabs)))


@call("/api/index/articledetail", "One article", refusals=(Refusal.ARTICLE_UNKNOWN,))
async def article_detail(
    request: CallRequest, data: ArticleRequest, services: Services
) -> CallResult[Article]:
    """Returns one article; a withdrawn article is refused as unknown."""
    article_id = str(data.id)
    if not (0 < len(article_id) <= _MAX_ID_LENGTH and article_id.isprintable()):
        raise CallRefused(Refusal.ARTICLE_UNKNOWN, "id")
    found = await services.read(lambda connection: queries.content(connection, article_id))
    if found is None or found.kind != ARTICLE or not found.shown:
        raise CallRefused(Refusal.ARTICLE_UNKNOWN, "id")
    for each in await with_stored(services, [found]):
        return CallResult(_article(each, request.texts.name))
    raise CallRefused(Refusal.ARTICLE_UNKNOWN, "id")


def _article(it: Published, locale: str) -> Article:
    text, stored = it.stored.text(locale), it.stored
    at = seconds(it.content.at)
    return Article(stored.id, text.title, text.content, at, stored.tab, stored.top, VIEWS)
