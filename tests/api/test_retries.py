"""Calls without a key, as unchanged old clients repeat them."""

from api.http.commands import LastSeenPositions
from api.http.idempotency import JOIN_TIMEOUT_S, KeylessRetryDedup

CALL, OTHER = b"player 7 bets 10", b"player 7 bets 20"


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_same_call_in_flight_shares_a_key_and_another_does_not() -> None:
    retries = KeylessRetryDedup(Time())
    assert retries.begin(CALL) == retries.begin(CALL)
    assert retries.begin(OTHER) != retries.begin(CALL)


def test_after_an_answer_the_same_call_is_a_new_one() -> None:
    retries = KeylessRetryDedup(Time())
    key = retries.begin(CALL)
    retries.answered(CALL, key)
    assert retries.begin(CALL) != key


def test_a_call_whose_connection_closed_unanswered_is_joined_for_a_minute() -> None:
    time = Time()
    retries = KeylessRetryDedup(time)
    key = retries.begin(CALL)
    retries.abandon(CALL, key)
    time.now = JOIN_TIMEOUT_S
    assert retries.begin(CALL) == key


def test_and_forgotten_after_it() -> None:
    time = Time()
    retries = KeylessRetryDedup(time)
    key = retries.begin(CALL)
    retries.abandon(CALL, key)
    time.now = JOIN_TIMEOUT_S + 1
    assert retries.begin(CALL) != key


def test_the_last_position_seen_never_goes_back() -> None:
    seen = LastSeenPositions()
    seen.record(7, 12)
    seen.record(7, 0)
    assert (seen.of(7), seen.of(8)) == (12, 0)
