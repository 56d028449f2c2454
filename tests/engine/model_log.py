"""Applies the log to the model, and checks each fact against every rule that it could break."""

from collections import Counter
from collections.abc import Callable

from tests.engine import model_rules as rules
from tests.engine.model import Bet, Day, LogRecord, Member, ReferenceModel, Round


def apply(house: ReferenceModel, record: LogRecord) -> None:
    """Apply the next fact. Raises AssertionError if it breaks a rule."""
    assert record.position == house.position + 1
    assert record.version == house.versions[record.stream] + 1
    assert record.at >= house.at, "time runs backwards in the log"
    house.position, house.at = record.position, record.at
    house.versions[record.stream] += 1
    if record.stream.startswith("player-") and record.topic != "player-registered.1":
        house.members[_player(record)].facts += 1
    _APPLIERS[record.topic](house, record)
    assert sum(house.accounts.values()) == 0, "money was made or lost"
    for account, amount in house.accounts.items():
        assert amount >= 0 or not account.startswith("player:"), f"{account} is below zero"


def _player(record: LogRecord) -> int:
    return int(record.stream.removeprefix("player-"))


def _move(house: ReferenceModel, player: int, **legs: int) -> None:
    """Move money between a player's accounts; callers post the other leg."""
    member = house.members[player]
    member.available += legs.get("available", 0)
    member.staked += legs.get("staked", 0)
    member.bonus += legs.get("bonus", 0)
    for part, amount in legs.items():
        house.accounts[f"player:{player}:{part}"] += amount


def _registered(house: ReferenceModel, record: LogRecord) -> None:
    assert _player(record) not in house.members, "no player joins twice"
    house.members[_player(record)] = Member(record.fact["group"], facts=1)


def _deposited(house: ReferenceModel, record: LogRecord) -> None:
    amount = record.fact["amount_minor"]
    assert amount > 0
    house.members[_player(record)].due += amount
    house.accounts[f"world:{record.fact['channel']}"] -= amount
    _move(house, _player(record), available=amount)


def _requested(house: ReferenceModel, record: LogRecord) -> None:
    house.members[_player(record)].pending.add(record.fact["deposit"])


def _endorsed(house: ReferenceModel, record: LogRecord) -> None:
    assert record.fact["deposit"] in house.members[_player(record)].pending
    assert record.fact["by"] == "clerk"


def _approved_alone(house: ReferenceModel, record: LogRecord) -> None:
    house.alone.append((record.at, record.fact["amount_minor"]))


def _turnover_counted(house: ReferenceModel, record: LogRecord) -> None:
    """Turnover is counted once a round, before the player's first bet is settled."""
    player, round_ = _player(record), house.rounds[record.fact["game"], record.fact["issue"]]
    assert round_.phase == "drawn"
    assert player not in round_.counted, "turnover counted twice"
    assert (record.fact["stake_minor"], record.fact["effective_minor"]) == round_.turnover(player)
    round_.counted.add(player)
    member = house.members[player]
    member.due = max(0, member.due - record.fact["effective_minor"])
    member.turnover += record.fact["effective_minor"]


def _placed(house: ReferenceModel, record: LogRecord) -> None:
    fact, player = record.fact, _player(record)
    assert fact["bet"] not in house.bets, "a bet's id is its own"
    sale = house.rounds[fact["game"], fact["issue"]]
    assert house.newest[sale.game] is sale
    assert sale.phase == "open", "a bet after its round was closed"
    assert record.at < sale.closes_at == fact["closes_at"], "a bet after its round's close"
    stake, bonus = fact["stake_minor"], fact["bonus_minor"]
    receipt = rules.receipt(player, fact, record.at)
    bet = Bet(fact["bet"], player, sale.game, sale.issue, fact["kind"], stake, bonus, receipt)
    house.bets[bet.id] = sale.bets[bet.id] = bet
    house.unsigned.append(receipt)
    member = house.members[player]
    assert not member.is_outside(fact["plan"], record.at), "a bet from outside the hall"
    member.entered.add((fact["plan"], rules.calendar_day(record.at)))
    assert sale.worst_payout() <= rules.CAP_MINOR, "more could be lost than the cap allows"
    _move(house, player, available=bonus - stake, bonus=-bonus, staked=stake)


