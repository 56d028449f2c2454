"""The people who use the server, and how they send commands."""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from engine.answers import Answer, BetAccepted, Refused
from engine.bets.commands import PlaceBet
from engine.catalogue import PLANS
from engine.command_handler import Command
from engine.money import units
from engine.odds import SPECIFIED
from engine.refusals import Refusal
from tests.instruments.simulator.live_checks import SentCommand
from tests.instruments.simulator.oracle import ExpectedRound, check
from tests.instruments.simulator.simulated_loop import SECOND, pause, rng_for
from tests.instruments.simulator.simulated_server import SimulatedServer

NO_ANSWER: Final = frozenset(
    {
        Refusal.UNAVAILABLE,
        Refusal.OUTCOME_UNKNOWN,
        Refusal.ENGINE_BUSY,
        Refusal.DEADLINE_PASSED,
    }
)
_MAX_ATTEMPTS: Final = 8
"""Once, and again up to seven times, as the specification's client does."""
_MAX_ACCEPTED_COMMANDS: Final = 2_000
_STAKES_U: Final = (1, 2, 5, 10, 20, 50, 88, 100, 250)


@dataclass
class SimulatedPlayer:
    """A person; `recent_commands` are their latest commands, `bets` their latest accepted bets."""

    id: int
    nature: str
    is_staff: bool = False
    recent_commands: deque[SentCommand] = field(default_factory=lambda: deque(maxlen=10))
    bets: deque[BetAccepted] = field(default_factory=lambda: deque(maxlen=10))

    @property
    def actor(self) -> str:
        """The actor of their commands."""
        return f"{'staff' if self.is_staff else 'player'}-{self.id}"


class Population:
    """All people, what they can see of the server, and their random number generator."""

    def __init__(self, server: SimulatedServer, seed: int, max_members: int) -> None:
        """Initially empty, and never more than `max_members`."""
        self.max_members = max_members
        self.server = server
        self.rng = rng_for("town", seed)
        self.members: list[SimulatedPlayer] = []
        self.sent: dict[str, int] = {}
        self.accepted_commands: list[SentCommand] = []
        self.waiting = self.thorough_until = 0
        self._keys = 0

    def add(self, nature: str, *, is_staff: bool = False) -> SimulatedPlayer:
        """Add a person who has not joined yet."""
        member = SimulatedPlayer(10_001 + len(self.members), nature, is_staff)
        self.members.append(member)
        return member

    def newest_round(self, game: int) -> ExpectedRound | None:
        """The game's newest round, on sale or not."""
        return self.server.checks.oracle.newest.get(game)

    def funds(self, member: SimulatedPlayer) -> int:
        """The amount that a player could stake, in minor units."""
        available, _, _, bonus = self.server.checks.oracle.balances(member.id)
        return available + bonus

    def bet(
        self, member: SimulatedPlayer, game: int, stake_minor: int = 0, kind: str = ""
    ) -> PlaceBet:
        """A valid bet, optionally with this stake or kind."""
        round_ = self.newest_round(game)
        plan = PLANS[(game - 1) * 9 + self.rng.choice((1, 1, 1, 2, 4, 7))]
        stake = stake_minor or plan.min_stake_minor * self.rng.choice(_STAKES_U)
        issue = round_.issue if round_ else "20261121001"
        return PlaceBet(
            member.id,
            game,
            plan.id,
            issue,
            kind or self.rng.choice(SPECIFIED.kinds),
            max(stake, units(1)),
        )

    def likely(self, share: float) -> bool:
        """True with this probability, and always until `thorough_until`."""
        return self.rng.random() < share or self.server.clock.now < self.thorough_until

    def key(self) -> str:
        """A new idempotency key."""
        self._keys += 1
        return f"key-{self._keys}"

    async def do(
        self, member: SimulatedPlayer, command: Command, *, keyed: bool = True
    ) -> Answer | None:
        """Send a new command, as the actor that a staff command has, otherwise as the player."""
        actor = getattr(command, "by", "") or member.actor
        return await self.send(member, SentCommand(actor, self.key() if keyed else None, command))

    async def send(
        self, member: SimulatedPlayer, request: SentCommand, *, altered: bool = False
    ) -> Answer | None:
        """Send until there is an answer, at most eight times. None if there was none.

        Only a command with a key is retried. `altered`: the key may belong to another command.
        """
        self.sent[type(request.command).__name__] = (
            self.sent.get(type(request.command).__name__, 0) + 1
        )
        answer = await self._submit_with_retries(request)
        reused = isinstance(answer, Refused) and answer.refusal is Refusal.KEY_REUSED
        check(altered or not reused, "a key is refused that was never reused", request)
        if not altered:
            self._record(member, request, answer)
        return answer

    async def _submit_with_retries(self, request: SentCommand) -> Answer | None:
        self.waiting += 1
        try:
            for _ in range(_MAX_ATTEMPTS if request.key is not None else 1):
                reply = await self.server.submit(request)
                answer = reply.answer if reply else None
                refused = answer.refusal if isinstance(answer, Refused) else None
                if answer is not None and refused not in NO_ANSWER:
                    return answer
                await pause(self.rng.randrange(SECOND // 5, 8 * SECOND))
        finally:
            self.waiting -= 1
        return None

    def _record(self, member: SimulatedPlayer, request: SentCommand, answer: Answer | None) -> None:
        if request.key is not None:
            member.recent_commands.append(request)
        if isinstance(answer, BetAccepted):
            member.bets.append(answer)
        if request.key is None or answer is None or isinstance(answer, Refused):
            return
        if len(self.accepted_commands) < _MAX_ACCEPTED_COMMANDS:
            self.accepted_commands.append(request)
        else:
            self.accepted_commands[self.rng.randrange(_MAX_ACCEPTED_COMMANDS)] = request
