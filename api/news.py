"""News: GET /api/index/articleList and POST /api/index/articledetail."""

from typing import Any, Final

from msgspec import Struct

from api.calls import Asked, Asking, Call
from api.contents import ARTICLE, TABS, Published, published, with_words
from api.envelope import CallRefused, Done
from api.units import ArticleId, At, Count
from api.wire import seconds
from engine.refusals import Refusal
from projections.contents import queries

#: The specification's: the count of views of a hot topic is fixed.
VIEWS: Final = 7706
MOST_SHOWN: Final = 100
_LONGEST_ID: Final = 128


class ArticleAsking(Asking):
    """`id` is an article's."""

    id: ArticleId


class Article(Struct, frozen=True):
    """An article; `createtime` in seconds since 1970.

    It is in the caller's language, else in tw, the language of stored texts, else in English.

    `title` is plain text and `content` HTML of few tags, cleaned when it was written. `tab` is
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
    """A tab of the news page with its articles, newest first; `name` as it is to be shown."""

    id: str
    name: str
    articles: tuple[Article, ...]


class News(Struct, frozen=True):
    """`articles` are the newest, at most 100, for headlines; `tops` the hot topics among them.

    `articleTabs` are the same articles by tab: original, recommend and wealth, also when empty.
    """

    articles: tuple[Article, ...]
    tops: tuple[Article, ...]
    articleTabs: tuple[ArticleTab, ...]  # noqa: N815 - the specification's name


async def article_list(asked: Asked[Asking]) -> Done:
    """The news, whole: its articles hold all that their own page shows."""
    newest = (await published(asked.services, ARTICLE))[:MOST_SHOWN]
    articles = tuple(_article(each, asked.texts.name) for each in newest)
    tabs = (
        ArticleTab(tab, asked.texts.tabs[tab], tuple(it for it in articles if it.tab == tab))
        for tab in TABS
    )
    return Done(News(articles, tuple(it for it in articles if it.top), tuple(tabs)))


async def article_detail(asked: Asked[ArticleAsking]) -> Done:
    """One article; one that was withdrawn is as unknown as one that never was."""
    wanted = str(asked.body.id)
    if not (0 < len(wanted) <= _LONGEST_ID and wanted.isprintable()):
        raise CallRefused(Refusal.ARTICLE_UNKNOWN, "id")
    found = await asked.services.read(lambda connection: queries.content(connection, wanted))
    if found is None or found.kind != ARTICLE or not found.shown:
        raise CallRefused(Refusal.ARTICLE_UNKNOWN, "id")
    for each in await with_words(asked.services, [found]):
        return Done(_article(each, asked.texts.name))
    raise CallRefused(Refusal.ARTICLE_UNKNOWN, "id")


def _article(it: Published, locale: str) -> Article:
    text, stored = it.stored.text(locale), it.stored
    at = seconds(it.content.at)
    return Article(stored.id, text.title, text.content, at, stored.tab, stored.top, VIEWS)


CALLS: Final[tuple[Call[Any], ...]] = (
    Call("/api/index/articleList", Asking, News, article_list, "The news", method="GET"),
    Call(
        "/api/index/articledetail",
        ArticleAsking,
        Article,
        article_detail,
        "One article",
        refusals=(Refusal.ARTICLE_UNKNOWN,),
    ),
)
