"""What members do about their money and their own protection."""

from typing import Final

from engine.money import units
from engine.players.money_commands import ReleaseBonus, RequestDeposit, RequestWithdrawal
from engine.players.standing_commands import (
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
from scripts.simulation.acts_bets import bets
from scripts.simulation.clockwork import HOUR, MINUTE
from scripts.simulation.town import Member, Town

_DAY_US: Final = 24 * HOUR


async def pays_in(town: Town, member: Member, game: int) -> None:
    """Announces a deposit, twice now and then, or one that cannot be."""
    amount = units(town.chance.choice((50, 500, 6_000, 0, -1, 1_000_000_001)))
    channel = town.chance.choice(("bank", "usdt", "online", "online", "cash"))
    await town.do(member, RequestDeposit(member.id, town.key(), channel, amount, "reference"))
    if town.likely(0.3):
        await town.send(member, member.asked[-1])
    await bets(town, member, game)


async def cashes_out(town: Town, member: Member, game: int) -> None:
    """Asks for a withdrawal, or for all; puts on record what it takes, and plays for the next."""
    me, chance = member.id, town.chance
    available = town.house.audit.tally.accounts[f"player:{me}:available"]
    sound = (units(100), units(310), available)
    wrong = (available + 1, 0, -5, units(99))
    amount = chance.choice(sound if chance.randrange(5) else wrong)
    asked = RequestWithdrawal(me, town.key(), chance.choice((0, 0, 1)), amount)
    await town.do(member, asked)
    if town.likely(0.3):
        await town.send(member, member.asked[-1])
    account = SetPayoutAccount(me, chance.choice((0, 0, 1, 2)), f"account-{me}", "commitment")
    for step, often in ((CompleteBaseInfo(me), 0.5), (account, 0.3), (SetSecurityCode(me), 0.2)):
        if town.likely(often):
            await town.do(member, step)
    await _turns_over(town, member, game)


async def _turns_over(town: Town, member: Member, game: int) -> None:
    """Bets of which the whole stake counts toward what is due."""
    stake = units(town.chance.choice((50, 100, 200)))
    await town.do(member, town.bet(member, game, stake, town.chance.choice(("odd", "big"))))


async def cashes_bonus(town: Town, member: Member, game: int) -> None:
    """Asks for bonus money, due or not, and plays for the next; keeps a level for a while."""
    await _turns_over(town, member, game)
    await town.do(member, ReleaseBonus(member.id))
    await town.do(member, ReserveQuota(member.id))
    if town.likely(0.5):
        await town.do(member, ReleaseQuota(member.id))


async def takes_care(town: Town, member: Member, game: int) -> None:
    """Limits, reminders and rests, sound or not; rarely an exclusion, and bets all the same."""
    me, chance, now = member.id, town.chance, town.house.clock.now
    amount = chance.choice((None, 0, units(20), units(1_000), -1))
    for step in (
        SetLimit(me, chance.choice((*SUBJECTS, "fun")), chance.choice((*SPANS, "life")), amount),
        SetRealityCheck(me, chance.choice((0, 30, 241, -1))),
        TakeTimeOut(me, now + chance.choice((-MINUTE, MINUTE, 20 * MINUTE, 43 * _DAY_US))),
        ExcludeSelf(me, now + chance.choice((0, 1, 1, 1, 180, 5_000)) * _DAY_US),
    ):
        if town.likely(0.4):
            await town.do(member, step)
    if chance.randrange(100) == 0:
        await town.do(member, ExcludeSelf(me, None))
    await bets(town, member, game)
