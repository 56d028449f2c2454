"""One round of the regular day with its game, taken step by step by both parties."""

from engine.answers import Refused
from engine.bets.facts import BetPlaced
from engine.fairness import signing
from engine.fairness.canonical import canonical
from engine.fairness.records import CancelRecord
from engine.house import game_day as houses
from engine.house.game_day import GameDay
from engine.odds import SPECIFIED
from engine.players.state import Player
from engine.rounds import state as rounds
from engine.rounds.commands import DrawRound, OpenRound, VoidRound
from engine.rounds.decisions import close_round, draw, open_round
from engine.rounds.facts import RoundDrawn, RoundFact, RoundOpened
from engine.rounds.state import Round
from engine.schedule import Slot, slot
from tests.engine.fairness import parties
from tests.engine.given import GAME, add_open_bet, open_game


def sign(domain: bytes, payload: bytes) -> bytes:
    """The operator's signature."""
    return signing.sign(parties.OPERATOR_KEY, domain, payload)


class ARound:
    """A game's day and a round, which exists once it is opened."""

    def __init__(self, index: int = 1, game: GameDay | None = None) -> None:
        self.game = game or open_game()
        self.index = index
        self.place: Slot = slot(parties.SCHEDULE, GAME, parties.DATE, index)
        self.round: Round

    def opening(self) -> OpenRound:
        place = self.place
        return OpenRound(GAME, self.index, place.opens_at, place.closes_at, place.draws_at)

    def opened(self) -> "ARound":
        (fact,) = _facts(open_round(self.opening(), self.game, self.place.opens_at))
        assert isinstance(fact, RoundOpened)
        self.round = Round(fact, SPECIFIED)
        self.happens(fact)
        return self

    def with_bet(self, bet: BetPlaced, player: Player) -> "ARound":
        add_open_bet(bet, player, self.round)
        return self

    def closed(self) -> "ARound":
        (fact,) = _facts(close_round(self.round, self.game.prev, self.place.closes_at, sign))
        self.happens(fact)
        return self

    def drawn(self) -> RoundDrawn:
        (fact,) = _facts(draw(self.drawing(), self.round, self.game, self.place.draws_at))
        assert isinstance(fact, RoundDrawn)
        self.happens(fact)
        return fact

    def happens(self, fact: RoundFact) -> None:
        rounds.evolve(self.round, fact)
        houses.track_round(self.game, fact)

    def drawing(self) -> DrawRound:
        """The draw with true secrets and the witness's signature for this frozen set."""
        assert self.round.closed is not None
        frozen = bytes.fromhex(self.round.closed.frozen)
        released = signing.sign(parties.WITNESS_KEY, signing.RELEASE, frozen)
        operator_links, witness_links = parties.operator_chain(), parties.witness_chain()
        return DrawRound(
            GAME,
            self.round.issue,
            operator_links[self.index].hex(),
            witness_links[self.index].hex(),
            released.hex(),
        )

    def voiding(self, index: int | None = None, day: str = parties.DATE) -> VoidRound:
        """A void with the witness's cancellation of this round, or of another."""
        record = canonical(CancelRecord(day, str(GAME), index or self.index))
        signature = signing.sign(parties.WITNESS_KEY, signing.CANCEL, record)
        operator_links, witness_links = parties.operator_chain(), parties.witness_chain()
        return VoidRound(
            GAME,
            self.round.issue,
            "incident",
            signature.hex(),
            operator_links[self.index].hex(),
            witness_links[self.index].hex(),
            limit=500,
        )


def _facts(decided: list[RoundFact] | Refused) -> list[RoundFact]:
    assert isinstance(decided, list), decided
    return decided


def flipped(text: str, bit: int = 0) -> str:
    """The hex text with one bit changed."""
    content = bytearray(bytes.fromhex(text))
    content[bit // 8] ^= 1 << bit % 8
    return content.hex()
