"""Which players may write in a hall's chat, and how staff moderate it."""

from typing import Any

import pytest

from engine.answers import ChatAnswered, Refused
from engine.bets.decisions import place_bet
from engine.catalogue import PLANS
from engine.chat import decisions as chat_decisions
from engine.chat.commands import ChatCommand, MutePlayer, RemoveFromChat, SayInChat, UnmutePlayer
from engine.chat.decisions import MAX_MUTE_US
from engine.chat.facts import ChatMuted, ChatRemoved, ChatSaid, ChatUnmuted
from engine.chat.state import MAX_MESSAGES_KEPT
from engine.command_handler import DecisionContext, decide
from engine.engine_state import EngineState, Overlay
from engine.players import state as players
from engine.players.facts import PlayerSwitched, SelfExcluded, TimeOutTaken
from engine.players.profile import FOR_GOOD
from engine.players.state import Player
from engine.refusals import Refusal
from engine.terms import DAY_US
from tests.engine.given import DAY, DURING_SALE, FRESH, guest, member, placing, sale, unregistered

NOW = DURING_SALE
ANN, BEN = "staff:ann", "staff:ben"
SAY = SayInChat(1, 1, "chat-1", "words")


def after(player: Player, *facts: Any) -> Player:
    for fact in facts:
        players.evolve(player, fact, DAY)
    return player


def decided(command: ChatCommand, player: Player, now: int = NOW) -> Any:
    return chat_decisions.decide(command, player, now)


def message(number: int, plan: int = 1) -> ChatSaid:
    return ChatSaid(f"chat-{number}", plan, "words")


def test_a_member_writes_a_message_in_a_hall() -> None:
    assert decided(SAY, member()) == [ChatSaid("chat-1", 1, "words")]


def test_a_message_is_recorded_once() -> None:
    assert decided(SAY, after(member(), message(1))) == []


def test_a_message_moves_no_money_and_counts_as_a_fact() -> None:
    player = after(member(1_000), message(1))
    assert (player.available, player.version) == (1_000, 3)


@pytest.mark.parametrize(
    ("player", "refusal"),
    [
        (unregistered(), Refusal.PLAYER_UNKNOWN),
        (guest(), Refusal.MUST_REGISTER),
        (after(member(), TimeOutTaken(NOW + 1)), Refusal.EXCLUDED),
        (after(member(), SelfExcluded(None)), Refusal.EXCLUDED),
        (after(member(), PlayerSwitched(True, ANN, "")), Refusal.ACCOUNT_CLOSED),
        (after(member(), ChatMuted(NOW + 1, ANN, "")), Refusal.MUTED),
        (after(member(), ChatMuted(None, ANN, "")), Refusal.MUTED),
    ],
)
def test_a_player_who_may_not_write_gets_the_reason(player: Player, refusal: Refusal) -> None:
    answer = decided(SAY, player)
    assert answer.refusal is refusal


@pytest.mark.parametrize("plan", [0, -1, max(PLANS) + 1])
def test_a_message_in_an_unknown_hall_is_refused(plan: int) -> None:
    command = SayInChat(1, plan, "chat-1", "words")
    assert decided(command, member()) == Refused(Refusal.PLAN_UNKNOWN, "plan_id")


def test_a_mute_is_reported_before_an_unknown_hall() -> None:
    command = SayInChat(1, 99, "chat-1", "words")
    assert decided(command, after(member(), ChatMuted(None, ANN, ""))).refusal is Refusal.MUTED


# Muting.


def test_a_mute_ends_by_itself() -> None:
    (fact,) = decided(MutePlayer(1, DAY_US, ANN, "why"), member())
    assert fact == ChatMuted(NOW + DAY_US, ANN, "why")
    player = after(member(), fact)
    assert decided(SAY, player, NOW + DAY_US - 1).refusal is Refusal.MUTED
    assert isinstance(decided(SAY, player, NOW + DAY_US), list)


