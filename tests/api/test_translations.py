import re
from typing import Any

import msgspec
import pytest

from api.http.localization import TRANSLATED, translations_for
from api.messages import LOCALES
from engine.catalogue import GAMES, NAMED_KINDS
from engine.refusals import Refusal

# The success messages of the specification, §8.
SUCCESSES = {
    "logged_in",
    "submitted",
    "added",
    "set",
    "line_1",
    "line_2",
    "link_copied",
    "order_placed",
    "recalled",
    "joined_chat",
}


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_refusal_and_success_has_a_text(language: str) -> None:
    texts = TRANSLATED[language]
    assert set(texts.refusals) == set(Refusal)
    assert set(texts.success) >= SUCCESSES
    assert all((*texts.refusals.values(), *texts.success.values()))


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_game_and_bet_has_a_name(language: str) -> None:
    texts = TRANSLATED[language]
    assert set(texts.games) == set(GAMES)
    assert set(texts.kinds) == set(NAMED_KINDS)


def _placeholders(words: Any, path: str = "") -> dict[str, list[str]]:
    """The placeholders of each text, by the path of its keys."""
    if isinstance(words, str):
        return {path: sorted(set(re.findall(r"{\w+}", words)))}
    below = words.items() if isinstance(words, dict) else enumerate(words)
    return {
        name: found
        for key, inner in below
        for name, found in _placeholders(inner, f"{path} {key}").items()
    }


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_language_has_the_same_texts_with_the_same_placeholders(language: str) -> None:
    english, other = (msgspec.to_builtins(TRANSLATED[name]) for name in ("en", language))
    assert _placeholders(other) == _placeholders(english)


@pytest.mark.parametrize("language", [name for name in TRANSLATED if name != "en"])
def test_no_refusal_is_left_in_english(language: str) -> None:
    english, other = TRANSLATED["en"].refusals, TRANSLATED[language].refusals
    assert {name for name, words in other.items() if words == english[name]} == set()


def test_other_languages_fall_back_to_english_and_none_means_english() -> None:
    for locale in LOCALES:
        assert translations_for(locale) is TRANSLATED[locale]
    assert translations_for(None) is translations_for("tlh") is TRANSLATED["en"]
