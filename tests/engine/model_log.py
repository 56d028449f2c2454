"""How the model takes in the log: each fact is checked against every rule it could break."""

from collections import Counter
from collections.abc import Callable

from tests.engine import model_rules as rules
from tests.engine.model import Bet, Day, House, Line, Member, Round


def take(house: House, line: Line) -> None:
    """Take in the next fact; an AssertionError where it breaks a rule."""
    assert line.position == house.position + 1
    assert line.version == house.versions[line.stream] + 1
    assert line.at >= house.at, "time runs backwards in the log"
    house.position, house.at = line.position, line.at
    house.versions[line.stream] += 1
    if line.stream.startswith("player-") and line.topic != "player-registered.1":
        house.members[_player(line)].facts += 1
    _TAKERS[line.topic](house, line)
    assert sum(house.accounts.values()) == 0, "money was made or lost"
    for account, amount in house.accounts.items():
        assert amount >= 0 or not account.startswith("player:"), f"{account} is below zero"


def _player(line: Line) -> int:
    return int(line.stream.removeprefix("player-"))


def _move(house: House, player: int, **legs: int) -> None:
    """Money moves between a player's accounts and, for what is left over, the house."""
    member = house.members[player]
    member.available += legs.get("available", 0)
    member.staked += legs.get("staked", 0)
    member.bonus += legs.get("bonus", 0)
    for part, amount in legs.items():
        house.accounts[f"player:{player}:{part}"] += amount


def _registered(house: House, line: Line) -> None:
    assert _player(line) not in house.members, "nobody joins twice"
    house.members[_player(line)] = Member(line.fact["group"], facts=1)


def _deposited(house: House, line: Line) -> None:
    amount = line.fact["amount_minor"]
    assert amount > 0
    house.members[_player(line)].due += amount
    house.accounts[f"world:{line.fact['channel']}"] -= amount
    _move(house, _player(line), available=amount)


def _requested(house: House, line: Line) -> None:
    house.members[_player(line)].pending.add(line.fact["deposit"])


def _endorsed(house: House, line: Line) -> None:
    assert line.fact["deposit"] in house.members[_player(line)].pending
    assert line.fact["by"] == "clerk"


def _approved_alone(house: House, line: Line) -> None:
    house.alone.append((line.at, line.fact["amount_minor"]))


def _turned_over(house: House, line: Line) -> None:
    """Before the first bet of the player's is answered, once a round."""
    player, at_hand = _player(line), house.rounds[line.fact["game"], line.fact["issue"]]
    assert at_hand.phase == "drawn"
    assert player not in at_hand.counted, "turnover counted twice"
    assert (line.fact["stake_minor"], line.fact["effective_minor"]) == at_hand.turnover(player)
    at_hand.counted.add(player)
    member = house.members[player]
    member.due = max(0, member.due - line.fact["effective_minor"])
    member.turnover += line.fact["effective_minor"]


def _placed(house: House, line: Line) -> None:
    fact, player = line.fact, _player(line)
    assert fact["bet"] not in house.bets, "a bet's id is its own"
    sale = house.rounds[fact["game"], fact["issue"]]
    assert house.newest[sale.game] is sale
    assert sale.phase == "open", "a bet after its round was closed"
    assert line.at < sale.closes_at == fact["closes_at"], "a bet after its round's close"
    stake, bonus = fact["stake_minor"], fact["bonus_minor"]
    receipt = rules.receipt(player, fact, line.at)
    bet = Bet(fact["bet"], player, sale.game, sale.issue, fact["kind"], stake, bonus, receipt)
    house.bets[bet.id] = sale.bets[bet.id] = bet
    house.unsigned.append(receipt)
    member = house.members[player]
    assert not member.is_outside(fact["plan"], line.at), "a bet from outside the hall"
    member.entered.add((fact["plan"], rules.calendar_day(line.at)))
    assert sale.worst_payout() <= rules.CAP_MINOR, "more could be lost than the cap allows"
    _move(house, player, available=bonus - stake, bonus=-bonus, staked=stake)