def test_a_permanent_mute_ends_only_when_staff_end_it() -> None:
    player = after(member(), *decided(MutePlayer(1, None, ANN, "why"), member()))
    assert decided(SAY, player, FOR_GOOD - 1).refusal is Refusal.MUTED
    (fact,) = decided(UnmutePlayer(1, BEN, "sorry"), player)
    assert fact == ChatUnmuted(BEN, "sorry")
    assert isinstance(decided(SAY, after(player, fact)), list)


def test_a_mute_is_made_longer_or_shorter_by_another_one() -> None:
    player = after(member(), ChatMuted(None, ANN, ""))
    assert decided(MutePlayer(1, DAY_US, BEN, ""), player) == [ChatMuted(NOW + DAY_US, BEN, "")]


def test_a_change_to_the_current_state_yields_no_facts() -> None:
    assert decided(UnmutePlayer(1, ANN, ""), member()) == []
    assert decided(UnmutePlayer(1, ANN, ""), after(member(), ChatMuted(NOW, ANN, ""))) == []
    muted = after(member(), ChatMuted(None, ANN, ""))
    assert decided(MutePlayer(1, None, BEN, ""), muted) == []


@pytest.mark.parametrize("span_us", [0, -1, MAX_MUTE_US + 1])
def test_a_mute_of_no_time_or_too_much_is_refused(span_us: int) -> None:
    command = MutePlayer(1, span_us, ANN, "")
    assert decided(command, member()) == Refused(Refusal.PERIOD_INVALID, "hours")


def test_a_muted_member_bets_as_before() -> None:
    """The notice tells muted players that they can still bet."""
    player = after(member(1_000), ChatMuted(None, ANN, ""))
    assert isinstance(place_bet(placing(1_000), player, sale(), NOW, FRESH, DAY), list)


# Removing.


def test_a_message_is_removed_once_and_by_name() -> None:
    player = after(member(), message(1, plan=3), message(2, plan=3))
    command = RemoveFromChat(1, "chat-1", ANN, "why")
    (fact,) = decided(command, player)
    assert fact == ChatRemoved("chat-1", 3, ANN, "why")
    after(player, fact)
    assert decided(command, player) == Refused(Refusal.CHAT_MESSAGE_UNKNOWN, "id")
    assert player.chat.message_ids == {3: ("chat-2",)}


def test_an_unknown_message_is_not_removed() -> None:
    command = RemoveFromChat(1, "chat-1", ANN, "why")
    assert decided(command, member()) == Refused(Refusal.CHAT_MESSAGE_UNKNOWN, "id")


def test_a_limited_number_of_messages_of_a_hall_is_kept() -> None:
    player = after(
        member(), *(message(number) for number in range(MAX_MESSAGES_KEPT + 1)), message(999, 2)
    )
    assert isinstance(decided(RemoveFromChat(1, "chat-1", ANN, ""), player), list)
    assert isinstance(decided(RemoveFromChat(1, "chat-999", ANN, ""), player), list)
    gone = decided(RemoveFromChat(1, "chat-0", ANN, ""), player)
    assert gone == Refused(Refusal.CHAT_MESSAGE_UNKNOWN, "id")


# Whole decisions, as the writer makes them.


def test_the_answer_has_the_time_recorded_and_the_end_of_the_mute() -> None:
    state = EngineState(players={1: member()})
    overlay = Overlay(state, NOW)
    context = DecisionContext(FRESH, lambda _, __: b"")
    assert decide(SAY, overlay, context) == ChatAnswered(2, NOW, 0)
    answer = decide(MutePlayer(1, DAY_US, ANN, ""), overlay, context)
    assert answer == ChatAnswered(3, NOW, NOW + DAY_US)
    assert [draft.fact for draft in overlay.drafts] == [
        ChatSaid("chat-1", 1, "words"),
        ChatMuted(NOW + DAY_US, ANN, ""),
    ]


def test_a_batch_that_is_thrown_away_mutes_no_member() -> None:
    state = EngineState(players={1: member()})
    decide(
        MutePlayer(1, None, ANN, ""), Overlay(state, NOW), DecisionContext(FRESH, lambda _, __: b"")
    )
    assert decided(SAY, state.players[1]) == [ChatSaid("chat-1", 1, "words")]
