"""What players do: bets, money, their own protection, and what they write in the halls.

Commands are valid, invalid, repeated and late. An action begins at any time, for one player
and one game.
"""

import asyncio
from typing import Any, Final

import msgspec

from engine.answers import BetAccepted
from engine.bets.commands import PlaceBet, RecallBets
from engine.cashier.commands import ReleaseBonus, RequestDeposit, RequestWithdrawal
from engine.chat.commands import SayInChat
from engine.money import units
from engine.players.commands import (
    GUEST,
    MEMBER,
    SPANS,
    SUBJECTS,
    CompleteBaseInfo,
    ExcludeSelf,
    JoinAsMember,
    RegisterPlayer,
    ReleaseQuota,
    ReserveQuota,
    SetLimit,
    SetPayoutAccount,
    SetRealityCheck,
    SetSecurityCode,
    TakeTimeOut,
)
from tests.instruments.simulator.behaviours import Behaviours
from tests.instruments.simulator.population import Population, SimulatedPlayer
from tests.instruments.simulator.simulated_loop import HOUR, MINUTE, SECOND, pause

BEHAVIOURS: Final = Behaviours()
_NEARLY_THE_CAP_MINOR: Final = (105_200, 105_300, 90_000)
"""On one sum at 950: 1,052u stay within the cap of a million, 1,053u do not."""
_AROUND_THE_CLOSE_US: Final = (-50_000, -1, 0, 0, 0, 1, 50_000)
_DAY_US: Final = 24 * HOUR


@BEHAVIOURS.add(18, PlaceBet)
async def bets(population: Population, member: SimulatedPlayer, game: int) -> None:
    """One bet, or several at once."""
    several = [population.bet(member, game) for _ in range(population.rng.choice((1, 1, 1, 2, 3)))]
    await asyncio.gather(*(population.do(member, each) for each in several))


@BEHAVIOURS.add(8, PlaceBet, RecallBets)
async def hedges(population: Population, member: SimulatedPlayer, game: int) -> None:
    """Both sides of a pair with one stake; sometimes one side is recalled."""
    sides = population.rng.choice((("big", "small"), ("odd", "even"), ("0", "27")))
    stake = units(population.rng.choice((50, 100, 300)))
    both = [population.do(member, population.bet(member, game, stake, kind)) for kind in sides]
    first, _ = await asyncio.gather(*both)
    if isinstance(first, BetAccepted) and population.likely(0.4):
        await population.do(member, RecallBets(member.id, game, first.issue, first.bet))


@BEHAVIOURS.add(8, PlaceBet, RecallBets)
async def recalls(population: Population, member: SimulatedPlayer, game: int) -> None:
    """Bets and recalls: one or all, once or twice, in time or not."""
    await bets(population, member, game)
    await pause(population.rng.randrange(40 * SECOND))
    issue = member.bets[-1].issue if member.bets else "20261121001"
    bet = member.bets[-1].bet if member.bets and population.likely(0.5) else None
    recall = RecallBets(member.id, game, issue, bet)
    for _ in range(population.rng.choice((1, 1, 2))):
        await population.do(member, recall)


@BEHAVIOURS.add(8, PlaceBet)
async def repeats(population: Population, member: SimulatedPlayer, game: int) -> None:
    """Sends one bet and repeats it one to seven times, whatever the answer is."""
    await population.do(member, population.bet(member, game))
    again = member.recent_commands[-1]
    for _ in range(population.rng.randint(1, 7)):
        await pause(population.rng.choice((0, 1_000, SECOND, 20 * SECOND, 3 * MINUTE)))
        await population.send(member, again)


@BEHAVIOURS.add(6, PlaceBet)
async def clicks_twice(population: Population, member: SimulatedPlayer, game: int) -> None:
    """The same press twice at once, sometimes with two keys."""
    bet = population.bet(member, game)
    if population.likely(0.3):
        await asyncio.gather(population.do(member, bet), population.do(member, bet))
    await population.do(member, population.bet(member, game, units(1)))
    press = member.recent_commands[-1]._replace(key=population.key(), command=bet)
    await asyncio.gather(*(population.send(member, press) for _ in range(2)))


@BEHAVIOURS.add(5, PlaceBet)
async def spends_all(population: Population, member: SimulatedPlayer, game: int) -> None:
    """Three concurrent bets of the whole balance, of which only one can be accepted."""
    funds = population.funds(member)
    funds -= funds % units(1)
    bet = population.bet(member, game, max(units(1), min(funds, units(50_000))), "odd")
    await asyncio.gather(*(population.do(member, bet) for _ in range(3)))


@BEHAVIOURS.add(8, PlaceBet, RecallBets)
async def comes_late(population: Population, member: SimulatedPlayer, game: int) -> None:
    """Bets and recalls around the close, exact to the microsecond."""
    round_ = population.newest_round(game)
    if round_ is None:
        return
    early = await population.do(member, population.bet(member, game, units(1)))
    around = population.rng.choice(_AROUND_THE_CLOSE_US)
    await pause(round_.closes_at + around - population.server.clock.now)
    bet = population.bet(member, game)
    await population.do(member, msgspec.structs.replace(bet, issue=round_.issue))
    if isinstance(early, BetAccepted):
        await population.do(member, RecallBets(member.id, game, early.issue, early.bet))