def _returned(house: ReferenceModel, record: LogRecord, status: str) -> None:
    fact = record.fact
    bet = house.bets[fact["bet"]]
    assert bet.status == "open", f"a bet {bet.status} before is {status}"
    assert (bet.player, bet.game, bet.issue) == (_player(record), fact["game"], fact["issue"])
    returned = (fact["stake_minor"], fact["bonus_minor"])
    assert returned == (bet.stake, bet.bonus), f"{returned} instead of {(bet.stake, bet.bonus)}"
    bet.status = status
    legs = {"available": bet.stake - bet.bonus, "bonus": bet.bonus, "staked": -bet.stake}
    _move(house, bet.player, **legs)


def _recalled(house: ReferenceModel, record: LogRecord) -> None:
    sale = house.rounds[record.fact["game"], record.fact["issue"]]
    assert sale.sells_at(record.at), "a recall after the close"
    _returned(house, record, "recalled")


def _voided(house: ReferenceModel, record: LogRecord) -> None:
    round_ = house.rounds[record.fact["game"], record.fact["issue"]]
    assert round_.phase == "closed", "only an undrawn closed round is voided"
    _returned(house, record, "voided")


def _settled(house: ReferenceModel, record: LogRecord) -> None:
    fact = record.fact
    bet, round_ = house.bets[fact["bet"]], house.rounds[fact["game"], fact["issue"]]
    assert bet.status == "open", f"a bet {bet.status} before is settled"
    assert (bet.player, bet.game, bet.issue) == (_player(record), round_.game, round_.issue)
    assert (round_.phase, round_.total) == ("drawn", fact["total"])
    assert (bet.stake, bet.bonus) == (fact["stake_minor"], fact["bonus_minor"])
    payout = bet.payout(round_.total)
    share = payout * bet.bonus // bet.stake
    paid = (fact["payout_minor"], fact["payout_bonus_minor"])
    assert paid == (payout, share), f"paid {paid} instead of {(payout, share)}"
    assert bet.player in round_.counted, "a bet is answered, and its turnover is not counted"
    bet.status = "settled"
    round_.paid += payout
    house.accounts["house:takings"] += bet.stake - payout
    _move(house, bet.player, staked=-bet.stake, available=payout - share, bonus=share)


def _round_opened(house: ReferenceModel, record: LogRecord) -> None:
    fact, day = record.fact, house.days[record.fact["game"]]
    place = rules.slot(fact["game"], rules.date_of(record.at), fact["index"])
    assert (fact["issue"], fact["opens_at"], fact["closes_at"], fact["draws_at"]) == place[1:]
    assert place.opens_at <= record.at < place.closes_at
    assert fact["index"] == day.last_index + 1, "rounds follow one another"
    assert (fact["day"], fact["odds_table"]) == (day.fact["day"], rules.ODDS_TABLE)
    opened = Round(
        fact["game"], fact["day"], fact["index"], place.issue, place.closes_at, place.draws_at
    )
    house.rounds[opened.game, opened.issue] = house.newest[opened.game] = opened
    day.last_index = opened.index


def _round_closed(house: ReferenceModel, record: LogRecord) -> None:
    fact, day = record.fact, house.days[record.fact["game"]]
    round_ = house.rounds[fact["game"], fact["issue"]]
    assert (round_.phase, round_.day, round_.index) == ("open", fact["day"], fact["index"])
    assert record.at >= round_.closes_at == fact["closes_at"]
    bets = round_.open_bets()
    stakes: Counter[str] = Counter()
    for bet in bets:
        stakes[bet.kind] += bet.stake
    assert (fact["count"], fact["stakes"]) == (len(bets), stakes)
    assert fact["stake_minor"] == stakes.total()
    assert fact["bets"] == rules.tree_head([bet.receipt for bet in bets]).hex()
    assert (fact["prev"], fact["frozen"]) == (day.prev, rules.frozen_hash(fact))
    round_.phase, round_.frozen = "closed", fact["frozen"]
    day.prev = fact["frozen"]


def _round_drawn(house: ReferenceModel, record: LogRecord) -> None:
    fact = record.fact
    round_ = house.rounds[fact["game"], fact["issue"]]
    assert (round_.phase, round_.frozen) == ("closed", fact["frozen"])
    assert record.at >= round_.draws_at
    assert (round_.day, round_.index) == (fact["day"], fact["index"])
    _reveal(house.segments[round_.game, round_.day], record, round_.index)
    mode = house.segments[round_.game, round_.day].fact["beacon"]
    assert fact.get("beacon", {}).get("number") == rules.beacon_round(mode, round_.closes_at)
    assert fact["digits"] == rules.draw_digits(fact)
    assert fact["total"] == sum(fact["digits"])
    round_.phase, round_.total = "drawn", fact["total"]


