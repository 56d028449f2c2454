"""Server messages in the languages of api/messages. Unsupported languages get English."""

import re
from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct

from api.http.wire import money
from api.messages import DEFAULT, LOCALES, read
from engine.catalogue import PLANS
from engine.refusals import Refusal
from engine.terms import DEFAULT_TERMS


class NotificationText(Struct, frozen=True):
    """A notification about a player's money; `content` may contain an {amount} in u."""

    title: str
    content: str


class Translations(Struct, frozen=True):
    """The texts of one language; `kinds` names the bets that are not a plain sum.

    `ended` is appended to the refusal of a request that has ended, by its final status.
    """

    refusals: dict[str, str]
    success: dict[str, str]
    games: dict[int, str]
    halls: tuple[str, str, str]
    kinds: dict[str, str]
    ended: dict[str, str]
    marks: dict[str, str]
    tabs: dict[str, str]
    notes: dict[str, NotificationText]
    name: str = DEFAULT

    def refusal(
        self,
        refusal: Refusal,
        least: int = DEFAULT_TERMS.least_withdrawal_minor,
        earlier: str = "?",
        ended: tuple[str, str, str] = ("", "", ""),
    ) -> str:
        """Returns the text of a refusal.

        `least` is the minimum withdrawal in minor units; `earlier` the deposit credited before, by
        whom and when; `ended` the status, person and time of a request that has ended.
        """
        figure = f"{money(least):,.2f}".removesuffix(".00")
        text = self.refusals[refusal].replace("{least}", figure).replace("{earlier}", earlier)
        status, who, at = ended
        return text + self.ended.get(status, "").replace("{who}", who).replace("{at}", at)

    def kind(self, kind: str) -> str:
        """Returns the name of a bet kind; a sum is its own name."""
        return self.kinds.get(kind, kind)

    def plan(self, plan: int) -> str:
        """Returns the title of a hall, which the wire calls a plan."""
        hall = PLANS[plan]
        return f"VIP{hall.vip + 1} {self.halls[hall.type]}"


_decode: Final = msgspec.json.Decoder(Translations, strict=False).decode


def _load(name: str) -> Translations:
    texts = _decode(read(name, "messages.json"))
    return msgspec.structs.replace(texts, name=name)


_TRADITIONAL: Final = re.compile(r"zh-(hant|tw|hk|mo)\b")
# The specification's `my` is Malay and its `tw` Chinese; a browser's are Burmese and Twi, which get
# English.
_NAMES: Final = {"ms": "my", "my": DEFAULT, "tw": DEFAULT}
TRANSLATED: Final = {name: _load(name) for name in LOCALES}


def translations_for(locale: str | None) -> Translations:
    """Returns the texts of a supported language, else of English."""
    return TRANSLATED.get(locale or DEFAULT, TRANSLATED[DEFAULT])


def translations_of_browser(headers: Mapping[bytes, bytes]) -> Translations:
    """Returns the texts of the first language in Accept-Language."""
    first = headers.get(b"accept-language", b"").decode("latin-1").lower().replace(";", ",")
    tag = first.split(",")[0].strip()
    if _TRADITIONAL.match(tag):
        return TRANSLATED["tw"]
    spoken = tag.split("-")[0]
    return translations_for(_NAMES.get(spoken, spoken))
