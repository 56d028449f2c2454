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
from engine.cashier.commands import ApproveDeposit
from engine.command_handler import Command
from engine.runtime import supervision
from engine.runtime.writer.reply import Reply
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


def test_a_new_leader_sends_no_deposit_to_bots_that_have_money(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not know the deposit's key any more, so a batch with bets would be decided twice."""
    house.on_loop(lambda: demo_data._seed_players(house.services))
    submit, deposits = house.services.commands.submit, 0

    async def counting(actor: str, key: str | None, command: Command) -> Reply:
        nonlocal deposits
        deposits += isinstance(command, ApproveDeposit)
        return await submit(actor, key, command)

    monkeypatch.setattr(house.services.commands, "submit", counting)
    bots = house.on_loop(lambda: demo_data._seed_players(house.services))

    assert deposits == 0
    for bot in (each for of_game in bots.values() for each in of_game):
        player = house.on_loop(partial(house.services.engine.player, bot))
        assert player is not None
        assert player.available_minor > 0
