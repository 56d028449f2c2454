"""Chat messages of the halls, removed messages, and mutes."""

import pytest

from engine.chat.facts import ChatMuted, ChatRemoved, ChatSaid, ChatUnmuted
from engine.facts import Fact
from projections import chat
from projections.chat import FOR_GOOD
from tests.projections.history import NOON, SECOND
from tests.projections.support import ProjectionHarness

ANN = "staff:ann"


def append_messages(house: ProjectionHarness, player: int, *numbers: int, plan: int = 1) -> None:
    house.history.append_for(player, *(ChatSaid(f"chat-{number}", plan, "") for number in numbers))


def removes(house: ProjectionHarness, player: int, number: int, plan: int = 1) -> None:
    house.history.append_for(player, ChatRemoved(f"chat-{number}", plan, ANN, "why"), by=ANN)


def test_halls_list_their_messages_oldest_first(house: ProjectionHarness) -> None:
    house.history.joins(1, 2)
    append_messages(house, 1, 1)
    house.history.later(1)
    append_messages(house, 2, 2, plan=36)
    append_messages(house, 2, 3)

    found = chat.newest_messages(house.catch_up())

    assert [(it.message, it.player, it.plan) for it in found] == [
        ("chat-1", 1, 1),
        ("chat-2", 2, 36),
        ("chat-3", 2, 1),
    ]
    assert [(it.at, it.position) for it in found[:2]] == [(NOON, 3), (NOON + SECOND, 4)]


def test_the_newest_messages_push_out_the_oldest_of_their_hall(house: ProjectionHarness) -> None:
    house.history.joins(1)
    append_messages(house, 1, 1, plan=2)
    append_messages(house, 1, *range(10, 15))

    found = chat.newest_messages(house.catch_up(), limit=3)

    assert [it.message for it in found] == ["chat-1", "chat-12", "chat-13", "chat-14"]


def test_a_removed_message_shows_who_removed_it_and_keeps_its_place(
    house: ProjectionHarness,
) -> None:
    house.history.joins(1)
    append_messages(house, 1, 1, 2)
    house.catch_up()
    house.history.later(5)
    removes(house, 1, 1)

    first, second = chat.newest_messages(house.catch_up())

    assert (first.removed_by, first.removed_at) == (ANN, NOON + 5 * SECOND)
    assert (first.removed_position, first.position) == (4, 2)
    assert (second.removed_by, second.removed_at, second.removed_position) == ("", 0, 0)


def test_a_message_sent_and_removed_in_one_page_is_removed(house: ProjectionHarness) -> None:
    house.history.joins(1)
    append_messages(house, 1, 1)
    removes(house, 1, 1)

    message = chat.find_message(house.catch_up(), "chat-1")

    assert message is not None
    assert message.removed_by == ANN


def test_staff_read_all_messages_page_by_page_newest_first(house: ProjectionHarness) -> None:
    house.history.joins(1)
    append_messages(house, 1, 1, 2)
    append_messages(house, 1, 3, plan=2)
    removes(house, 1, 2)
    views = house.catch_up()

    everywhere = chat.messages_before(views, None, None, 2)
    rest = chat.messages_before(views, None, everywhere.cursor, 2)
    here = chat.messages_before(views, 1)

    assert [it.message for it in everywhere.items] == ["chat-3", "chat-2"]
    assert ([it.message for it in rest.items], rest.cursor) == (["chat-1"], None)
    assert [it.message for it in here.items] == ["chat-2", "chat-1"]


def test_an_unknown_message_has_no_author(house: ProjectionHarness) -> None:
    assert chat.find_message(house.catch_up(), "chat-1") is None


@pytest.mark.parametrize(
    ("facts", "until"),
    [
        ([ChatMuted(NOON, ANN, "")], NOON),
        ([ChatMuted(None, ANN, "")], FOR_GOOD),
        ([ChatMuted(None, ANN, ""), ChatMuted(NOON, ANN, "")], NOON),
        ([ChatMuted(None, ANN, ""), ChatUnmuted(ANN, "")], 0),
        ([], 0),
    ],
)
@pytest.mark.parametrize("in_one_page", [True, False])
def test_the_last_fact_on_a_mute_counts(
    house: ProjectionHarness, facts: list[Fact], until: int, in_one_page: bool
) -> None:
    house.history.joins(1, 2)
    for fact in facts:
        house.history.append(("player-1", fact))
        if not in_one_page:
            house.catch_up()

    views = house.catch_up()

    assert (chat.muted_until(views, 1), chat.muted_until(views, 2)) == (until, 0)
