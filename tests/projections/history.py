"""Facts that a test writes, appended to a real log."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.cashier.facts import DepositApproved
from engine.facts import TOPICS, Fact, RecordedFact, encode, player_stream, round_stream
from engine.players.facts import PlayerFact, PlayerRegistered
from engine.rounds.facts import RoundClosed, RoundDrawn, RoundOpened, RoundSettled, RoundVoided
from engine.runtime.log.fact_log import Batch, FactLog

NOON = 1_795_233_600_000_000  # 2026-11-21 12:00 in Singapore
SECOND = 1_000_000
ISSUE = "20261121001"


class History:
    """Facts in order with their positions, versions and times; stored in `log` if there is one."""

    def __init__(self, log: FactLog | None = None) -> None:
        self.facts: list[RecordedFact] = []
        self.at = NOON
        self._log = log
        self._versions: Counter[str] = Counter()
        self._opened = 0
        self._actor: str | None = None

    @property
    def position(self) -> int:
        """The position of the last fact."""
        return len(self.facts)

    def append(self, *facts: tuple[str, Fact]) -> None:
        """Append facts, each with its stream, at the current time, as one batch."""
        recorded = [self._recorded(stream, fact) for stream, fact in facts]
        if self._log is not None:
            self._log.append(_batch(recorded))

    def _recorded(self, stream: str, fact: Fact) -> RecordedFact:
        self._versions[stream] += 1
        position = len(self.facts) + 1
        command = f"command-{position}"
        actor = self._actor or stream
        recorded = RecordedFact(
            position, stream, self._versions[stream], self.at, command, actor, fact
        )
        self.facts.append(recorded)
        return recorded

    def replays(self, log: Iterable[RecordedFact]) -> None:
        """Append the facts of another log as they are, each moment's as one batch."""
        for at, moment in groupby(log, lambda it: it.at):
            recorded = list(moment)
            assert recorded[0].position == self.position + 1
            self.facts += recorded
            self._versions.update(it.stream for it in recorded)
            self.at = at
            if self._log is not None:
                self._log.append(_batch(recorded))

    @contextmanager
    def as_actor(self, actor: str) -> Iterator[None]:
        """Inside this context the facts are recorded as results of this actor's commands."""
        self._actor = actor
        try:
            yield
        finally:
            self._actor = None

    def append_for(self, player: int, *facts: PlayerFact, by: str | None = None) -> None:
        """Append facts of a player, as results of a command of the player or of `by`."""
        with self.as_actor(by or player_stream(player)):
            self.append(*((player_stream(player), fact) for fact in facts))

    def later(self, seconds: float) -> None:
        """Advance the time of the next facts."""
        self.at += round(seconds * SECOND)

    def joins(self, *players: int, bot: bool = False) -> None:
        """These players register."""
        joined = PlayerRegistered(1, None, bot, "commitment")
        self.append(*((player_stream(player), joined) for player in players))

    def deposits(self, player: int, amount_minor: int, channel: str = "bank") -> None:
        """A player's deposit is credited."""
        fact = DepositApproved(f"deposit-{self.position}", channel, amount_minor, "")
        self.append((player_stream(player), fact))

    def opens(self, game: int = 1, issue: str = ISSUE) -> None:
        """A round's sales begin, for 195 of its 210 s."""
        self._opened += 1
        fact = RoundOpened(
            game,
            "2026-11-21",
            self._opened,
            issue,
            self.at,
            self.at + 195 * SECOND,
            self.at + 210 * SECOND,
            "card-21.04.02",
        )
        self.append((round_stream(game, issue), fact))

    def bets(self, player: int, *placed: BetPlaced) -> None:
        """A player places bets."""
        self.append(*((player_stream(player), bet) for bet in placed))

    def recalls(self, player: int, *placed: BetPlaced) -> None:
        """A player recalls bets."""
        self.append(*((player_stream(player), recalled(bet)) for bet in placed))

    def settles(self, player: int, bet: BetPlaced, total: int, payout_minor: int) -> None:
        """A player's bet is settled."""
        self.append((player_stream(player), settled(bet, total, payout_minor)))

    def voids(self, player: int, bet: BetPlaced) -> None:
        """A player's stake is returned by the house."""
        fact = BetVoided(bet.bet, bet.game, bet.issue, bet.stake_minor, bet.bonus_minor)
        self.append((player_stream(player), fact))

    def closes(self, game: int = 1, issue: str = ISSUE, count: int = 0, stake: int = 0) -> None:
        """A round's sales end."""
        fact = RoundClosed(
            game, "2026-11-21", self._opened, issue, self.at, count, stake, {"big": stake},
            "b" * 64, "c" * 64, "f" * 64, "5" * 128,
        )  # fmt: skip
        self.append((round_stream(game, issue), fact))

    def draws(self, digits: tuple[int, int, int], game: int = 1, issue: str = ISSUE) -> None:
        """A round's digits are published."""
        fact = RoundDrawn(
            game, "2026-11-21", self._opened, issue, "0" * 64, "1" * 64, "f" * 64, digits,
            sum(digits), "2" * 128, "3" * 128,
        )  # fmt: skip
        self.append((round_stream(game, issue), fact))

    def ends(
        self, game: int = 1, issue: str = ISSUE, count: int = 0, stake: int = 0, payout: int = 0
    ) -> None:
        """Every bet of a round has a result."""
        self.append((round_stream(game, issue), RoundSettled(game, issue, count, stake, payout)))

    def cancels(self, game: int = 1, issue: str = ISSUE) -> None:
        """A round is voided."""
        fact = RoundVoided(game, issue, "no draw", 0, 0, "4" * 128, 1, "5" * 64, "6" * 64)
        self.append((round_stream(game, issue), fact))


def bet(
    number: int,
    stake_minor: int = 1_000,
    *,
    kind: str = "big",
    game: int = 1,
    issue: str = ISSUE,
    bonus_minor: int = 0,
    plan: int = 1,
) -> BetPlaced:
    """A bet at odds 1.98, by default of 10u."""
    return BetPlaced(
        f"bet-{number}", game, issue, plan, kind, stake_minor, bonus_minor, 1_980,
        "card-21.04.02", NOON + 195 * SECOND, "00" * 16,
    )  # fmt: skip


def recalled(placed: BetPlaced) -> BetRecalled:
    """The fact that this bet was recalled."""
    return BetRecalled(
        placed.bet, placed.game, placed.issue, placed.stake_minor, placed.bonus_minor
    )


def settled(placed: BetPlaced, total: int, payout_minor: int) -> BetSettled:
    """The fact that this bet was settled; bonus money gets its share of the payout."""
    share = payout_minor * placed.bonus_minor // placed.stake_minor
    return BetSettled(
        placed.bet, placed.game, placed.issue, total, placed.stake_minor, placed.bonus_minor,
        payout_minor, share,
    )  # fmt: skip


def _batch(recorded: list[RecordedFact]) -> Batch:
    return Batch(
        at=recorded[0].at,
        streams=[it.stream for it in recorded],
        versions=[it.version for it in recorded],
        topics=[TOPICS[type(it.fact)] for it in recorded],
        states=[encode(it.fact) for it in recorded],
        commands=[it.command_id for it in recorded],
        actors=[it.actor for it in recorded],
    )
