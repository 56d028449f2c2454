"""What staff book ends on the right account, and a correction undoes exactly what was wrong."""

from typing import Any

import psycopg

from projections.accounts import queries as accounts
from tests.api.staffing import decided, office
from tests.api.support import House, Player, new_key


def books(house: House) -> dict[str, int]:
    """The house's own accounts, in minor units, of people and bots together."""
    house.catch_up()
    with psycopg.connect(house.conninfos.app) as connection:
        totals = accounts.trial_balance(connection)
    assert sum(each.balance for each in totals) == 0
    found: dict[str, int] = {}
    for each in totals:
        found[each.account] = found.get(each.account, 0) + each.balance
    return {name: found[name] for name in found if not name.startswith("player:")}


def changed(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """By how much each account differs, in minor units."""
    moved = {name: after[name] - before.get(name, 0) for name in after}
    return {name: amount for name, amount in moved.items() if amount}


def enter(player: Player, **body: Any) -> None:
    told = {"player": player.id, "amount": "1250.50", "channel": "bank", **body}
    assert office(player.house, "deposit", **told)["code"] == 1


def correct(player: Player, amount: str, **body: Any) -> None:
    """A correction that two people agree to."""
    told = {"player": player.id, "amount": amount, "reason": "see the statement", **body}
    proposed = office(player.house, "adjustment", **told)["data"]["id"]
    assert decided(player.house, "adjustment", proposed, "ben") == "approved"


def test_undoing_a_double_entry_leaves_the_takings_alone_and_the_bank_right(
    house: House, player: Player
) -> None:
    enter(player, reference=new_key())
    once = books(house)
    due = player.call("user/recharge", {})["data"]["turnover_due"]
    enter(player, reference=new_key())
    correct(player, "-1250.50", kind="double_entry", channel="bank")
    assert changed(once, books(house)) == {}
    assert player.call("user/recharge", {})["data"]["turnover_due"] == due
    assert player.balance() == 2250.5
