"""The draw board."""

from msgspec.structs import replace

from engine.facts import game_stream, round_stream
from engine.house.facts import DayOpened, RoundsSkipped, SegmentLeft
from engine.rounds.facts import StakesReturned, VoidRuled, WitnessAnsweredLate
from engine.schedule import regular
from projections import draws
from projections.draws import SegmentOrigin, StatedLate
from tests.projections.history import ISSUE, NOON, SECOND
from tests.projections.support import ProjectionHarness


def issue(number: int) -> str:
    return f"20261121{number:03d}"


def day_opened(game: int = 1, day: str = "2026-11-21") -> DayOpened:
    return DayOpened(
        game, day, "2026-11-21", 0, 1, 274, 0, regular(), "card-21.04.02", "0" * 64, "1" * 64,
        "2" * 64, "", "3" * 64, "4" * 64, "5" * 64, "6" * 64, "7" * 128, "8" * 128,
    )  # fmt: skip


def test_a_round_is_current_from_its_opening(house: ProjectionHarness) -> None:
    house.history.opens()
    views = house.catch_up()

    (found,) = draws.opened_last(views, 1, 1)

    assert (found.issue, found.phase, found.total) == (ISSUE, "open", -1)
    assert (found.opens_at, found.closes_at) == (NOON, NOON + 195 * SECOND)
    assert found.draws_at == NOON + 210 * SECOND
    assert not draws.opened_last(views, 2, 1)
    assert not draws.drawn(views, 1).items


def test_a_closed_round_shows_its_frozen_record_and_no_secret(house: ProjectionHarness) -> None:
    house.history.opens()
    house.history.later(195)
    house.history.closes(count=3, stake=4_000)

    found = draws.by_issue(house.catch_up(), 1, ISSUE)

    assert found is not None
    assert (found.phase, found.count, found.stake) == ("closed", 3, 4_000)
    assert (found.stakes, found.closed_at) == ({"big": 4_000}, NOON + 195 * SECOND)
    assert (found.bets_head, found.prev, found.frozen) == ("b" * 64, "c" * 64, "f" * 64)
    assert found.signature == "5" * 128
    assert (found.operator_secret, found.witness_secret, found.digits) == ("", "", None)


def test_a_drawn_round_shows_digits_and_both_secrets(house: ProjectionHarness) -> None:
    house.history.opens()
    house.history.closes()
    house.history.draws((5, 8, 2))
    views = house.catch_up()

    (found,) = draws.drawn(views, 1).items

    assert (found.phase, found.digits, found.total) == ("drawn", (5, 8, 2), 15)
    assert (found.operator_secret, found.witness_secret) == ("0" * 64, "1" * 64)
    assert (found.operator_signature, found.witness_signature) == ("2" * 128, "3" * 128)
    assert found.drawn_position == 3


def test_a_settled_round_knows_its_totals_and_stays_the_latest(house: ProjectionHarness) -> None:
    house.history.opens()
    house.history.closes(count=2, stake=3_000)
    house.history.draws((5, 8, 2))
    house.catch_up()
    house.history.ends(count=2, stake=3_000, payout=1_980)

    (found,) = draws.drawn(house.catch_up(), 1).items

    assert (found.phase, found.stake, found.payout) == ("settled", 3_000, 1_980)


def test_a_voided_round_is_not_among_the_drawn(house: ProjectionHarness) -> None:
    house.history.opens()
    house.history.closes()
    house.history.cancels()
    views = house.catch_up()

    found = draws.by_issue(views, 1, ISSUE)

    assert found is not None
    assert (found.phase, found.void_reason, found.void_signature) == (
        "voided", "no draw", "4" * 128,
    )  # fmt: skip
    assert draws.drawn(views, 1).items == ()


def test_drawn_rounds_are_listed_by_game_newest_first_with_a_cursor(
    house: ProjectionHarness,
) -> None:
    for number in range(1, 5):
        for game in (1, 2):
            house.history.opens(game, issue(number))
            house.history.closes(game, issue(number))
            house.history.draws((number, 0, 0), game, issue(number))
    house.history.opens(1, issue(5))
    views = house.catch_up()

    first = draws.drawn(views, 1, limit=3)
    second = draws.drawn(views, 1, limit=3, cursor=first.cursor)

    assert [it.issue for it in first.items] == [issue(4), issue(3), issue(2)]
    assert [it.issue for it in second.items] == [issue(1)]
    assert second.cursor is None


