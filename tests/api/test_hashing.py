import asyncio
import threading

import pytest

from api.http.load_limits import HashPool
from api.http.refusals import CallRefused
from engine.refusals import Refusal


def test_a_caller_is_refused_while_too_many_wait() -> None:
    async def crowd() -> Refusal:
        hashing, free = HashPool(max_waiting=2), threading.Event()
        waiting = [asyncio.ensure_future(hashing(free.wait)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(CallRefused) as refused:
            await hashing(free.wait)
        free.set()
        assert await asyncio.gather(*waiting) == [True, True]
        assert await hashing(lambda: 5) == 5
        hashing.close()
        return refused.value.refused.refusal

    assert asyncio.run(crowd()) is Refusal.RATE_LIMITED
