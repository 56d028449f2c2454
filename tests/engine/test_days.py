"""A game's days: both parties commit to each before its first sale, one after another."""

from msgspec.structs import replace

from engine.answers import Refused
from engine.fairness.records import record_hash
from engine.house import game_day as houses
from engine.house.commands import SkipRounds
from engine.house.facts import DayOpened, RoundsSkipped
from engine.house.game_day import GameDay, open_day, record_of, skip_rounds
from engine.odds import BALANCED
from engine.refusals import Refusal
from tests.engine.a_round import ARound, flipped
from tests.engine.fairness import parties
from tests.engine.given import GAME, open_game, opening

WRONG = Refused(Refusal.SECRET_WRONG)


def skipping(last: int) -> SkipRounds:
    operator_link, witness_link = parties.operator_chain()[last], parties.witness_chain()[last]
    return SkipRounds(GAME, last, operator_link.hex(), witness_link.hex())


def test_a_day_opens_with_all_that_both_parties_signed() -> None:
    (opened,) = open_day(opening(), GameDay(GAME), selling=False)  # type: ignore[misc]
    assert isinstance(opened, DayOpened)
    assert record_of(opened) == opening().record
    assert (opened.day, opened.date, opened.segment) == (parties.DATE, parties.DATE, 0)
    assert (opened.first, opened.rounds, opened.shift) == (1, 274, 0)
    assert (opened.operator_key, opened.witness_key) == (
        parties.OPERATOR_PUBLIC.hex(),
        parties.WITNESS_PUBLIC.hex(),
    )


def test_a_day_opens_once() -> None:
    assert open_day(opening(), open_game(), selling=False) == []


def test_no_day_opens_while_a_round_is_on_sale() -> None:
    assert open_day(opening("2026-11-22"), open_game(), selling=True) == Refused(Refusal.ROUND_OWED)


def test_a_segment_of_the_same_day_is_a_day_of_its_own() -> None:
    facts = open_day(opening(f"{parties.DATE}/1"), open_game(), selling=False)
    assert isinstance(facts, list)
    (segment,) = facts
    assert isinstance(segment, DayOpened)
    assert (segment.day, segment.date, segment.segment) == ("2026-11-21/1", parties.DATE, 1)


def test_a_day_that_either_party_did_not_sign_is_refused() -> None:
    true, game = opening(), GameDay(GAME)
    for name in ("operator_signature", "witness_signature"):
        forged = replace(true, **{name: flipped(getattr(true, name))})
        assert open_day(forged, game, selling=False) == WRONG
    swapped = replace(
        true,
        operator_signature=true.witness_signature,
        witness_signature=true.operator_signature,
    )
    assert open_day(swapped, game, selling=False) == WRONG


def test_a_day_must_match_what_was_signed() -> None:
    true = opening()
    other = replace(true, record=replace(true.record, c_0="00" * 32))
    assert open_day(other, GameDay(GAME), selling=False) == WRONG


def test_a_day_sells_by_the_odds_that_it_names() -> None:
    """GLI-19 2.8.8k: no other table can have the id of the signed one."""
    sold = replace(opening(), odds_table=BALANCED.id)
    assert open_day(sold, GameDay(GAME), selling=False) == WRONG


def test_a_new_day_counts_and_chains_from_its_own_beginning() -> None:
    game = ARound().opened().closed().game
    (opened,) = open_day(opening("2026-11-22"), game, selling=False)  # type: ignore[misc]
    assert isinstance(opened, DayOpened)
    houses.evolve(game, opened)
    assert (game.day, game.last_index) == ("2026-11-22", 0)
    assert game.prev == record_hash(opening("2026-11-22").record).hex()
    assert game.revealed == (0, opened.operator_commitment, opened.witness_commitment)


def test_skipped_rounds_reveal_their_last_links() -> None:
    game = open_game()
    (skipped,) = skip_rounds(skipping(5), game, unfinished=False)  # type: ignore[misc]
    command = skipping(5)
    assert skipped == RoundsSkipped(
        GAME, parties.DATE, 1, 5, command.operator_secret, command.witness_secret
    )
    houses.evolve(game, skipped)
    assert game.last_index == 5
    assert game.issue_of(6) == "20261121006"


def test_rounds_are_skipped_once() -> None:
    game = open_game()
    (skipped,) = skip_rounds(skipping(5), game, unfinished=False)  # type: ignore[misc]
    houses.evolve(game, skipped)
    assert skip_rounds(skipping(5), game, unfinished=False) == []
    assert skip_rounds(skipping(3), game, unfinished=False) == []


def test_nothing_is_skipped_while_a_round_is_undrawn() -> None:
    """A later link reveals the undrawn round's link: its result would be known before its draw."""
    game = ARound().opened().game
    assert skip_rounds(skipping(5), game, unfinished=True) == Refused(Refusal.ROUND_OWED)


def test_a_false_link_skips_nothing() -> None:
    true = skipping(5)
    for name in ("operator_secret", "witness_secret"):
        false = replace(true, **{name: flipped(getattr(true, name))})
        assert skip_rounds(false, open_game(), unfinished=False) == WRONG
    assert skip_rounds(replace(true, last=6), open_game(), unfinished=False) == WRONG


def test_a_draw_after_skipped_rounds_leads_back_to_the_skipped_link() -> None:
    game = open_game()
    (skipped,) = skip_rounds(skipping(5), game, unfinished=False)  # type: ignore[misc]
    houses.evolve(game, skipped)
    drawn = ARound(6, game).opened().closed().drawn()
    assert game.revealed == (6, drawn.operator_secret, drawn.witness_secret)