def _reveal(day: Day, record: LogRecord, index: int) -> None:
    """Check that both secrets lead down their chains to the links revealed last."""
    fact = record.fact
    below, operator, witness = day.revealed
    secrets = fact["operator_secret"], fact["witness_secret"]
    linked = [
        rules.link_down(role, fact["game"], day.fact["day"], secret, index, below)
        for role, secret in zip(("operator", "witness"), secrets, strict=True)
    ]
    assert linked == [operator, witness], "the links do not lead to those revealed before"
    day.revealed = (index, *secrets)


def _round_settled(house: ReferenceModel, record: LogRecord) -> None:
    fact = record.fact
    round_ = house.rounds[fact["game"], fact["issue"]]
    assert round_.phase == "drawn"
    assert not round_.open_bets(), "a bet of a settled round is unanswered"
    answered = round_.unrecalled()
    totals = (len(answered), sum(bet.stake for bet in answered), round_.paid)
    assert (fact["count"], fact["stake_minor"], fact["payout_minor"]) == totals
    round_.phase = "settled"


def _round_voided(house: ReferenceModel, record: LogRecord) -> None:
    fact = record.fact
    round_ = house.rounds[fact["game"], fact["issue"]]
    assert round_.phase == "closed"
    assert not round_.open_bets(), "a stake of a voided round was kept"
    returned = round_.unrecalled()
    assert (fact["count"], fact["stake_minor"]) == (
        len(returned),
        sum(bet.stake for bet in returned),
    )
    assert round_.index == fact["index"]
    _reveal(house.segments[round_.game, round_.day], record, round_.index)
    round_.phase = "voided"


def _rounds_carried(house: ReferenceModel, record: LogRecord) -> None:
    """Undrawn rounds stay unfinished while the next day opens."""
    fact = record.fact
    undrawn = [each.issue for each in house.unfinished(fact["game"]) if each.phase == "closed"]
    assert sorted(fact["issues"]) == sorted(undrawn), "not all undrawn rounds are carried"
    house.carried = set(undrawn)


def _day_opened(house: ReferenceModel, record: LogRecord) -> None:
    fact = record.fact
    unfinished = {each.issue for each in house.unfinished(fact["game"])}
    assert unfinished == house.carried, "a day begins while a round is unfinished"
    house.carried = set()
    assert fact["date"] == rules.date_of(record.at)
    assert fact["day"] == f"{fact['date']}/{fact['segment']}" if fact["segment"] else fact["date"]
    anchors = (0, fact["operator_commitment"], fact["witness_commitment"])
    opened = Day(fact, fact["first"] - 1, rules.day_hash(fact), anchors)
    house.days[fact["game"]] = house.segments[fact["game"], fact["day"]] = opened


def _rounds_skipped(house: ReferenceModel, record: LogRecord) -> None:
    fact, day = record.fact, house.days[record.fact["game"]]
    unfinished = [each for each in house.unfinished(fact["game"]) if each.day == fact["day"]]
    assert not unfinished, "links are revealed while a round is unfinished"
    assert fact["first"] == day.last_index + 1
    last = rules.slot(fact["game"], day.fact["date"], fact["last"])
    assert last.draws_at <= record.at, "a link is revealed before its round has passed"
    _reveal(day, record, fact["last"])
    day.last_index = fact["last"]


def _receipts_signed(house: ReferenceModel, record: LogRecord) -> None:
    assert record.fact["size"] == len(house.unsigned)
    assert record.fact["head"] == rules.tree_head(house.unsigned).hex()
    house.unsigned = []


_APPLIERS: dict[str, Callable[[ReferenceModel, LogRecord], None]] = {
    "player-registered.1": _registered,
    "deposit-approved.1": _deposited,
    "deposit-requested.1": _requested,
    "deposit-endorsed.1": _endorsed,
    "approved-alone.1": _approved_alone,
    "turnover-counted.1": _turnover_counted,
    "bet-placed.1": _placed,
    "bet-recalled.1": _recalled,
    "bet-settled.1": _settled,
    "bet-voided.1": _voided,
    "round-opened.1": _round_opened,
    "round-closed.1": _round_closed,
    "round-drawn.1": _round_drawn,
    "round-settled.1": _round_settled,
    "round-voided.1": _round_voided,
    "rounds-carried.1": _rounds_carried,
    "day-opened.1": _day_opened,
    "rounds-skipped.1": _rounds_skipped,
    "receipts-signed.1": _receipts_signed,
}
