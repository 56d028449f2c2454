"""A witness that cannot be reached: its round waits, and the house continues to open rounds."""

from collections.abc import Iterator

import pytest

from engine.rounds.facts import RoundClosed, RoundDrawn, RoundOpened
from tests.engine.driven_house import DrivenEngine

GAME = 1


@pytest.fixture
def house() -> Iterator[DrivenEngine]:
    house = DrivenEngine(1, pipelined=False, small_caches=False)
    yield house
    house.close()


def tick_at(house: DrivenEngine, time: int) -> None:
    house.clock.now = time
    house.run(house.scheduler.tick())


def test_rounds_continue_while_one_awaits_its_witness_and_are_drawn_in_order_later(
    house: DrivenEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: object) -> tuple[bytes, bytes]:
        raise OSError

    house.run(house.scheduler.tick())
    with monkeypatch.context() as away:
        away.setattr(house.witness, "release", unreachable)
        for _ in range(2):
            opened = house.writer.state.rounds[house.writer.state.newest[GAME]].opened
            tick_at(house, opened.closes_at)
            tick_at(house, opened.draws_at)
    facts = [each.fact for each in house.log.facts if each.stream.startswith(f"round-{GAME}-")]
    assert [type(fact) for fact in facts] == [
        RoundOpened,
        RoundClosed,
        RoundOpened,
        RoundClosed,
        RoundOpened,
    ]
    house.run(house.scheduler.tick())
    drawn = [each.fact for each in house.log.facts if isinstance(each.fact, RoundDrawn)]
    indices = [fact.index for fact in drawn if fact.game == GAME]
    assert len(indices) == 2
    assert indices == sorted(indices)
