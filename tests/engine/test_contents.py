"""Published content: who published it, shown until withdrawn, texts only as hashes."""

import pytest

from engine.answers import Refused
from engine.house.house_state import HouseState
from engine.house.house_state import evolve as house_evolve
from engine.house.published_content import (
    ContentFact,
    ContentPublished,
    ContentWithdrawn,
    PublishContent,
    PublishedContent,
    WithdrawContent,
    decide,
    evolve,
)
from engine.players.commands import SendMessage, WithdrawMessage
from engine.players.decisions import decide_message
from engine.players.facts import MessageSent, MessageWithdrawn, PlayerRegistered
from engine.players.state import Player
from engine.players.state import evolve as player_evolve
from engine.refusals import Refusal

ANN, BEN = "staff:ann", "staff:ben"
NEW = PublishContent("news-1", "article", "aa", True, ANN)
CHANGED = PublishContent("news-1", "article", "bb", False, BEN)
GONE = WithdrawContent("news-1", BEN)
UNKNOWN = Refused(Refusal.CONTENT_UNKNOWN, "id")


def after(*facts: ContentFact) -> PublishedContent:
    contents: PublishedContent = {}
    for fact in facts:
        contents = evolve(contents, fact)
    return contents


FIRST = ContentPublished("news-1", "article", "aa", ANN)


def test_what_is_published_is_recorded_with_its_hash_and_by_whom() -> None:
    assert decide(NEW, {}) == [FIRST]
    assert after(FIRST)["news-1"].shown


def test_a_change_replaces_the_earlier_content() -> None:
    second = ContentPublished("news-1", "article", "bb", BEN)
    assert decide(CHANGED, after(FIRST)) == [second]
    assert after(FIRST, second)["news-1"].digest == "bb"
    assert decide(CHANGED, after(FIRST, second)) == []


def test_only_existing_content_can_be_changed_and_it_keeps_its_kind() -> None:
    assert decide(CHANGED, {}) == UNKNOWN
    other = PublishContent("news-1", "banner", "bb", False, BEN)
    assert decide(other, after(FIRST)) == UNKNOWN


@pytest.mark.parametrize("kind", ["", "draw", "Article"])
def test_there_is_content_of_four_kinds_only(kind: str) -> None:
    command = PublishContent("news-1", kind, "aa", True, ANN)
    assert decide(command, {}) == Refused(Refusal.CONTENT_INVALID, "kind")


def test_withdrawn_content_is_shown_again_only_when_staff_publish_it() -> None:
    gone = ContentWithdrawn("news-1", BEN)
    assert decide(GONE, after(FIRST)) == [gone]
    assert not after(FIRST, gone)["news-1"].shown
    assert decide(GONE, after(FIRST, gone)) == []
    again = PublishContent("news-1", "article", "aa", False, ANN)
    assert decide(again, after(FIRST, gone)) == [FIRST]
    assert decide(GONE, {}) == UNKNOWN


def test_a_default_never_overrides_a_change_by_staff() -> None:
    changed = ContentPublished("news-1", "article", "bb", BEN)
    assert decide(NEW, after(FIRST, changed)) == []
    assert decide(NEW, after(FIRST, ContentWithdrawn("news-1", BEN))) == []


def test_content_counts_in_the_houses_stream() -> None:
    house = house_evolve(HouseState(), FIRST)
    assert (house.version, house.contents["news-1"].digest) == (1, "aa")


def member(*facts: MessageSent | MessageWithdrawn) -> Player:
    player = Player(7)
    for fact in (PlayerRegistered(1, None, False, ""), *facts):
        player_evolve(player, fact, "2026-11-21")
    return player


SENT = MessageSent("m-1", "commitment", ANN)


def test_a_message_to_one_player_is_recorded_in_the_players_stream_once() -> None:
    sending = SendMessage(7, "m-1", "commitment", ANN)
    assert decide_message(sending, member()) == [SENT]
    assert decide_message(sending, member(SENT)) == []


def test_a_message_is_withdrawn_from_the_player_who_has_it() -> None:
    taking = WithdrawMessage(7, "m-1", BEN)
    gone = MessageWithdrawn("m-1", BEN)
    assert decide_message(taking, member(SENT)) == [gone]
    assert decide_message(taking, member()) == UNKNOWN
    assert decide_message(taking, member(SENT, gone)) == UNKNOWN


def test_no_message_is_sent_to_an_unregistered_player() -> None:
    unknown = Refused(Refusal.PLAYER_UNKNOWN, "player")
    assert decide_message(SendMessage(7, "m-1", "c", ANN), Player(7)) == unknown
