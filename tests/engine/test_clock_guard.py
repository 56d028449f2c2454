"""Which time is believed when clocks part: two of three, and never one that jumped a moment ago."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.clock_guard import CONFIRMED_AFTER_US, TOLERANCE_US, ClockGuard

SECOND = 1_000_000
START = 1_795_226_400 * SECOND
HOUR = 3_600 * SECOND
JUMPS = st.sampled_from([-1, 1]).flatmap(
    lambda way: st.integers(TOLERANCE_US + 1, 10 * 24 * HOUR).map(lambda size: way * size)
)


def test_small_corrections_of_the_wall_clock_are_followed() -> None:
    guard = ClockGuard(START, 0)
    for second in range(1, 100):
        wall = START + second * SECOND + second * 500_000
        assert guard.time(wall, second * SECOND) == wall
    assert guard.jump_us == 0


@given(JUMPS)
def test_a_jump_is_not_followed(jump: int) -> None:
    guard = ClockGuard(START, 0)
    assert guard.time(START + SECOND + jump, SECOND) == START + SECOND
    assert guard.jump_us == jump
    assert guard.time(START + 4 * SECOND + jump, 4 * SECOND) == START + 4 * SECOND


@given(JUMPS)
def test_a_wall_clock_that_is_back_is_followed_again(jump: int) -> None:
    guard = ClockGuard(START, 0)
    guard.time(START + jump, 0)
    assert guard.time(START + SECOND + 7, SECOND) == START + SECOND + 7
    assert guard.jump_us == 0


def compared(guard: ClockGuard, jump: int, database: int | None, seconds: int) -> int:
    """The time believed after so many seconds of comparing; both are offsets from the truth."""
    at = 0
    for at in range(0, seconds * SECOND + 1, SECOND):
        known = None if database is None else START + at + database
        guard.compare(START + at + jump, at, known)
    return guard.time(START + at + jump, at) - START - at


@given(JUMPS)
def test_a_jump_that_the_database_shares_for_a_minute_is_believed(jump: int) -> None:
    minute = CONFIRMED_AFTER_US // SECOND
    guard = ClockGuard(START, 0)
    assert compared(guard, jump, jump, minute - 1) == 0
    assert guard.database_us == jump
    assert compared(ClockGuard(START, 0), jump, jump, minute) == jump


@given(JUMPS)
@pytest.mark.parametrize("database", [0, None])
def test_a_jump_that_the_database_does_not_share_is_never_believed(
    database: int | None, jump: int
) -> None:
    guard = ClockGuard(START, 0)
    assert compared(guard, jump, database, 200) == 0
    assert guard.database_us == database


def test_three_clocks_that_disagree_leave_the_monotonic_one_in_charge() -> None:
    guard = ClockGuard(START, 0)
    assert compared(guard, HOUR, -HOUR, 200) == 0
    assert (guard.jump_us, guard.database_us) == (HOUR, -HOUR)


def test_a_minute_of_agreement_is_one_without_a_break() -> None:
    guard = ClockGuard(START, 0)
    for at in range(0, 200 * SECOND, SECOND):
        database = None if at % (50 * SECOND) == 0 else START + at + HOUR
        guard.compare(START + at + HOUR, at, database)
        assert guard.time(START + at + HOUR, at) == START + at
