"""The app's public configuration, loaded before login: GET /api/index/index."""

from typing import Final

from msgspec import Struct

from api.content.content_views import ANNOUNCEMENT, BANNER, Published, published
from api.http.call_request import CallRequest
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import GameId, MinuteOfDay, Minutes, Seconds
from api.services import Services
from api.settings import VERSION, Operator
from engine.schedule import SECOND_US, Schedule

_SHOWN: Final = (BANNER, ANNOUNCEMENT)


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
async def index(request: CallRequest, services: Services) -> CallResult[Config]:
    """Returns the configuration, in the caller's language; it is public.

    `kefu` is customer service: a page to open, and the web socket of its live chat, which the
    app connects to. Either is empty if the operator has none.
    """
    settings, texts = services.settings, request.texts
    found = await published(services, BANNER, ANNOUNCEMENT)
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
