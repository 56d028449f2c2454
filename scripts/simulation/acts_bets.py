"""What members do about bets, rightly, wrongly, twice and too late.

An act begins at any time, in the name of one member, about one game.
"""

import asyncio
from typing import Any, Final

import msgspec

from engine.answers import BetAccepted
from engine.money import units
from engine.players.commands import GUEST, MEMBER, RecallBets, RegisterPlayer
from engine.players.standing_commands import JoinAsMember
from scripts.simulation.clockwork import MINUTE, SECOND, pause
from scripts.simulation.town import Member, Town

_NEARLY_THE_CAP_MINOR: Final = (105_200, 105_300, 90_000)
"""On one sum at 950: 1,052u stay within a million, 1,053u do not."""
_AROUND_THE_CLOSE_US: Final = (-50_000, -1, 0, 0, 0, 1, 50_000)


async def bets(town: Town, member: Member, game: int) -> None:
    """One bet, or a few at once."""
    several = [town.bet(member, game) for _ in range(town.chance.choice((1, 1, 1, 2, 3)))]
    await asyncio.gather(*(town.do(member, each) for each in several))


async def hedges(town: Town, member: Member, game: int) -> None:
    """Both sides of a pair with one stake; now and then one side is taken back."""
    sides = town.chance.choice((("big", "small"), ("odd", "even"), ("0", "27")))
    stake = units(town.chance.choice((50, 100, 300)))
    both = [town.do(member, town.bet(member, game, stake, kind)) for kind in sides]
    first, _ = await asyncio.gather(*both)
    if isinstance(first, BetAccepted) and town.likely(0.4):
        await town.do(member, RecallBets(member.id, game, first.issue, first.bet))


async def recalls(town: Town, member: Member, game: int) -> None:
    """Bets, and takes them back: one or all, once or twice, in time or not."""
    await bets(town, member, game)
    await pause(town.chance.randrange(40 * SECOND))
    issue = member.bets[-1].issue if member.bets else "20261121001"
    bet = member.bets[-1].bet if member.bets and town.likely(0.5) else None
    recall = RecallBets(member.id, game, issue, bet)
    for _ in range(town.chance.choice((1, 1, 2))):
        await town.do(member, recall)


async def repeats(town: Town, member: Member, game: int) -> None:
    """Sends one bet, and the same again one to seven times, whatever the answer is."""
    await town.do(member, town.bet(member, game))
    again = member.asked[-1]
    for _ in range(town.chance.randint(1, 7)):
        await pause(town.chance.choice((0, 1_000, SECOND, 20 * SECOND, 3 * MINUTE)))
        await town.send(member, again)


async def clicks_twice(town: Town, member: Member, game: int) -> None:
    """The same press twice at once, and now and then under two keys."""
    bet = town.bet(member, game)
    if town.likely(0.3):
        await asyncio.gather(town.do(member, bet), town.do(member, bet))
    await town.do(member, town.bet(member, game, units(1)))
    press = member.asked[-1]._replace(key=town.key(), command=bet)
    await asyncio.gather(*(town.send(member, press) for _ in range(2)))


async def spends_all(town: Town, member: Member, game: int) -> None:
    """All there is, down to the last unit, three times at once: only one can be taken."""
    funds = town.funds(member)
    funds -= funds % units(1)
    everything = town.bet(member, game, max(units(1), min(funds, units(50_000))), "odd")
    await asyncio.gather(*(town.do(member, everything) for _ in range(3)))


async def comes_late(town: Town, member: Member, game: int) -> None:
    """Bets and recalls around the close, to the microsecond."""
    sale = town.sale(game)
    if sale is None:
        return
    early = await town.do(member, town.bet(member, game, units(1)))
    around = town.chance.choice(_AROUND_THE_CLOSE_US)
    await pause(sale.closes_at + around - town.house.clock.now)
    bet = town.bet(member, game)
    await town.do(member, msgspec.structs.replace(bet, issue=sale.issue))
    if isinstance(early, BetAccepted):
        await town.do(member, RecallBets(member.id, game, early.issue, early.bet))


async def looks_round(town: Town, member: Member, game: int) -> None:
    """A guest tries to bet, registers again, and one day becomes a member."""
    await town.do(member, RegisterPlayer(member.id, GUEST, None, "guest"))
    await town.do(member, town.bet(member, game))
    if town.likely(0.2):
        await town.do(member, JoinAsMember(member.id, None, "member"))


async def plays_by_itself(town: Town, member: Member, game: int) -> None:
    """A bot stakes a little in the first hall, without a key, as the demo's do."""
    stake = units(town.chance.choice((1, 2, 5, 10)))
    await town.do(member, town.bet(member, game, stake), keyed=False)


async def strains_the_cap(town: Town, member: Member, game: int) -> None:
    """Stakes what would nearly pay a million, or a little more, on one sum."""
    stake = town.chance.choice(_NEARLY_THE_CAP_MINOR)
    many = [town.do(member, town.bet(member, game, stake, "27")) for _ in range(3)]
    await asyncio.gather(*many)


async def talks_nonsense(town: Town, member: Member, game: int) -> None:
    """One part of a command that makes no sense, or its key, or a key's second use."""
    chance, bet = town.chance, town.bet(member, game)
    nonsense: dict[str, tuple[Any, ...]] = {
        "player": (0, -1, 999_999_999, member.id + 1_000_000),
        "game": (0, 5, -1, game % 4 + 1),
        "plan": (0, 37, -5, 10_000),
        "issue": ("", "now", "99991231999", "20200101001", "²", bet.issue + "0"),
        "kind": ("", "BIG", "28", "013", "-1", "big "),
        "stake_minor": (0, -100, 1, 99, 101, 5_000_100, 10**18),
    }
    name = chance.choice(list(nonsense))
    command = msgspec.structs.replace(bet, **{name: chance.choice(nonsense[name])})
    await town.do(member, command, keyed=town.likely(0.8))
    odd_keys = ("", "ключ", "tab\t", "k" * 201)
    await town.send(member, member.asked[-1]._replace(key=chance.choice(odd_keys)), altered=True)
    other = member.asked[-1]._replace(command=RecallBets(member.id, game, "1", None))
    await town.send(member, other, altered=True)
    await town.do(member, RecallBets(member.id, game, chance.choice(nonsense["issue"]), "no-bet"))


async def remembers_long_ago(town: Town, member: Member, _: int) -> None:
    """Sends something accepted again that anybody sent at any time."""
    if town.old:
        await town.send(member, town.chance.choice(town.old))


async def joins(town: Town, member: Member, _: int) -> None:
    """Somebody new comes, invited by this member, perhaps with two presses or a wrong group."""
    if len(town.members) < town.most:
        new = town.add(town.chance.choice(("bets", "hedges", "recalls", "comes_late")))
    else:
        new = town.chance.choice(town.members)
    group = town.chance.choice((MEMBER, MEMBER, MEMBER, 3))
    register = RegisterPlayer(new.id, group, member.id, f"name-{new.id}", gift_minor=units(100))
    await asyncio.gather(*(town.do(new, register) for _ in range(town.chance.choice((1, 2)))))
    if group != MEMBER:
        await town.do(new, msgspec.structs.replace(register, group=MEMBER))