def _returned(house: House, line: Line, status: str) -> None:
    fact = line.fact
    bet = house.bets[fact["bet"]]
    assert bet.status == "open", f"a bet {bet.status} before is {status}"
    assert (bet.player, bet.game, bet.issue) == (_player(line), fact["game"], fact["issue"])
    returned = (fact["stake_minor"], fact["bonus_minor"])
    assert returned == (bet.stake, bet.bonus), f"{returned} instead of {(bet.stake, bet.bonus)}"
    bet.status = status
    legs = {"available": bet.stake - bet.bonus, "bonus": bet.bonus, "staked": -bet.stake}
    _move(house, bet.player, **legs)


def _recalled(house: House, line: Line) -> None:
    sale = house.rounds[line.fact["game"], line.fact["issue"]]
    assert sale.sells_at(line.at), "a recall after the close"
    _returned(house, line, "recalled")


def _voided(house: House, line: Line) -> None:
    at_hand = house.rounds[line.fact["game"], line.fact["issue"]]
    assert at_hand.phase == "closed", "only an undrawn closed round is voided"
    _returned(house, line, "voided")


def _settled(house: House, line: Line) -> None:
    fact = line.fact
    bet, at_hand = house.bets[fact["bet"]], house.rounds[fact["game"], fact["issue"]]
    assert bet.status == "open", f"a bet {bet.status} before is settled"
    assert (bet.player, bet.game, bet.issue) == (_player(line), at_hand.game, at_hand.issue)
    assert (at_hand.phase, at_hand.total) == ("drawn", fact["total"])
    assert (bet.stake, bet.bonus) == (fact["stake_minor"], fact["bonus_minor"])
    payout = bet.payout(at_hand.total)
    share = payout * bet.bonus // bet.stake
    paid = (fact["payout_minor"], fact["payout_bonus_minor"])
    assert paid == (payout, share), f"paid {paid} instead of {(payout, share)}"
    assert bet.player in at_hand.counted, "a bet is answered, and its turnover is not counted"
    bet.status = "settled"
    at_hand.paid += payout
    house.accounts["house:takings"] += bet.stake - payout
    _move(house, bet.player, staked=-bet.stake, available=payout - share, bonus=share)


def _round_opened(house: House, line: Line) -> None:
    fact, day = line.fact, house.days[line.fact["game"]]
    place = rules.slot(fact["game"], rules.date_of(line.at), fact["index"])
    assert (fact["issue"], fact["opens_at"], fact["closes_at"], fact["draws_at"]) == place[1:]
    assert place.opens_at <= line.at < place.closes_at
    assert fact["index"] == day.last_index + 1, "rounds follow one another"
    assert (fact["day"], fact["odds_table"]) == (day.fact["day"], rules.ODDS_TABLE)
    opened = Round(
        fact["game"], fact["day"], fact["index"], place.issue, place.closes_at, place.draws_at
    )
    house.rounds[opened.game, opened.issue] = house.newest[opened.game] = opened
    day.last_index = opened.index


def _round_closed(house: House, line: Line) -> None:
    fact, day = line.fact, house.days[line.fact["game"]]
    at_hand = house.rounds[fact["game"], fact["issue"]]
    assert (at_hand.phase, at_hand.day, at_hand.index) == ("open", fact["day"], fact["index"])
    assert line.at >= at_hand.closes_at == fact["closes_at"]
    bets = at_hand.standing()
    stakes: Counter[str] = Counter()
    for bet in bets:
        stakes[bet.kind] += bet.stake
    assert (fact["count"], fact["stakes"]) == (len(bets), stakes)
    assert fact["stake_minor"] == stakes.total()
    assert fact["bets"] == rules.tree_head([bet.receipt for bet in bets]).hex()
    assert (fact["prev"], fact["frozen"]) == (day.prev, rules.frozen_hash(fact))
    at_hand.phase, at_hand.frozen = "closed", fact["frozen"]
    day.prev = fact["frozen"]


