"""The people around the house: who they are, and how they send what they want."""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from engine.answers import Answer, BetAccepted, Refused
from engine.catalogue import PLANS
from engine.dispatch import Command
from engine.games import KINDS
from engine.money import units
from engine.players.commands import PlaceBet
from engine.refusals import Refusal
from scripts.simulation.audit import Asked
from scripts.simulation.clockwork import SECOND, pause, whims
from scripts.simulation.house import House
from scripts.simulation.tally import Round, demand

NO_ANSWER: Final = frozenset(
    {
        Refusal.UNAVAILABLE,
        Refusal.OUTCOME_UNKNOWN,
        Refusal.ENGINE_BUSY,
        Refusal.DEADLINE_PASSED,
    }
)
_TRIES: Final = 8
"""Once, and again up to seven times, as the specification's client does."""
_OLD_KEPT: Final = 2_000
_STAKES_U: Final = (1, 2, 5, 10, 20, 50, 88, 100, 250)


@dataclass
class Member:
    """A person; `asked` holds their latest commands, `bets` their latest accepted bets."""

    id: int
    nature: str
    is_staff: bool = False
    asked: deque[Asked] = field(default_factory=lambda: deque(maxlen=10))
    bets: deque[BetAccepted] = field(default_factory=lambda: deque(maxlen=10))

    @property
    def actor(self) -> str:
        """As whom they ask."""
        return f"{'staff' if self.is_staff else 'player'}-{self.id}"


class Town:
    """Everybody, what they can see of the house, and the one source of their whims."""

    def __init__(self, house: House, seed: int, most: int) -> None:
        """Nobody lives here yet, and not more than `most` ever will."""
        self.most = most
        self.house = house
        self.chance = whims("town", seed)
        self.members: list[Member] = []
        self.sent: dict[str, int] = {}
        self.old: list[Asked] = []
        self.waiting = self.thorough_until = 0
        self._keys = 0

    def add(self, nature: str, *, is_staff: bool = False) -> Member:
        """Somebody comes who has not joined yet."""
        member = Member(10_001 + len(self.members), nature, is_staff)
        self.members.append(member)
        return member

    def sale(self, game: int) -> Round | None:
        """The game's newest round, on sale or not."""
        return self.house.audit.tally.newest.get(game)

    def funds(self, member: Member) -> int:
        """What a member could stake, in minor units."""
        available, _, _, bonus = self.house.audit.tally.held(member.id)
        return available + bonus

    def bet(self, member: Member, game: int, stake_minor: int = 0, kind: str = "") -> PlaceBet:
        """A sensible bet, or one of this stake or kind."""
        sale = self.sale(game)
        plan = PLANS[(game - 1) * 9 + self.chance.choice((1, 1, 1, 2, 4, 7))]
        stake = stake_minor or plan.min_stake_minor * self.chance.choice(_STAKES_U)
        issue = sale.issue if sale else "20261121001"
        return PlaceBet(
            member.id, game, plan.id, issue, kind or self.chance.choice(KINDS), max(stake, units(1))
        )

    def likely(self, share: float) -> bool:
        """True so often, and always while everybody is to do everything."""
        return self.chance.random() < share or self.house.clock.now < self.thorough_until

    def key(self) -> str:
        """A client's new id for a command."""
        self._keys += 1
        return f"key-{self._keys}"

    async def do(self, member: Member, command: Command, *, keyed: bool = True) -> Answer | None:
        """Ask for something new, in the name that a command of staff carries, else the member's."""
        actor = getattr(command, "by", "") or member.actor
        return await self.send(member, Asked(actor, self.key() if keyed else None, command))

    async def send(self, member: Member, asked: Asked, *, altered: bool = False) -> Answer | None:
        """Send until there is an answer, at most eight times; None where there was none.

        Only a command with a key is sent again. `altered`: the key may be another command's.
        """
        self.sent[type(asked.command).__name__] = self.sent.get(type(asked.command).__name__, 0) + 1
        answer = await self._answer(asked)
        reused = isinstance(answer, Refused) and answer.refusal is Refusal.KEY_REUSED
        demand(altered or not reused, "a key is refused that was never reused", asked)
        if not altered:
            self._remember(member, asked, answer)
        return answer

    async def _answer(self, asked: Asked) -> Answer | None:
        self.waiting += 1
        try:
            for _ in range(_TRIES if asked.key is not None else 1):
                reply = await self.house.ask(asked)
                answer = reply.answer if reply else None
                refused = answer.refusal if isinstance(answer, Refused) else None
                if answer is not None and refused not in NO_ANSWER:
                    return answer
                await pause(self.chance.randrange(SECOND // 5, 8 * SECOND))
        finally:
            self.waiting -= 1
        return None

    def _remember(self, member: Member, asked: Asked, answer: Answer | None) -> None:
        if asked.key is not None:
            member.asked.append(asked)
        if isinstance(answer, BetAccepted):
            member.bets.append(answer)
        if asked.key is None or answer is None or isinstance(answer, Refused):
            return
        if len(self.old) < _OLD_KEPT:
            self.old.append(asked)
        else:
            self.old[self.chance.randrange(_OLD_KEPT)] = asked
