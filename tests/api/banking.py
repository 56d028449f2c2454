"""Members who can be paid: what they gave, what they hold, and what the log says of them."""

import dataclasses
import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import psycopg

from api.http.command_submission import submit
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
    """What the engine answers to a command of the house's own people."""
    return house.on_loop(lambda: submit(house.services, actor, None, submitted))


def set_terms(house: ApiServer, **figures: Any) -> None:
    """The default terms, but for these figures; proposals that are open are rejected."""
    looking = house.engine.reader
    assert looking is not None
    office = looking.house
    for proposal in (office.proposed_terms, office.proposed_accounts, office.proposed_odds):
        if proposal is not None:
            command(house, DecideProposal(proposal.id, approve=False, by="staff:test"))
    for by in ("staff:test", "staff:other"):
        command(house, SetTerms(msgspec.structs.replace(DEFAULT_TERMS, **figures), by))


def give(player: Player, amount: float) -> None:
    """So many u more, or less, of which nothing has to be turned over."""
    number = new_key()
    adjustment = ProposeAdjustment(player.id, number, round(amount * 100), "staff:ann", "")
    command(player.house, adjustment)
    command(player.house, DecideAdjustment(player.id, number, approve=True, by="staff:bob"))


def card(**fields: Any) -> dict[str, Any]:
    """A bank card that nobody else has."""
    number = f"6222{next(_numbers)}"
    return {"acc": number, "acc_name": HOLDER, "acc_bank": "Bank of Tests", "type": 0, **fields}


def identify(player: Player) -> None:
    """Their ID-card number goes on record."""
    answer = player.call("user/profile", {"idcard": f"ID-{next(_numbers)}"})
    assert answer["code"] == 1, answer


def prepare(player: Player, *, code: str = CODE) -> None:
    """Everything that a withdrawal to a bank card needs."""
    identify(player)
    assert player.call("user/setPayInfo", card())["code"] == 1
    assert player.call("user/setSafety", {"new_code": code, "after_code": ""})["code"] == 1


def withdraw(player: Player, amount: Any = 100, key: str | None = None, **fields: Any) -> Any:
    """The envelope of a withdrawal to the bank card."""
    body = {"type": 0, "money": amount, "securityCode": CODE, **fields}
    return player.call("user/withdrawAction", body, key or new_key())


def sign_in(player: Player, password: str = PASSWORD) -> Player:
    """The same member in a session of its own."""
    answer = player.house.call("user/login", {"account": player.username, "password": password})
    return dataclasses.replace(player, token=answer["data"]["userinfo"]["token"])


def facts(player: Player, kind: type) -> int:
    """How many facts of this kind the log holds about the player."""
    with psycopg.connect(player.house.conninfos.app) as connection:
        row = connection.execute(
            "SELECT count(*) FROM log.facts WHERE originator_id = %s AND topic = %s",
            (player_stream(player.id), TOPICS[kind]),
        ).fetchone()
    assert row is not None
    return int(row[0])


def tries(player: Player) -> int:
    """How many tries of the security code were consumed."""
    with psycopg.connect(player.house.conninfos.app) as connection:
        row = connection.execute(
            "SELECT tries FROM vault.security_codes WHERE player = %s", (player.id,)
        ).fetchone()
    assert row is not None
    return int(row[0])


def at_once(calls: list[Callable[[], dict[str, Any]]]) -> list[dict[str, Any]]:
    """The answers to calls made by many at once, without what differs between requests."""
    with ThreadPoolExecutor(32) as threads:
        answers = list(threads.map(lambda call: call(), calls))
    return [
        {name: value for name, value in answer.items() if name not in {"time", "request_id"}}
        for answer in answers
    ]


def raced(call: Callable[[], dict[str, Any]], times: int = TIMES) -> dict[str, Any]:
    """The one answer that all get who make the same call at once."""
    answers = at_once([call] * times)
    assert answers == [answers[0]] * times
    return answers[0]
