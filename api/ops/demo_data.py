"""The demo's players, and marked bots that bet in the rooms.

Bots bet their own play money in the first hall of every game. They are a separate group of players:
excluded from liability, revenue and return statistics, and from the list of winners.
"""

import asyncio
import random
import secrets
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import structlog
from msgspec.structs import replace

from api.account.auth import register_with_engine
from api.http.refusals import CallRefused
from api.realtime.hub import BOT_ACTOR
from api.services import Services, wait_until
from engine.answers import BetAccepted
from engine.bets.commands import PlaceBet, RecallBets
from engine.cashier.commands import ApproveDeposit
from engine.catalogue import GAMES, NUMBER_KINDS, plans_of
from engine.house.commands import SetReceivingAccounts, SetTerms
from engine.money import units
from engine.odds import TABLES
from engine.players.commands import MEMBER
from engine.refusals import Refusal
from engine.runtime.vault import PlayerIdentity, RegistrationRefused, RegistrationRequest
from engine.terms import ReceivingAccounts
from projections.house_settings import current_settings

MEMBERS: Final = ("player01", "player02")
PASSWORD: Final = "play-money-28"  # noqa: S105 - published on purpose: play money only
BOTS_PER_GAME: Final = 4
DEMO_STAFF: Final = "staff:demo"
DEMO_COLLEAGUE: Final = "staff:demo-colleague"
RECEIVING: Final = ReceivingAccounts(
    usdt="TDemoDemoDemoPLAYxMoNEYxDemoDemo11",
    bank="Bank of Play Money",
    number="0000 0000 0000 0028",
    holder="Fairdraw demo",
)
_BOT_NAMES: Final = (
    *("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "haven"),
    *("indigo", "jasper", "kestrel", "lotus", "maple", "nimbus", "opal", "pearl"),
)
_BOT_MONEY_MINOR: Final = units(1_000_000)
_STAKES_U: Final = (1, 2, 5, 5, 10, 10, 20, 30, 50)
_PAUSES_S: Final = (1.5, 5.0)
_NUMBER_SHARE: Final = 0.2
_RECALL_SHARE: Final = 0.08
_RETRY_S: Final = 1.0
logger = structlog.get_logger()


async def run(services: Services) -> None:
    """Create the demo players and bots, and let the bots play until cancelled."""
    bots_by_game = await _seed_players(services)
    await seed(services)
    async with asyncio.TaskGroup() as games:
        for game, bots in bots_by_game.items():
            games.create_task(_play(services, game, bots))


async def _seed_players(services: Services) -> dict[int, list[int]]:
    """Create the demo players and the bots if necessary. Returns the bots of each game."""
    while True:
        await wait_until(lambda: services.engine.ready)
        try:
            for name in MEMBERS:
                await register_with_engine(services, await _member(services, name, PASSWORD))
            return {
                game: [await _bot(services, name) for name in _names_of(game)] for game in GAMES
            }
        except CallRefused as refusal:
            logger.warning("the demo cannot move in yet", refusal=refusal.refused.refusal)
            await asyncio.sleep(_RETRY_S)


async def seed(services: Services) -> None:
    """Set receiving accounts and turn the overnight bonus on, unless staff ever set them."""
    house_settings = await services.read_models.read(current_settings)
    terms = replace(house_settings.terms, overnight=True)
    for by in (DEMO_STAFF, DEMO_COLLEAGUE):
        for key, command, is_set in (
            (
                "demo-receiving-accounts",
                SetReceivingAccounts(RECEIVING, by),
                house_settings.receiving_at,
            ),
            ("demo-terms", SetTerms(terms, by), house_settings.terms_at),
        ):
            if not is_set:
                with suppress(CallRefused):
                    await services.commands.submit(by, key, command)


def _names_of(game: int) -> Iterator[str]:
    for number in range(BOTS_PER_GAME):
        index = (game - 1) * BOTS_PER_GAME + number
        yield f"{_BOT_NAMES[index]}{index + 11}"


async def _member(services: Services, name: str, password: str) -> PlayerIdentity:
    found = await asyncio.to_thread(lambda: services.vault.find(name))
    if found is not None:
        return found
    request = RegistrationRequest(name, password, MEMBER, None, f"demo-{name}")
    registered = await services.hash_pool(lambda: services.vault.register(request))
    if isinstance(registered, RegistrationRefused):
        raise CallRefused(registered.refusal, registered.field)
    return registered


async def _bot(services: Services, name: str) -> int:
    member = await _member(services, name, secrets.token_urlsafe(24))
    registered = await register_with_engine(services, member, bot=True)
    # A deposit repeated after a fail-over would be undone together with the bets of its batch.
    if not registered.available_minor:
        await _fund(services, member.player, "first")
    return member.player


async def _fund(services: Services, bot: int, number: str) -> None:
    deposit = f"bot-{bot}-{number}"
    command = ApproveDeposit(bot, deposit, "demo", _BOT_MONEY_MINOR, "")
    await services.commands.submit(DEMO_STAFF, deposit, command)


async def _play(services: Services, game: int, bots: list[int]) -> None:
    """Bet every few seconds, and sometimes recall a bet."""
    rng = random.Random(game)  # noqa: S311 - a bot's choices, not a draw
    while True:
        await asyncio.sleep(rng.uniform(*_PAUSES_S))
        bot = rng.choice(bots)
        try:
            bet = await _bet(services, game, bot, rng)
            if bet is not None and rng.random() < _RECALL_SHARE:
                await asyncio.sleep(rng.uniform(*_PAUSES_S))
                recall = RecallBets(bot, game, bet.issue, bet.bet)
                await services.commands.submit(f"{BOT_ACTOR}{bot}", None, recall)
        except CallRefused as refusal:
            if refusal.refused.refusal is Refusal.FUNDS_INSUFFICIENT:
                await _fund(services, bot, secrets.token_hex(4))


async def _bet(services: Services, game: int, bot: int, rng: random.Random) -> BetAccepted | None:
    state = services.hub.games[game]
    issue = state.issue(services.clock())
    if issue.whether_close or state.opened is None:
        return None
    is_number = rng.random() < _NUMBER_SHARE
    sold = TABLES[state.opened.odds_table].kinds
    kinds = [kind for kind in sold if (kind in NUMBER_KINDS) == is_number]
    stake = units(rng.choice(_STAKES_U))
    plan = plans_of(game)[0].id
    command = PlaceBet(bot, game, plan, issue.issue, rng.choice(kinds), stake)
    reply = await services.commands.submit(f"{BOT_ACTOR}{bot}", None, command)
    assert isinstance(reply.answer, BetAccepted)
    return reply.answer
