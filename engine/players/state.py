"""A player as the writer knows them, folded from their stream."""

from typing import assert_never

from msgspec import Struct, field

from engine.forked import Forked
from engine.players.facts import (
    BetPlaced,
    BetRecalled,
    BetSettled,
    BetVoided,
    DepositApproved,
    PlayerFact,
    PlayerRegistered,
)


class Player(Struct):
    """Balances in minor units, the open bets by id, and the version of the stream so far."""

    id: int
    version: int = 0
    group: int = 0
    bot: bool = False
    available: int = 0
    staked: int = 0
    withdrawing: int = 0
    bonus: int = 0
    bets: Forked[BetPlaced] = field(default_factory=Forked)

    @property
    def registered(self) -> bool:
        """Whether the stream holds the player's registration."""
        return self.version > 0

    def fork(self) -> "Player":
        """A copy to decide on, which may be thrown away."""
        return Player(
            self.id,
            self.version,
            self.group,
            self.bot,
            self.available,
            self.staked,
            self.withdrawing,
            self.bonus,
            self.bets.fork(),
        )


def evolve(player: Player, fact: PlayerFact) -> Player:
    """Apply a fact to this player in place and return it; refuses nothing."""
    player.version += 1
    match fact:
        case BetPlaced(bet=bet, stake_minor=stake, bonus_minor=bonus):
            player.bets.add(bet, fact)
            _stake(player, stake, bonus)
        case BetSettled(bet=bet, stake_minor=stake):
            player.bets.remove(bet)
            player.staked -= stake
            player.available += fact.payout_minor - fact.payout_bonus_minor
            player.bonus += fact.payout_bonus_minor
        case (
            BetRecalled(bet=bet, stake_minor=stake, bonus_minor=bonus)
            | BetVoided(bet=bet, stake_minor=stake, bonus_minor=bonus)
        ):
            player.bets.remove(bet)
            _stake(player, -stake, -bonus)
        case DepositApproved(amount_minor=amount):
            player.available += amount
        case PlayerRegistered(group=group, bot=bot):
            player.group = group
            player.bot = bot
        case _ as never:
            assert_never(never)
    return player


def _stake(player: Player, stake: int, bonus: int) -> None:
    player.available -= stake - bonus
    player.bonus -= bonus
    player.staked += stake
