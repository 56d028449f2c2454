"""A house restored from an older copy of its database, its keys or both opens rounds again."""

import shutil
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
from psycopg.conninfo import conninfo_to_dict

from engine.answers import Done
from engine.catalogue import GAMES
from engine.house.facts import SegmentLeft
from engine.rounds.facts import VoidRuled
from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from engine.staff.void_proposals import DecideVoid, ProposeVoid
from tests.databases import new_database
from tests.runtime.audit import audit
from tests.runtime.house import PLAYER, EngineHarness, driven
from tests.runtime.test_stuck_rounds import sells_within_a_minute

KINDS = ("database", "keys", "both")
AWAY_S = (0, 7, 61, 1_800, 86_400)
HALF_AN_HOUR_S = 30 * 60


async def play(house: EngineHarness, chance: Random, stage: str, name: str) -> None:
    """Play some rounds with bets; the last one stays open, or closed and not drawn."""
    for number in range(chance.randrange(1, 4)):
        await house.submit(f"{name}-{number}", house.bet(units=1))
        house.clock.now = house.sale().opened.draws_at
        await house.tick()
    await house.submit(f"{name}-last", house.bet(units=1))
    if stage == "closed":
        house.clock.now = house.sale().closes_at
        await house.tick()


async def void_undrawn_rounds(house: EngineHarness) -> None:
    """Two managers agree to void every round whose draw is overdue; half an hour passes."""
    assert house.engine.reader is not None
    for each in house.engine.reader.undrawn():
        number = f"void-{each.game}-{each.issue}"
        propose = ProposeVoid(number, each.game, each.issue, "a copy was restored", "staff:ann")
        assert isinstance(await house.submit(f"{number}-1", propose, "staff:ann"), Done)
        agree = DecideVoid(number, True, "staff:ben")
        assert isinstance(await house.submit(f"{number}-2", agree, "staff:ben"), Done)
    house.clock.forward(HALF_AN_HOUR_S + 60)
    for _ in range(3):
        await house.tick()


def undrawn(house: EngineHarness) -> list[str]:
    assert house.engine.reader is not None
    return [each.issue for each in house.engine.reader.undrawn()]


async def restore_and_check(
    house: EngineHarness, postgres: EmbeddedPostgres, backup: Path, seed: int
) -> None:
    """Copy, play on, restore and restart; the seed chooses the details."""
    chance, kind = Random(seed), KINDS[seed % len(KINDS)]
    with ExitStack() as databases:
        async with house:
            await house.join()
            await play(house, chance, chance.choice(("on sale", "closed")), "before")
            await house.crash()
            name = str(conninfo_to_dict(house.conninfos.owner)["dbname"])
            copy = databases.enter_context(new_database(postgres, name))
            shutil.copytree(house._keys, backup)
            await house.start()
            await play(house, chance, chance.choice(("on sale", "closed")), "after")
            await house.crash()
            if kind != "keys":
                house.conninfos = copy
            if kind != "database":
                shutil.rmtree(house._keys)
                shutil.copytree(backup, house._keys)
            house.clock.forward(chance.choice(AWAY_S))
            await house.start()
            await sells_within_a_minute(house)
            house.clock.now = max(house.sale(game).opened.draws_at for game in GAMES)
            await house.tick()
            await sells_within_a_minute(house)
            await void_undrawn_rounds(house)
            await sells_within_a_minute(house)
            check_consistent(house)


def check_consistent(house: EngineHarness) -> None:
    """Check that no round is undrawn, no stake is left, and the audit lists each void."""
    assert undrawn(house) == []
    facts = house.facts()
    report = " ".join(audit(facts))
    assert house.engine.state.players[PLAYER].staked == 0
    for ruled in house.facts_of(VoidRuled):
        assert f"round {ruled.issue} voided, {ruled.status}, by ann and ben" in report
    for left in house.facts_of(SegmentLeft):
        assert f"abandoned segment {left.day}: {left.cause}" in report


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@driven
async def test_a_house_restored_from_an_older_copy_sells_again_within_a_minute(
    house: EngineHarness,
    postgres: EmbeddedPostgres,
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
) -> None:
    await restore_and_check(house, postgres, tmp_path_factory.mktemp("backup") / "keys", seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3, 25))
@driven
async def test_it_does_so_from_any_copy(
    house: EngineHarness,
    postgres: EmbeddedPostgres,
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
) -> None:
    await restore_and_check(house, postgres, tmp_path_factory.mktemp("backup") / "keys", seed)
