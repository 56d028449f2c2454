"""The demo's bots."""

import asyncio
import random
from contextlib import suppress
from functools import partial

import psycopg
import pytest

from api.ops import demo_data
from api.services import Services
from engine.answers import BetAccepted
from engine.runtime import supervision
from tests.api.support import DEADLINE_S, ApiServer


@pytest.mark.usefixtures("player")  # a round is on sale
def test_bots_play_on_after_the_database_went_away_under_one_of_them(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_data, "_PAUSES_S", (0.01, 0.05))
    monkeypatch.setattr(demo_data, "_RETRY_S", 0.01)
    bet, attempts, taken = demo_data._bet, 0, asyncio.Event()

    async def fails_first(
        services: Services, game: int, bot: int, chance: random.Random
    ) -> BetAccepted | None:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            raise psycopg.OperationalError("the database went away")
        placed = await bet(services, game, bot, chance)
        if placed is not None:
            taken.set()
        return placed

    async def an_evening() -> None:
        playing = supervision.task("demo", partial(demo_data.run, house.services))
        try:
            await asyncio.wait_for(taken.wait(), DEADLINE_S)
        finally:
            playing.cancel()
            with suppress(asyncio.CancelledError):
                await playing

    monkeypatch.setattr(demo_data, "_bet", fails_first)
    house.on_loop(an_evening)

    assert attempts > 1