def _round_drawn(house: House, line: Line) -> None:
    fact, day = line.fact, house.days[line.fact["game"]]
    at_hand = house.rounds[fact["game"], fact["issue"]]
    assert (at_hand.phase, at_hand.frozen) == ("closed", fact["frozen"])
    assert line.at >= at_hand.draws_at
    assert (at_hand.day, at_hand.index) == (fact["day"], fact["index"])
    _reveal(day, line, at_hand.index)
    assert fact["digits"] == rules.draw_digits(fact)
    assert fact["total"] == sum(fact["digits"])
    at_hand.phase, at_hand.total = "drawn", fact["total"]


def _reveal(day: Day, line: Line, index: int) -> None:
    """Both secrets lead down their chains to the links revealed last."""
    fact = line.fact
    below, operator, witness = day.revealed
    secrets = fact["operator_secret"], fact["witness_secret"]
    linked = [
        rules.link_down(role, fact["game"], day.fact["day"], secret, index, below)
        for role, secret in zip(("operator", "witness"), secrets, strict=True)
    ]
    assert linked == [operator, witness], "the chains do not hold"
    day.revealed = (index, *secrets)


def _round_settled(house: House, line: Line) -> None:
    fact = line.fact
    at_hand = house.rounds[fact["game"], fact["issue"]]
    assert at_hand.phase == "drawn"
    assert not at_hand.standing(), "a bet of a settled round is unanswered"
    answered = at_hand.unrecalled()
    totals = (len(answered), sum(bet.stake for bet in answered), at_hand.paid)
    assert (fact["count"], fact["stake_minor"], fact["payout_minor"]) == totals
    at_hand.phase = "settled"


def _round_voided(house: House, line: Line) -> None:
    fact = line.fact
    at_hand = house.rounds[fact["game"], fact["issue"]]
    assert at_hand.phase == "closed"
    assert not at_hand.standing(), "a stake of a voided round was kept"
    returned = at_hand.unrecalled()
    assert (fact["count"], fact["stake_minor"]) == (
        len(returned),
        sum(bet.stake for bet in returned),
    )
    assert at_hand.index == fact["index"]
    _reveal(house.days[at_hand.game], line, at_hand.index)
    at_hand.phase = "voided"


def _day_opened(house: House, line: Line) -> None:
    fact = line.fact
    assert not house.owed(fact["game"]), "a day begins while a round is owed"
    assert fact["date"] == rules.date_of(line.at)
    assert fact["day"] == f"{fact['date']}/{fact['segment']}" if fact["segment"] else fact["date"]
    anchors = (0, fact["operator_commitment"], fact["witness_commitment"])
    house.days[fact["game"]] = Day(fact, fact["first"] - 1, rules.day_hash(fact), anchors)


def _rounds_skipped(house: House, line: Line) -> None:
    fact, day = line.fact, house.days[line.fact["game"]]
    assert not house.owed(fact["game"]), "links are revealed while a round is owed"
    assert fact["first"] == day.last_index + 1
    last = rules.slot(fact["game"], day.fact["date"], fact["last"])
    assert last.draws_at <= line.at, "a link is revealed before its round has passed"
    _reveal(day, line, fact["last"])
    day.last_index = fact["last"]


def _receipts_signed(house: House, line: Line) -> None:
    assert line.fact["size"] == len(house.unsigned)
    assert line.fact["head"] == rules.tree_head(house.unsigned).hex()
    house.unsigned = []


_TAKERS: dict[str, Callable[[House, Line], None]] = {
    "player-registered.1": _registered,
    "deposit-approved.1": _deposited,
    "deposit-requested.1": _requested,
    "deposit-endorsed.1": _endorsed,
    "approved-alone.1": _approved_alone,
    "turnover-counted.1": _turned_over,
    "bet-placed.1": _placed,
    "bet-recalled.1": _recalled,
    "bet-settled.1": _settled,
    "bet-voided.1": _voided,
    "round-opened.1": _round_opened,
    "round-closed.1": _round_closed,
    "round-drawn.1": _round_drawn,
    "round-settled.1": _round_settled,
    "round-voided.1": _round_voided,
    "day-opened.1": _day_opened,
    "rounds-skipped.1": _rounds_skipped,
    "receipts-signed.1": _receipts_signed,
}
