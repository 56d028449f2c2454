"""Every text the house says, by the caller's language; English to whoever speaks none of ours."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from api.wire import money
from engine.catalogue import PLANS
from engine.refusals import Refusal
from engine.terms import DEFAULT_TERMS

LOCALES: Final = ("zh", "tw", "en", "vi", "ru", "my", "ja", "ko")
DEFAULT: Final = "en"


class NotificationText(Struct, frozen=True):
    """What a member is told about their money; `content` may name an {amount} in u."""

    title: str
    content: str


class Translations(Struct, frozen=True):
    """The texts of one language; `kinds` names the ten bets that are not a plain sum.

    `ended` follows the refusal of a request that has ended, by the status in which it did.
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
        """What a refusal says.

        `least` is the smallest withdrawal, in minor units; `earlier` the deposit that was credited
        before, by whom and when; `ended` the status, person and time of a request that has ended.
        """
        figure = f"{money(least):,.2f}".removesuffix(".00")
        text = self.refusals[refusal].replace("{least}", figure).replace("{earlier}", earlier)
        status, who, at = ended
        return text + self.ended.get(status, "").replace("{who}", who).replace("{at}", at)

    def kind(self, kind: str) -> str:
        """A bet kind's name; a sum is its own."""
        return self.kinds.get(kind, kind)

    def plan(self, plan: int) -> str:
        """A hall's title."""
        hall = PLANS[plan]
        return f"VIP{hall.vip + 1} {self.halls[hall.type]}"


def _load(name: str) -> Translations:
    content = Path(__file__).with_name("messages").joinpath(f"{name}.json").read_bytes()
    texts = msgspec.json.decode(content, type=Translations, strict=False)
    return msgspec.structs.replace(texts, name=name)


TRANSLATED: Final = {name: _load(name) for name in LOCALES}


def translations_for(locale: str | None) -> Translations:
    """The texts of a language of the product, English for any other word."""
    return TRANSLATED.get(locale or DEFAULT, TRANSLATED[DEFAULT])


def translations_of_browser(headers: Mapping[bytes, bytes]) -> Translations:
    """The texts of the language that the caller's browser asks for first."""
    return translations_for(headers.get(b"accept-language", b"")[:2].decode("latin-1"))