def test_several_rounds_are_found_with_one_query(house: ProjectionHarness) -> None:
    house.history.opens(1)
    house.history.opens(2)
    requested = [(1, ISSUE), (2, ISSUE), (3, ISSUE)]

    found = draws.by_issues(house.catch_up(), requested)

    assert set(found) == {(1, ISSUE), (2, ISSUE)}


def test_a_day_shows_its_commitments_and_the_rounds_it_missed(house: ProjectionHarness) -> None:
    house.history.append((game_stream(1), day_opened()))
    house.catch_up()
    house.history.later(60)
    skipped = RoundsSkipped(1, "2026-11-21", 3, 9, "a" * 64, "b" * 64)
    house.history.append((game_stream(1), skipped))
    views = house.catch_up()

    found = draws.day(views, 1, "2026-11-21")

    assert found is not None
    assert found.opened == day_opened()
    assert (found.position, found.opened_at) == (1, NOON)
    assert [(it.first, it.last, it.operator_secret) for it in found.skipped] == [(3, 9, "a" * 64)]
    assert draws.day(views, 1, "2026-11-21/1") is None


def follows(house: ProjectionHarness, day: str) -> SegmentOrigin | None:
    found = draws.day(house.catch_up(), 1, day)
    assert found is not None
    return found.follows


def segment(number: int) -> DayOpened:
    return replace(day_opened(day=f"2026-11-21/{number}"), segment=number)


def test_a_segment_has_the_cause_for_which_the_one_before_was_left(
    house: ProjectionHarness,
) -> None:
    """It is the same whether both facts are in one page of the log or in two."""
    stream = game_stream(1)
    house.history.append((stream, day_opened()))
    house.history.append((game_stream(2), day_opened(2)))
    house.history.append((stream, SegmentLeft(1, "2026-11-21", "witness_behind")))
    assert follows(house, "2026-11-21") is None
    house.history.append((stream, segment(1)))
    assert follows(house, "2026-11-21/1") == SegmentOrigin("2026-11-21", ("witness_behind",))
    house.history.append((stream, SegmentLeft(1, "2026-11-21/1", "chain_lost")))
    house.history.append((stream, segment(3)))
    assert follows(house, "2026-11-21/3") == SegmentOrigin("2026-11-21/1", ("chain_lost",))


def test_a_segment_names_what_differs_from_the_one_before(house: ProjectionHarness) -> None:
    stream = game_stream(1)
    changed = replace(segment(1), witness_key="a" * 64, odds_hash="b" * 64, beacon="c" * 64)
    house.history.append((stream, day_opened()))
    house.history.append((stream, SegmentLeft(1, "2026-11-21", "day_unknown")))
    house.history.append((stream, changed))
    reasons = ("day_unknown", "witness_changed", "odds_changed", "beacon_changed")
    assert follows(house, "2026-11-21/1") == SegmentOrigin("2026-11-21", reasons)
    as_before = replace(changed, day="2026-11-22", date="2026-11-22", segment=0)
    house.history.append((stream, as_before))
    assert follows(house, "2026-11-22") is None
    another = replace(as_before, day="2026-11-23", date="2026-11-23", witness_key="6" * 64)
    house.history.append((stream, another))
    assert follows(house, "2026-11-23") == SegmentOrigin("2026-11-22", ("witness_changed",))


def test_a_day_that_began_late_shows_it(house: ProjectionHarness) -> None:
    house.history.append((game_stream(1), segment(1)))
    assert follows(house, "2026-11-21/1") == SegmentOrigin("", ("late_start",))


def test_a_voided_round_shows_the_newest_statement_of_its_witness(house: ProjectionHarness) -> None:
    house.history.opens()
    house.history.closes()
    stream, place = round_stream(1, ISSUE), (1, "2026-11-21", 1, ISSUE)
    ruled = VoidRuled(*place, "unattested", "no answer", "staff:a", "staff:b", "", "", "", "")
    house.history.append((stream, ruled))
    house.history.append((stream, StakesReturned(1, ISSUE, 0, 0)))
    found = draws.by_issue(house.catch_up(), 1, ISSUE)
    assert found is not None
    assert (found.phase, found.void_status, found.late) == ("voided", "unattested", None)
    house.history.later(60)
    unknown = WitnessAnsweredLate(*place, "unknown", "day_unknown", "", "")
    signed = WitnessAnsweredLate(*place, "released", "", "9" * 128, "8" * 64)
    house.history.append((stream, unknown))
    house.history.append((stream, signed))
    found = draws.by_issue(house.catch_up(), 1, ISSUE)
    assert found is not None
    at = NOON + 60 * SECOND
    assert (found.phase, found.void_status) == ("voided", "unattested")
    assert found.late == StatedLate("released", "", "9" * 128, "8" * 64, at)
