"""The demo's bots."""

import asyncio
import random
from contextlib import suppress
from functools import partial

import psycopg
import pytest

from api import demo
from api.services import Services
from engine.answers import BetAccepted
from engine.runtime import supervision
from tests.api.support import DEADLINE_S, ApiServer


@pytest.mark.usefixtures("player")  # a round is on sale
def test_bots_play_on_after_the_database_went_away_under_one_of_them(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "_PAUSES_S", (0.01, 0.05))
    monkeypatch.setattr(demo, "_RETRY_S", 0.01)
    bet, asked, taken = demo._bet, 0, asyncio.Event()

    async def fails_first(
        services: Services, game: int, bot: int, chance: random.Random
    ) -> BetAccepted | None:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise psycopg.OperationalError("the database went away")
        placed = await bet(services, game, bot, chance)
        if placed is not None:
            taken.set()
        return placed

    async def an_evening() -> None:
        playing = supervision.task("demo", partial(demo.run, house.services))
        try:
            await asyncio.wait_for(taken.wait(), DEADLINE_S)
        finally:
            playing.cancel()
            with suppress(asyncio.CancelledError):
                await playing

    monkeypatch.setattr(demo, "_bet", fails_first)
    house.on_loop(an_evening)

    assert asked > 1
