"""A house whose draws are real: a sandbox's log with every way in which a round can end."""

import random

from engine.answers import Refused
from engine.bets.commands import PlaceBet, RecallBets
from engine.fairness import signing, witness_decisions
from engine.fairness.canonical import canonical
from engine.fairness.records import CancelRecord
from engine.fairness.witness_state import Declined, Signed
from engine.house.commands import LeaveSegment, SkipRounds
from engine.odds import SPECIFIED
from engine.players.commands import MEMBER, RegisterPlayer
from engine.rounds.commands import AnswerLate, CloseRound, ReturnStakes, RuleVoid, VoidRound
from engine.rounds.facts import RoundOpened
from engine.sandbox import SHORT_DAYS, Sandbox
from engine.schedule import SECOND_US
from engine.staff.void_proposals import DecideVoid, ProposeVoid
from tests.auditing.evening import BOT, PLAYERS

ALL = 1_000
DAY_US = 86_400 * SECOND_US


class DrawnHouse:
    """A sandbox with three members and a bot; six rounds of ten minutes a day."""

    def __init__(self, seed: int = 1, games: tuple[int, ...] = (1, 2)) -> None:
        self.sandbox = Sandbox(seed, schedule=SHORT_DAYS, games=games)
        self._rng = random.Random(seed)
        for player in (*PLAYERS, BOT):
            joins = RegisterPlayer(player, MEMBER, None, "c", bot=player == BOT, gift_minor=100_000)
            self.sandbox.submit(joins, f"player-{player}")

    def bets(self, count: int) -> None:
        """Random bets of all players on the newest round of each game."""
        for game in self.sandbox.games:
            for _ in range(count):
                self.bet(game, self._rng.choice(list(SPECIFIED.odds_milli)))
                self._wait(1)

    def bet(self, game: int, kind: str) -> None:
        """A random player's bet."""
        player, stake = self._rng.choice((*PLAYERS, BOT)), self._rng.randrange(1, 9) * 100
        issue, plan = self.sandbox.newest(game).issue, (game - 1) * 9 + 1
        placed = self.sandbox.submit(PlaceBet(player, game, plan, issue, kind, stake))
        assert not isinstance(placed, Refused), placed

    def recalls(self, game: int = 1) -> None:
        """Every player recalls the bets on the newest round of a game."""
        for player in (*PLAYERS, BOT):
            self.sandbox.submit(RecallBets(player, game, self.sandbox.newest(game).issue, None))

    def draws(self, rounds: int = 1, bets: int = 3) -> None:
        """Whole rounds of all games, with bets."""
        for _ in range(rounds):
            self.bets(bets)
            self.sandbox.advance_to(self.sandbox.newest(1).opened.draws_at)

    def next_day(self) -> None:
        """Play the rest of the day without bets, and open the next one."""
        day = self.sandbox.newest(1).opened.day
        while self.sandbox.newest(1).opened.day == day:
            self._wait(600)

    def _wait(self, seconds: int) -> None:
        self.sandbox.advance_to(self.sandbox.now + seconds * SECOND_US)

    def closes(self, game: int = 1) -> str:
        """Close the newest round of a game, and pass the time of its draw without one."""
        sale = self.sandbox.newest(game)
        self.sandbox._now = max(self.sandbox._now, sale.closes_at)
        self.sandbox.submit(CloseRound(game, sale.issue))
        self.sandbox._now = sale.opened.draws_at
        return sale.issue

    def voids(self, game: int = 1) -> str:
        """Close the newest round of a game, and void it with the witness's signature."""
        issue = self.closes(game)
        links = self._links(game)
        cancelled = self._cancelled(self.sandbox.newest(game).opened)
        void = VoidRound(game, issue, "no light", cancelled, *links, ALL)
        self._accept(void)
        self.sandbox._take_due_steps()
        return issue

    def rules(self, game: int = 1, *, released: bool, after_us: int = 0) -> str:
        """Close the newest round of a game, and have two managers void it.

        The operator's link is lost. The witness has released its link, or has never answered.
        """
        issue = self.closes(game)
        signature = self.sandbox.drawing(game, issue).witness_signature if released else ""
        self._accept(ProposeVoid(f"void-{issue}", game, issue, "a disk", "staff:ann"))
        self._accept(DecideVoid(f"void-{issue}", True, "staff:ben"))
        self.sandbox._now += after_us
        self._accept(RuleVoid(game, issue, "", "", signature, "", ""))
        self._accept(ReturnStakes(game, issue, ALL))
        self._accept(LeaveSegment(game, self.sandbox.state.games[game].day, "chain_lost"))
        self.sandbox._take_due_steps()
        return issue

    def states(self, issue: str, *, released: bool, game: int = 1) -> None:
        """The witness of an unattested round returns and states what was true of it."""
        if released:
            drawing = self.sandbox.drawing(game, issue)
            link, signed = drawing.witness_secret, (drawing.witness_signature, "")
        else:
            opened = self.sandbox.state.rounds[game, issue].opened
            links = self.sandbox._witness._state.days[str(game), opened.day].links
            link, signed = links[opened.index].hex(), ("", self._cancelled(opened))
        self._accept(AnswerLate(game, issue, *signed, link, ""))

    def skips(self, rounds: int) -> None:
        """Draw the newest rounds; then pass rounds without a server, and skip them."""
        newest = {game: self.sandbox.newest(game) for game in self.sandbox.games}
        for game in newest:
            self.closes(game)
        for game, sale in newest.items():
            self.sandbox._finish(game, sale.issue)
        self.sandbox._now += rounds * SHORT_DAYS.round_us
        for game, sale in newest.items():
            last = sale.opened.index + rounds
            operator = self.sandbox._chains[game, sale.opened.day][last]
            links = (operator.hex(), self._witness_links(game)[last].hex())
            self._accept(SkipRounds(game, last, *links))
        self.sandbox._take_due_steps()

    def _accept(self, command: object) -> None:
        answer = self.sandbox.submit(command)  # type: ignore[arg-type]
        assert not isinstance(answer, Refused), answer

    def _witness_links(self, game: int) -> tuple[bytes, ...]:
        day = self.sandbox.state.games[game].day
        return self.sandbox._witness._state.days[str(game), day].links

    def _links(self, game: int) -> tuple[str, str]:
        opened = self.sandbox.newest(game).opened
        operator = self.sandbox._chains[game, opened.day][opened.index]
        return operator.hex(), self._witness_links(game)[opened.index].hex()

    def _cancelled(self, opened: RoundOpened) -> str:
        party = self.sandbox._witness
        content = canonical(CancelRecord(opened.day, str(opened.game), opened.index))
        request = Signed(content, signing.sign(self.sandbox._operator, signing.CANCEL, content))
        cancelled = witness_decisions.cancel(party._state, request, party._key)
        assert not isinstance(cancelled, Declined)
        return party._keep(cancelled.record).signature.hex()


def drawn_evening(seed: int = 1, games: tuple[int, ...] = (1,)) -> DrawnHouse:
    """Two rounds with bets, a recalled one, a voided one and one on sale."""
    house = DrawnHouse(seed, games)
    house.draws(2)
    house.bets(2)
    house.recalls()
    house.draws()
    house.bets(3)
    house.voids()
    house.bets(2)
    return house
