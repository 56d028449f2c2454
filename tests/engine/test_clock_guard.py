"""The time used when clocks differ: that of two of three, and never one that has just jumped."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.runtime.clock import CONFIRMED_AFTER_US, TOLERANCE_US, ClockGuard

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
def test_a_wall_clock_that_has_returned_is_followed_again(jump: int) -> None:
    guard = ClockGuard(START, 0)
    guard.time(START + jump, 0)
    assert guard.time(START + SECOND + 7, SECOND) == START + SECOND + 7
    assert guard.jump_us == 0


def compared(guard: ClockGuard, jump: int, database: int | None, seconds: int) -> int:
    """The time used after `seconds` of comparing; `jump` and `database` are offsets from it."""
    at = 0
    for at in range(0, seconds * SECOND + 1, SECOND):
        database_time = None if database is None else START + at + database
        guard.compare(START + at + jump, at, database_time, CONFIRMED_AFTER_US)
    return guard.time(START + at + jump, at) - START - at


@given(JUMPS)
def test_a_jump_that_the_database_shares_for_a_minute_is_followed(jump: int) -> None:
    minute = CONFIRMED_AFTER_US // SECOND
    guard = ClockGuard(START, 0)
    assert compared(guard, jump, jump, minute - 1) == 0
    assert guard.database_us == jump
    assert compared(ClockGuard(START, 0), jump, jump, minute) == jump


@given(JUMPS)
@pytest.mark.parametrize("database", [0, None])
def test_a_jump_that_the_database_does_not_share_is_never_followed(
    database: int | None, jump: int
) -> None:
    guard = ClockGuard(START, 0)
    assert compared(guard, jump, database, 200) == 0
    assert guard.database_us == database


def test_if_all_three_clocks_differ_the_monotonic_one_is_used() -> None:
    guard = ClockGuard(START, 0)
    assert compared(guard, HOUR, -HOUR, 200) == 0
    assert (guard.jump_us, guard.database_us) == (HOUR, -HOUR)


def test_the_minute_of_agreement_must_be_uninterrupted() -> None:
    guard = ClockGuard(START, 0)
    for at in range(0, 200 * SECOND, SECOND):
        database = None if at % (50 * SECOND) == 0 else START + at + HOUR
        guard.compare(START + at + HOUR, at, database, CONFIRMED_AFTER_US)
        assert guard.time(START + at + HOUR, at) == START + at


def test_the_minute_of_agreement_begins_again_with_each_jump() -> None:
    guard = ClockGuard(START, 0)
    for at in range(0, 200 * SECOND, SECOND):
        jump = HOUR if at % (100 * SECOND) < 50 * SECOND else -HOUR
        guard.compare(START + at + jump, at, START + at + jump, CONFIRMED_AFTER_US)
        assert guard.time(START + at + jump, at) == START + at
