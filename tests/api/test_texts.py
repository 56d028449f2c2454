import msgspec
import pytest

from api.texts import LOCALES, TRANSLATED, texts_for
from engine.catalogue import GAMES
from engine.games import NAMED_KINDS
from engine.refusals import Refusal

# The specification's catalogue of successes, §8.
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


def test_both_translations_name_the_same_things() -> None:
    english, chinese = (msgspec.to_builtins(TRANSLATED[name]) for name in ("en", "zh"))
    assert {name: set(words) for name, words in english.items() if isinstance(words, dict)} == {
        name: set(words) for name, words in chinese.items() if isinstance(words, dict)
    }


def test_other_languages_fall_back_to_english_and_none_means_english() -> None:
    assert texts_for("zh") is TRANSLATED["zh"]
    assert {texts_for(locale).name for locale in LOCALES} == {"en", "zh"}
    assert texts_for(None) is texts_for("tlh") is TRANSLATED["en"]
