"""Players who can be paid, money commands of the tests, and queries on the log."""

import dataclasses
import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import psycopg

from engine.cashier.commands import DecideAdjustment, ProposeAdjustment
from engine.command_handler import Command
from engine.facts import TOPICS, player_stream
from engine.house.commands import DecideProposal, SetTerms
from engine.runtime.writer.reply import Reply
from engine.terms import DEFAULT_TERMS
from tests.api.support import PASSWORD, ApiServer, Player, new_key

CODE = "402917"
HOLDER = "Ada Lovelace"
TIMES = 50
_numbers = itertools.count(10_000_000)


def command(house: ApiServer, submitted: Command, actor: str = "staff:test") -> Reply:
    """Submit a command to the engine as staff and return its reply."""
    return house.on_loop(lambda: house.services.commands.submit(actor, None, submitted))


def set_terms(house: ApiServer, **figures: Any) -> None:
    """Set the default terms with these fields replaced. Open proposals are rejected first."""
    looking = house.engine.reader
    assert looking is not None
    office = looking.house
    for proposal in (office.proposed_terms, office.proposed_accounts, office.proposed_odds):
        if proposal is not None:
            command(house, DecideProposal(proposal.id, approve=False, by="staff:test"))
    for by in ("staff:test", "staff:other"):
        command(house, SetTerms(msgspec.structs.replace(DEFAULT_TERMS, **figures), by))


def give(player: Player, amount: float) -> None:
    """Adjust the balance by an amount in u, which may be negative. No turnover is due on it."""
    number = new_key()
    adjustment = ProposeAdjustment(player.id, number, round(amount * 100), "staff:ann", "")
    command(player.house, adjustment)
    command(player.house, DecideAdjustment(player.id, number, approve=True, by="staff:bob"))


def card(**fields: Any) -> dict[str, Any]:
    """A bank card with an unused number."""
    number = f"6222{next(_numbers)}"
    return {"acc": number, "acc_name": HOLDER, "acc_bank": "Bank of Tests", "type": 0, **fields}


def identify(player: Player) -> None:
    """Record an unused ID-card number for the player."""
    answer = player.call("user/profile", {"idcard": f"ID-{next(_numbers)}"})
    assert answer["code"] == 1, answer


def prepare(player: Player, *, code: str = CODE) -> None:
    """Set up everything that a withdrawal to a bank card needs."""
    identify(player)
    assert player.call("user/setPayInfo", card())["code"] == 1
    assert player.call("user/setSafety", {"new_code": code, "after_code": ""})["code"] == 1


def withdraw(player: Player, amount: Any = 100, key: str | None = None, **fields: Any) -> Any:
    """Returns the envelope of a withdrawal to the bank card."""
    body = {"type": 0, "money": amount, "securityCode": CODE, **fields}
    return player.call("user/withdrawAction", body, key or new_key())


def sign_in(player: Player, password: str = PASSWORD) -> Player:
    """Returns the same player with a new session."""
    answer = player.house.call("user/login", {"account": player.username, "password": password})
    return dataclasses.replace(player, token=answer["data"]["userinfo"]["token"])


def facts(player: Player, kind: type) -> int:
    """Returns the number of facts of this kind in the player's stream."""
    with psycopg.connect(player.house.conninfos.app) as connection:
        row = connection.execute(
            "SELECT count(*) FROM log.facts WHERE originator_id = %s AND topic = %s",
            (player_stream(player.id), TOPICS[kind]),
        ).fetchone()
    assert row is not None
    return int(row[0])


def tries(player: Player) -> int:
    """Returns the number of failed attempts counted against the security code."""
    with psycopg.connect(player.house.conninfos.app) as connection:
        row = connection.execute(
            "SELECT tries FROM vault.security_codes WHERE player = %s", (player.id,)
        ).fetchone()
    assert row is not None
    return int(row[0])


def at_once(calls: list[Callable[[], dict[str, Any]]]) -> list[dict[str, Any]]:
    """Make the calls concurrently. Returns the answers without fields that differ by request."""
    with ThreadPoolExecutor(32) as threads:
        answers = list(threads.map(lambda call: call(), calls))
    return [
        {name: value for name, value in answer.items() if name not in {"time", "request_id"}}
        for answer in answers
    ]


def raced(call: Callable[[], dict[str, Any]], times: int = TIMES) -> dict[str, Any]:
    """Make the same call concurrently and return the single answer that all callers got."""
    answers = at_once([call] * times)
    assert answers == [answers[0]] * times
    return answers[0]
