"""Idempotency: one call at a time per player, one answer per key, and failures."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from time import monotonic
from typing import Any

import pytest

from api.http.call_request import Auth
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.idempotency import MAX_WAITING, IdempotentRequests
from api.http.refusals import CallRefused
from engine.refusals import Refusal
from tests.api.support import DEADLINE_S

PATH = "/api/user/newPass"


def in_a_loop(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Run the test on an event loop of its own."""

    @wraps(test)
    def run() -> None:
        asyncio.run(asyncio.wait_for(test(), DEADLINE_S))

    return run


class Work:
    """Work that waits until the test releases it, and counts its calls."""

    def __init__(self, fails: bool = False) -> None:
        self.let = asyncio.Event()
        self.begun = asyncio.Event()
        self.fails = fails
        self.times = 0

    async def __call__(self) -> CallResult[int]:
        self.times += 1
        self.begun.set()
        await self.let.wait()
        if self.fails:
            raise CallRefused(Refusal.PASSWORD_WRONG)
        return CallResult(self.times)


async def refusal_of(call: Any) -> Refusal:
    with pytest.raises(CallRefused) as refused:
        await call
    return refused.value.refused.refusal


@in_a_loop
async def test_those_that_repeat_a_key_wait_for_its_first_answer() -> None:
    once, work = IdempotentRequests(monotonic), Work()
    calls = [asyncio.create_task(once(7, PATH, "k", {}, work)) for _ in range(50)]
    await asyncio.sleep(0)
    work.let.set()
    assert {done.data for done in await asyncio.gather(*calls)} == {1}
    assert (await once(7, PATH, "k", {}, work)).data == 1


@in_a_loop
async def test_a_key_identifies_one_call_of_one_player() -> None:
    once, work = IdempotentRequests(monotonic), Work()
    work.let.set()
    for player, key in ((7, "k"), (8, "k"), (7, "l")):
        await once(player, PATH, key, {}, work)
    assert work.times == 3
    assert await refusal_of(once(7, "/other", "k", {}, work)) == "key_reused"


@in_a_loop
async def test_a_key_with_a_changed_request_names_the_field() -> None:
    once, work = IdempotentRequests(monotonic), Work()
    work.let.set()
    await once(7, PATH, "k", {"type": 0, "acc": "1"}, work)
    assert await refusal_of(once(7, PATH, "k", {"type": 0, "acc": "2"}, work)) == "key_reused"
    assert work.times == 1


@in_a_loop
async def test_a_refusal_is_everybodys_who_waited_and_then_forgotten() -> None:
    once, work = IdempotentRequests(monotonic), Work(fails=True)
    calls = [asyncio.create_task(refusal_of(once(7, PATH, "k", {}, work))) for _ in range(5)]
    await asyncio.sleep(0)
    work.let.set()
    assert set(await asyncio.gather(*calls)) == {Refusal.PASSWORD_WRONG}
    assert work.times == 1
    work.fails = False
    assert (await once(7, PATH, "k", {}, work)).data == 2


@in_a_loop
async def test_the_work_continues_after_its_caller_has_gone() -> None:
    once, work = IdempotentRequests(monotonic), Work()
    caller = asyncio.create_task(once(7, PATH, "k", {}, work))
    await work.begun.wait()
    caller.cancel()
    await asyncio.wait([caller])
    work.let.set()
    assert (await once(7, PATH, "k", {}, work)).data == 1


@in_a_loop
async def test_one_members_calls_run_in_sequence_and_anothers_in_parallel() -> None:
    once, first, second, stranger = IdempotentRequests(monotonic), Work(), Work(), Work()
    calls = [
        asyncio.create_task(once(player, PATH, key, {}, work))
        for player, key, work in ((7, "k", first), (7, "l", second), (8, "m", stranger))
    ]
    stranger.let.set()
    await calls[2]
    assert (first.times, second.times) == (1, 0)
    first.let.set()
    second.let.set()
    await asyncio.gather(*calls)
    assert second.times == 1


@in_a_loop
async def test_far_too_many_of_one_member_are_sent_away() -> None:
    once, work = IdempotentRequests(monotonic), Work()
    calls = [
        asyncio.create_task(once(7, PATH, f"k{number}", {}, work)) for number in range(MAX_WAITING)
    ]
    await work.begun.wait()
    assert await refusal_of(once(7, PATH, "more", {}, work)) == Refusal.RATE_LIMITED
    work.let.set()
    await asyncio.gather(*calls)


@in_a_loop
async def test_the_oldest_answers_are_let_go() -> None:
    once, work = IdempotentRequests(monotonic, cache_size=3), Work()
    work.let.set()
    for player in (1, 2, 3, 4):
        await once(player, PATH, "k", {}, work)
    assert (await once(2, PATH, "k", {}, work)).data == 2
    assert (await once(1, PATH, "k", {}, work)).data == 5


async def keyed(player: int, key: str) -> CallResult[int]:
    """A handler of the caller's own."""
    return CallResult(player + len(key))


@pytest.mark.parametrize(("auth", "once"), [(Auth.PLAYER, None), (Auth.OPTIONAL, ())])
def test_a_handler_gets_player_and_key_from_a_session_alone(
    auth: Auth, once: tuple[str, ...] | None
) -> None:
    """They would be read from the address otherwise."""
    with pytest.raises(ValueError, match="no player's call that runs once per key"):
        call("/api/user/keyed", "x", auth=auth, once=once)(keyed)
