"""The draw board."""

from engine.facts import game_stream
from engine.house.facts import DayOpened, RoundsSkipped
from engine.schedule import regular
from projections import draws
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
