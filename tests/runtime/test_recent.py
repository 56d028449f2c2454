"""The leader's cache of recent facts equals the log."""

import asyncio

import pytest

from engine.bets.commands import RecallBets
from engine.engine_state import Draft
from engine.runtime.log.fact_log import Batch
from engine.runtime.log.reads import RecentFacts
from tests.runtime.house import PLAYER, EngineHarness, driven


@driven
async def test_every_page_is_the_logs_own(house: EngineHarness) -> None:
    async with house:
        await house.join()
        bets = [house.bet(units=1) for _ in range(20)]
        await asyncio.gather(*(house.submit(f"bet-{place}", bet) for place, bet in enumerate(bets)))
        await house.submit("too much", house.bet(units=5_000))
        await house.submit("recall", RecallBets(PLAYER, 1, house.sale().issue, None))
        facts = house.facts()
        assert len(facts) > 40
        for limit in (1, 7, 1_000):
            for after in range(len(facts) + 2):
                assert house.engine.recent.page(after, limit) == facts[after : after + limit]


@driven
async def test_another_leaders_facts_are_not_in_memory(house: EngineHarness) -> None:
    async with house:
        await house.join()
        before = len(house.facts())
        await house.crash()
        await house.start()
        assert house.engine.recent.page(0, 1_000) == []
        await house.submit("bet", house.bet())
        assert house.engine.recent.page(before, 1_000) == house.facts()[before:]


def batch(first: int, size: int) -> tuple[Batch, list[Draft]]:
    drafts = [Draft(f"player-{first}", place + 1, "", b"", None) for place in range(size)]  # type: ignore[arg-type]
    batch = Batch(first_position=first, commands=[""] * size, actors=[""] * size)
    return batch, drafts


@pytest.mark.parametrize(
    ("after", "positions"),
    [
        pytest.param(0, [], id="evicted"),
        pytest.param(2, [], id="evicted except its end"),
        pytest.param(3, [4, 5, 6, 7, 8], id="all that is left"),
        pytest.param(6, [7, 8], id="from the middle of a batch to the gap"),
        pytest.param(8, [], id="in the gap"),
        pytest.param(10, [11], id="after the gap"),
        pytest.param(11, [], id="nothing new"),
    ],
)
def test_evicted_and_other_leaders_facts_are_not_in_memory(
    after: int, positions: list[int]
) -> None:
    recent = RecentFacts(max_facts=6)
    for first, size in ((1, 3), (4, 2), (6, 3), (9, 0), (11, 1)):
        recent.add(*batch(first, size))
    assert [it.position for it in recent.page(after, 100)] == positions
