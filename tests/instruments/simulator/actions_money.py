"""What players do with their money and their own protection."""

from typing import Final

from engine.cashier.commands import ReleaseBonus, RequestDeposit, RequestWithdrawal
from engine.money import units
from engine.players.commands import (
    SPANS,
    SUBJECTS,
    CompleteBaseInfo,
    ExcludeSelf,
    ReleaseQuota,
    ReserveQuota,
    SetLimit,
    SetPayoutAccount,
    SetRealityCheck,
    SetSecurityCode,
    TakeTimeOut,
)
from tests.instruments.simulator.actions_bets import bets
from tests.instruments.simulator.population import Population, SimulatedPlayer
from tests.instruments.simulator.simulated_loop import HOUR, MINUTE

_DAY_US: Final = 24 * HOUR


async def pays_in(population: Population, member: SimulatedPlayer, game: int) -> None:
    """Announces a deposit, sometimes twice or an invalid one."""
    amount = units(population.rng.choice((50, 500, 6_000, 0, -1, 1_000_000_001)))
    channel = population.rng.choice(("bank", "usdt", "online", "online", "cash"))
    await population.do(
        member, RequestDeposit(member.id, population.key(), channel, amount, "reference")
    )
    if population.likely(0.3):
        await population.send(member, member.recent_commands[-1])
    await bets(population, member, game)


async def cashes_out(population: Population, member: SimulatedPlayer, game: int) -> None:
    """Requests a withdrawal; supplies what it requires, and plays for the next one."""
    me, rng = member.id, population.rng
    available = population.server.checks.oracle.accounts[f"player:{me}:available"]
    valid = (units(100), units(310), available)
    invalid = (available + 1, 0, -5, units(99))
    amount = rng.choice(valid if rng.randrange(5) else invalid)
    request = RequestWithdrawal(me, population.key(), rng.choice((0, 0, 1)), amount)
    await population.do(member, request)
    if population.likely(0.3):
        await population.send(member, member.recent_commands[-1])
    account = SetPayoutAccount(me, rng.choice((0, 0, 1, 2)), f"account-{me}", "commitment")
    for step, share in ((CompleteBaseInfo(me), 0.5), (account, 0.3), (SetSecurityCode(me), 0.2)):
        if population.likely(share):
            await population.do(member, step)
    await _turns_over(population, member, game)


async def _turns_over(population: Population, member: SimulatedPlayer, game: int) -> None:
    """Bets whose whole stake counts toward the turnover due."""
    stake = units(population.rng.choice((50, 100, 200)))
    await population.do(
        member, population.bet(member, game, stake, population.rng.choice(("odd", "big")))
    )


async def cashes_bonus(population: Population, member: SimulatedPlayer, game: int) -> None:
    """Requests bonus money, due or not, and plays for the next; sometimes reserves a level."""
    await _turns_over(population, member, game)
    await population.do(member, ReleaseBonus(member.id))
    await population.do(member, ReserveQuota(member.id))
    if population.likely(0.5):
        await population.do(member, ReleaseQuota(member.id))


async def protects_itself(population: Population, member: SimulatedPlayer, game: int) -> None:
    """Limits, reminders and time-outs, valid or not; rarely an exclusion. Bets nevertheless."""
    me, rng, now = member.id, population.rng, population.server.clock.now
    amount = rng.choice((None, 0, units(20), units(1_000), -1))
    for step in (
        SetLimit(me, rng.choice((*SUBJECTS, "fun")), rng.choice((*SPANS, "life")), amount),
        SetRealityCheck(me, rng.choice((0, 30, 241, -1))),
        TakeTimeOut(me, now + rng.choice((-MINUTE, MINUTE, 20 * MINUTE, 43 * _DAY_US))),
        ExcludeSelf(me, now + rng.choice((0, 1, 1, 1, 180, 5_000)) * _DAY_US),
    ):
        if population.likely(0.4):
            await population.do(member, step)
    if rng.randrange(100) == 0:
        await population.do(member, ExcludeSelf(me, None))
    await bets(population, member, game)
