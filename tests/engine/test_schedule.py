from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.schedule import (
    SECOND_US,
    Schedule,
    business_date,
    calendar_day,
    current,
    day_bounds,
    demo,
    draw_day_bounds,
    issue,
    regular,
    rounds_on,
    slot,
)

GAMES = (1, 2, 3, 4)
ZONES = ("Asia/Singapore", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC")
CLOCK_CHANGES = [
    ("Europe/Lisbon", "2026-03-28"),
    ("Europe/Lisbon", "2026-10-24"),
    ("Africa/Cairo", "2026-04-23"),
    ("America/New_York", "2026-10-31"),
    ("Australia/Lord_Howe", "2026-04-04"),
]
HOUR_US = 3_600 * SECOND_US

zones = st.sampled_from(ZONES)
dates = st.dates(date(2018, 1, 1), date(2037, 12, 30)).map(date.isoformat)
schedules = st.one_of(st.builds(regular, zones), st.builds(demo, st.integers(10, 210), zones))


def micros(year: int, month: int, day: int, hour: int, minute: int = 0, second: int = 0) -> int:
    """A wall-clock time in Singapore as the engine counts time."""
    wall = datetime(year, month, day, hour, minute, second, tzinfo=ZoneInfo("Asia/Singapore"))
    return int(wall.timestamp()) * SECOND_US


def test_a_regular_day_is_274_rounds_of_210_seconds_in_16_hours() -> None:
    plan = regular()
    assert rounds_on(plan, "2026-11-21") == plan.rounds == 274
    assert plan.round_us == 210 * SECOND_US
    assert draw_day_bounds(plan, "2026-11-21") == (
        micros(2026, 11, 21, 10),
        micros(2026, 11, 22, 2),
    )


def test_a_demo_day_is_411_rounds_from_ten_to_ten() -> None:
    plan = demo()
    assert rounds_on(plan, "2026-11-21") == plan.rounds == 411
    assert draw_day_bounds(plan, "2026-11-21") == (
        micros(2026, 11, 21, 10),
        micros(2026, 11, 22, 10),
    )


@pytest.mark.parametrize("round_seconds", range(10, 211))
def test_a_demo_day_holds_every_round_that_fits_after_the_stagger(round_seconds: int) -> None:
    exact = (86_400 * 210 - 60 * round_seconds) // (210 * round_seconds)
    assert demo(round_seconds).rounds == rounds_on(demo(round_seconds), "2026-11-21") == exact


def test_closing_and_stagger_shrink_with_short_rounds() -> None:
    assert (demo(210).close_us, demo(210).stagger_us) == (15 * SECOND_US, 20 * SECOND_US)
    assert (demo(21).close_us, demo(21).stagger_us) == (1_500_000, 2 * SECOND_US)
    assert (demo(10).close_us, demo(10).stagger_us) == (714_285, 952_380)


@pytest.mark.parametrize("round_seconds", [9, 211, 0, -210])
def test_a_demo_round_outside_10_to_210_seconds_is_refused(round_seconds: int) -> None:
    with pytest.raises(ValueError, match="10 to 210"):
        demo(round_seconds)


def test_all_games_open_at_ten_and_the_first_rounds_are_staggered() -> None:
    firsts = [slot(regular(), game, "2026-11-21", 1) for game in GAMES]
    assert {first.opens_at for first in firsts} == {micros(2026, 11, 21, 10)}
    assert [first.draws_at for first in firsts] == [
        micros(2026, 11, 21, 10, 3, 30),
        micros(2026, 11, 21, 10, 3, 50),
        micros(2026, 11, 21, 10, 4, 10),
        micros(2026, 11, 21, 10, 4, 30),
    ]


def test_the_last_round_of_the_last_game_ends_the_day_at_two() -> None:
    assert slot(regular(), 4, "2026-11-21", 274).draws_at == micros(2026, 11, 22, 2)
    assert slot(regular(), 1, "2026-11-21", 274).draws_at == micros(2026, 11, 22, 1, 59)


@given(schedules, dates)
def test_rounds_follow_each_other_without_gap_or_overlap(plan: Schedule, day: str) -> None:
    start, end = draw_day_bounds(plan, day)
    for game in GAMES:
        slots = [slot(plan, game, day, index) for index in range(1, rounds_on(plan, day) + 1)][:300]
        assert slots[0].opens_at == start
        assert all(before.draws_at == after.opens_at for before, after in pairwise(slots))
        assert all(one.opens_at < one.closes_at < one.draws_at <= end for one in slots)
        assert all(one.draws_at - one.closes_at == plan.close_us for one in slots)


@given(schedules, dates)
def test_no_two_games_close_at_one_time(plan: Schedule, day: str) -> None:
    first_rounds = range(1, 30)
    closings = [slot(plan, game, day, index).closes_at for game in GAMES for index in first_rounds]
    assert len(set(closings)) == len(closings)


@given(schedules, dates, st.sampled_from(GAMES), st.data())
def test_the_current_round_is_the_one_whose_slot_contains_the_time(
    plan: Schedule, day: str, game: int, data: st.DataObject
) -> None:
    one = slot(plan, game, day, data.draw(st.integers(1, rounds_on(plan, day))))
    for now in (one.opens_at, one.closes_at, one.draws_at - 1):
        assert current(plan, game, now) == one
    moment = data.draw(st.integers(one.opens_at, one.draws_at - 1))
    assert current(plan, game, moment) == one
    assert business_date(plan, moment) == day


@given(schedules, dates, st.sampled_from(GAMES))
def test_nothing_is_on_sale_between_the_last_draw_and_the_next_day(
    plan: Schedule, day: str, game: int
) -> None:
    last = slot(plan, game, day, rounds_on(plan, day))
    tomorrow = (date.fromisoformat(day) + timedelta(days=1)).isoformat()
    opens_again = slot(plan, game, tomorrow, 1).opens_at
    for now in range(last.draws_at, opens_again, max(1, (opens_again - last.draws_at) // 7)):
        assert current(plan, game, now) is None
    assert current(plan, game, opens_again) == slot(plan, game, tomorrow, 1)


def test_no_draw_day_contains_the_hours_before_ten() -> None:
    plan = regular()
    assert business_date(plan, micros(2026, 11, 22, 1, 59)) == "2026-11-21"
    assert business_date(plan, micros(2026, 11, 22, 2)) is None
    assert business_date(plan, micros(2026, 11, 22, 9, 59)) is None
    assert business_date(plan, micros(2026, 11, 22, 10)) == "2026-11-22"


@pytest.mark.parametrize("index", [0, -1, 275])
def test_a_round_that_the_day_does_not_have_is_an_error(index: int) -> None:
    with pytest.raises(ValueError, match="has no round"):
        slot(regular(), 1, "2026-11-21", index)


@pytest.mark.parametrize(("timezone", "day"), CLOCK_CHANGES)
def test_a_regular_day_has_57600_elapsed_seconds_also_when_the_clocks_change(
    timezone: str, day: str
) -> None:
    plan = regular(timezone)
    start, end = draw_day_bounds(plan, day)
    offsets = {
        (datetime.fromtimestamp(at // SECOND_US, UTC)).astimezone(ZoneInfo(timezone)).utcoffset()
        for at in (start, end)
    }
    assert len(offsets) == 2, "the example must span a clock change"
    assert end - start == 57_600 * SECOND_US
    assert rounds_on(plan, day) == 274


def test_a_round_the_clock_day_that_spring_shortens_loses_its_last_rounds() -> None:
    plan = demo(timezone="Europe/Berlin")
    start, end = draw_day_bounds(plan, "2026-03-28")
    assert end - start == 23 * HOUR_US
    assert rounds_on(plan, "2026-03-28") == (23 * 3_600 - 60) // 210 == 394
    assert slot(plan, 4, "2026-03-28", 394).draws_at <= slot(plan, 1, "2026-03-29", 1).opens_at


def test_a_round_the_clock_day_that_autumn_lengthens_ends_after_24_hours() -> None:
    plan = demo(timezone="Europe/Berlin")
    start, end = draw_day_bounds(plan, "2026-10-24")
    assert end - start == 24 * HOUR_US
    assert business_date(plan, end) is None
    assert business_date(plan, end + HOUR_US) == "2026-10-25"


def test_a_date_that_its_zone_left_out_has_no_rounds() -> None:
    """Samoa went from 29 to 31 December 2011 when it crossed the date line."""
    plan = demo(timezone="Pacific/Apia")
    assert rounds_on(plan, "2011-12-30") == 0
    assert (
        day_bounds("Pacific/Apia", "2011-12-30")[0] == day_bounds("Pacific/Apia", "2011-12-31")[0]
    )


@given(zones, dates, st.data())
def test_a_calendar_day_is_the_moments_between_its_bounds(
    timezone: str, day: str, data: st.DataObject
) -> None:
    start, end = day_bounds(timezone, day)
    moment = data.draw(st.integers(start, end - 1))
    assert calendar_day(timezone, moment) == day
    assert calendar_day(timezone, start - 1) < day < calendar_day(timezone, end)


def test_a_calendar_day_may_have_23_or_25_hours() -> None:
    hours = {
        day: (bounds[1] - bounds[0]) // HOUR_US
        for day in ("2026-03-29", "2026-06-01", "2026-10-25")
        for bounds in [day_bounds("Europe/Berlin", day)]
    }
    assert hours == {"2026-03-29": 23, "2026-06-01": 24, "2026-10-25": 25}


def test_an_issue_is_the_date_and_the_rounds_number_as_wide_as_the_day_needs() -> None:
    assert issue(regular(), "2026-11-21", 7) == "20261121007"
    assert issue(demo(), "2026-11-21", 411) == "20261121411"
    assert issue(demo(10), "2026-11-21", 7) == "202611210007"


def test_issues_sort_as_their_rounds_do() -> None:
    plan = demo(30)
    issues = [issue(plan, "2026-11-21", index) for index in range(1, plan.rounds + 1)]
    assert issues == sorted(set(issues))


@pytest.mark.parametrize(
    "fault",
    [
        {"rounds": 0},
        {"rounds": 275},
        {"round_us": 0},
        {"close_us": 210 * SECOND_US},
        {"close_us": 0},
        {"stagger_us": 70 * SECOND_US},
        {"stagger_us": -1},
        {"opens_minute_of_day": 1_440},
        {"day_us": 86_401 * SECOND_US},
        {"timezone": "Mars/Olympus"},
        {"timezone": ""},
        {"timezone": "../etc/passwd"},
    ],
    ids=str,
)
def test_a_schedule_that_no_day_can_follow_is_refused(fault: dict[str, int | str]) -> None:
    fields = {name: getattr(regular(), name) for name in Schedule.__struct_fields__}
    Schedule(**fields)
    with pytest.raises(ValueError, match="no day can follow"):
        Schedule(**{**fields, **fault})