@BEHAVIOURS.add(2, PlaceBet, RegisterPlayer, JoinAsMember)
async def looks_round(population: Population, member: SimulatedPlayer, game: int) -> None:
    """A guest tries to bet, registers again, and later becomes a full player."""
    await population.do(member, RegisterPlayer(member.id, GUEST, None, "guest"))
    await population.do(member, population.bet(member, game))
    if population.likely(0.2):
        await population.do(member, JoinAsMember(member.id, None, "member"))


@BEHAVIOURS.add(5, PlaceBet)
async def plays_by_itself(population: Population, member: SimulatedPlayer, game: int) -> None:
    """A bot bets small stakes in the first hall without a key, as the demo's bots do."""
    stake = units(population.rng.choice((1, 2, 5, 10)))
    await population.do(member, population.bet(member, game, stake), keyed=False)


@BEHAVIOURS.add(2, PlaceBet)
async def strains_the_cap(population: Population, member: SimulatedPlayer, game: int) -> None:
    """Bets on one sum whose payout is just below or just above the cap."""
    stake = population.rng.choice(_NEARLY_THE_CAP_MINOR)
    many = [population.do(member, population.bet(member, game, stake, "27")) for _ in range(3)]
    await asyncio.gather(*many)


@BEHAVIOURS.add(4, PlaceBet, RecallBets)
async def sends_invalid_fields(population: Population, member: SimulatedPlayer, game: int) -> None:
    """A command with one invalid field, an invalid key, or a reused key."""
    rng, bet = population.rng, population.bet(member, game)
    invalid: dict[str, tuple[Any, ...]] = {
        "player": (0, -1, 999_999_999, member.id + 1_000_000),
        "game": (0, 5, -1, game % 4 + 1),
        "plan": (0, 37, -5, 10_000),
        "issue": ("", "now", "99991231999", "20200101001", "²", bet.issue + "0"),
        "kind": ("", "BIG", "28", "013", "-1", "big "),
        "stake_minor": (0, -100, 1, 99, 101, 5_000_100, 10**18),
    }
    name = rng.choice(list(invalid))
    command = msgspec.structs.replace(bet, **{name: rng.choice(invalid[name])})
    await population.do(member, command, keyed=population.likely(0.8))
    odd_keys = ("", "ключ", "tab\t", "k" * 201)
    await population.send(
        member, member.recent_commands[-1]._replace(key=rng.choice(odd_keys)), altered=True
    )
    other = member.recent_commands[-1]._replace(command=RecallBets(member.id, game, "1", None))
    await population.send(member, other, altered=True)
    await population.do(member, RecallBets(member.id, game, rng.choice(invalid["issue"]), "no-bet"))


@BEHAVIOURS.add(2)
async def replays_old_command(population: Population, member: SimulatedPlayer, _: int) -> None:
    """Repeats an accepted command of any player at any time."""
    if population.accepted_commands:
        await population.send(member, population.rng.choice(population.accepted_commands))


@BEHAVIOURS.add(1, RegisterPlayer)
async def joins(population: Population, member: SimulatedPlayer, _: int) -> None:
    """A new player joins, invited by this one, sometimes with two presses or a wrong group."""
    if len(population.members) < population.max_members:
        new = population.add(population.rng.choice(("bets", "hedges", "recalls", "comes_late")))
    else:
        new = population.rng.choice(population.members)
    group = population.rng.choice((MEMBER, MEMBER, MEMBER, 3))
    register = RegisterPlayer(new.id, group, member.id, f"name-{new.id}", gift_minor=units(100))
    await asyncio.gather(
        *(population.do(new, register) for _ in range(population.rng.choice((1, 2))))
    )
    if group != MEMBER:
        await population.do(new, msgspec.structs.replace(register, group=MEMBER))


@BEHAVIOURS.add(3, RequestDeposit)
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


@BEHAVIOURS.add(4, RequestWithdrawal, CompleteBaseInfo, SetPayoutAccount, SetSecurityCode)
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


@BEHAVIOURS.add(3, ReleaseBonus, ReserveQuota, ReleaseQuota)
async def cashes_bonus(population: Population, member: SimulatedPlayer, game: int) -> None:
    """Requests bonus money, due or not, and plays for the next; sometimes reserves a level."""
    await _turns_over(population, member, game)
    await population.do(member, ReleaseBonus(member.id))
    await population.do(member, ReserveQuota(member.id))
    if population.likely(0.5):
        await population.do(member, ReleaseQuota(member.id))


@BEHAVIOURS.add(2, SetLimit, SetRealityCheck, TakeTimeOut, ExcludeSelf)
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


@BEHAVIOURS.add(2, PlaceBet, SayInChat)
async def chats(population: Population, member: SimulatedPlayer, game: int) -> None:
    """Sends a few messages, sometimes in an unknown hall, twice, or as a muted player."""
    for _ in range(population.rng.randint(1, 3)):
        plan = game * 9 - population.rng.choice((8, 8, 8, 7, 0)) if population.likely(0.95) else 99
        await population.do(member, SayInChat(member.id, plan, population.key(), "commitment"))
    if population.likely(0.3):
        await population.send(member, member.recent_commands[-1])
    await bets(population, member, game)
