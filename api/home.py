"""What the app shows before anybody signs in: GET /api/index/index."""

from typing import Final

from msgspec import Struct

from api.calls import Asked, Asking, Call
from api.envelope import Done
from api.settings import VERSION, Operator
from api.texts import Announcement
from api.units import GameId


class Banner(Struct, frozen=True):
    """A picture of the carousel."""

    image: str


class Contact(Struct, frozen=True):
    """The customer service's links; empty where there is none."""

    online: str
    ws: str


class GameName(Struct, frozen=True):
    """A game by name."""

    id: GameId
    name: str


class Config(Struct, frozen=True):
    """The app's configuration; `demo` says that all money is play money."""

    banner: tuple[Banner, ...]
    kefu: Contact
    demo: bool
    operator: Operator
    announcements: tuple[Announcement, ...]
    version: str
    games: tuple[GameName, ...]


async def index(asked: Asked[Asking]) -> Done:
    """The configuration, in the caller's language; it is public.

    `kefu` are the links of the customer service.
    """
    settings, texts = asked.services.settings, asked.texts
    return Done(
        Config(
            banner=tuple(Banner(image) for image in settings.banners),
            kefu=Contact(settings.support.online, settings.support.ws),
            demo=settings.demo,
            operator=settings.operator,
            announcements=texts.announcements,
            version=VERSION,
            games=tuple(GameName(game, name) for game, name in texts.games.items()),
        )
    )


CALLS: Final = (
    Call("/api/index/index", Asking, Config, index, "The app's configuration", method="GET"),
)
