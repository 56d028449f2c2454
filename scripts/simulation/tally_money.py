"""The tally's rules for money besides bets: decided once, by two where it must be two."""

from typing import Final

from scripts.simulation.rules import effective_minor
from scripts.simulation.tally import Case, Line, Rule, Tally, demand

_DAY_US: Final = 86_400_000_000
_CORRECTED: Final = {
    "returned_payout": "house:returned_payouts",
    "chargeback": "house:chargebacks",
    "goodwill": "house:adjustments",
}
Cases = dict[tuple[int, str], Case]


def _begin(tally: Tally, cases: Cases, line: Line, kind: str, how: str) -> Case:
    case = Case(line.player, line.fact[kind], line.fact["amount_minor"], how)
    demand((case.player, case.id) not in cases, f"a {kind} begins twice", line)
    demand((kind, case.player, case.id) not in tally.desk.ended, f"a {kind} begins again", line)
    cases[case.player, case.id] = case
    return case


def _open(cases: Cases, line: Line, kind: str) -> Case:
    found = cases.get((line.player, line.fact[kind]))
    demand(found is not None, f"a {kind} goes on that is not open", line)
    assert found is not None
    return found


def _end(tally: Tally, cases: Cases, line: Line, kind: str) -> Case:
    case = _open(cases, line, kind)
    demand(case.amount == line.fact.get("amount_minor", case.amount), f"a {kind} changed", line)
    del cases[case.player, case.id]
    _ended(tally, line, kind)
    return case


def _ended(tally: Tally, line: Line, kind: str) -> None:
    mine = (kind, line.player, line.fact[kind])
    demand(mine not in tally.desk.ended, f"a {kind} is decided twice", line)
    tally.desk.ended.add(mine)


def _is_large(tally: Tally, case: Case) -> bool:
    return case.amount > tally.desk.four_eyes


def _late(tally: Tally, line: Line) -> None:
    """Money of an order that was given up comes in once, as much as was ordered."""
    order, is_late = (
        line.fact["deposit"].removesuffix("-late"),
        line.fact["deposit"][-5:] == "-late",
    )
    known = (line.player, line.fact["deposit"]) in tally.desk.deposits
    if is_late and not known:
        amount = tally.desk.dropped.pop((line.player, order), None)
        demand(amount == line.fact["amount_minor"], "money of an order that nobody gave up", line)


def _approved_alone(tally: Tally, line: Line) -> None:
    """A person's sum of a day, and a member's, stay within what takes two people."""
    fact, desk = line.fact, tally.desk
    desk.alone = [each for each in desk.alone if line.at - each[0] < _DAY_US]
    desk.alone.append((line.at, fact["by"], fact["player"], fact["amount_minor"]))
    persons = sum(each[3] for each in desk.alone if each[1] == fact["by"])
    members = sum(each[3] for each in desk.alone if each[2] == fact["player"])
    demand(max(persons, members) <= desk.four_eyes, "one alone approved too much in a day", line)
    desk.singly.add((fact["kind"], fact["player"], fact["id"]))


def _is_counted(tally: Tally, line: Line, kind: str) -> bool:
    """Whether an approval without a second person counts toward the sums of its day."""
    return (kind, line.player, line.fact[kind]) in tally.desk.singly


def _deposit_requested(tally: Tally, line: Line) -> None:
    _late(tally, line)
    _begin(tally, tally.desk.deposits, line, "deposit", line.fact["channel"])


def _deposit_endorsed(tally: Tally, line: Line) -> None:
    case = _open(tally.desk.deposits, line, "deposit")
    demand(not case.endorsed_by, "a deposit is endorsed twice", line)
    case.endorsed_by = line.fact["by"]


def _repeat_endorsed(tally: Tally, line: Line) -> None:
    case = _open(tally.desk.deposits, line, "deposit")
    demand(not case.repeats, "a repeated reference is endorsed twice", line)
    case.endorsed_by, case.repeats = line.fact["by"], True


def _reference_credited(tally: Tally, line: Line) -> None:
    """A second time only if two people said that it is another payment."""
    fact, desk = line.fact, tally.desk
    if desk.credited[fact["reference"]]:
        case = desk.deposits.get((fact["player"], fact["deposit"]))
        booking = desk.bookings.get(fact["deposit"])
        said = case is not None and case.repeats and case.endorsed_by != fact["by"]
        said = said or (booking is not None and booking.repeats and booking.by != fact["by"])
        demand(said, "a reference was credited twice", line)
    desk.credited[fact["reference"]] += 1


def _deposit_approved(tally: Tally, line: Line) -> None:
    fact, amount = line.fact, line.fact["amount_minor"]
    demand(amount > 0, "a deposit of nothing", line)
    desk, key = tally.desk, (line.player, line.fact["deposit"])
    _late(tally, line)
    if key in desk.deposits:
        case = _end(tally, desk.deposits, line, "deposit")
        two = case.endorsed_by or not _is_large(tally, case)
        demand(two, "one person alone approved a large deposit", line)
        by_gateway = line.actor.startswith("player-")
        seconded = case.endorsed_by not in {"", line.actor}
        counted = seconded or by_gateway or _is_counted(tally, line, "deposit")
        demand(counted, "a deposit that one approved is not counted", line)
    else:
        _ended(tally, line, "deposit")
        is_play = fact["channel"] == "demo"
        demand(is_play or amount <= desk.four_eyes, "one alone entered a large deposit", line)
        late = fact["deposit"].endswith("-late")
        counted = is_play or late or _is_counted(tally, line, "deposit")
        demand(counted, "a deposit that one entered is not counted", line)
    excluded = line.at < max(desk.out.get(line.player, (0,)))
    demand(not excluded, "a deposit of somebody who is excluded", line)
    desk.due[line.player] += amount
    tally.move(line, {f"world:{fact['channel']}": -amount, "available": amount})


def _deposit_rejected(tally: Tally, line: Line) -> None:
    _late(tally, line)
    given_up = line.fact["cause"] in {"refused", "replaced"}
    if (line.player, line.fact["deposit"]) in tally.desk.deposits:
        case = _end(tally, tally.desk.deposits, line, "deposit")
        if given_up and case.how == "online" and case.endorsed_by != "gateway":
            tally.desk.dropped[line.player, line.fact["deposit"]] = case.amount
    else:
        demand(not given_up, "an unknown deposit is refused", line)
        _ended(tally, line, "deposit")


def _withdrawal_requested(tally: Tally, line: Line) -> None:
    how = "usdt" if line.fact["method"] == 1 else "bank"
    case = _begin(tally, tally.desk.withdrawals, line, "withdrawal", how)
    demand(case.amount > 0, "a withdrawal of nothing", line)
    demand(line.player in tally.desk.codes, "a withdrawal without a security code", line)
    _, excluded = tally.desk.out.get(line.player, (0, 0))
    ended = "product" in tally.desk.switches
    may_leave = ended or line.player in tally.desk.closed or line.at < excluded
    demand(may_leave or not tally.desk.due[line.player], "turnover is due", line)
    tally.move(line, {"available": -case.amount, "withdrawing": case.amount})


def _withdrawal_endorsed(tally: Tally, line: Line) -> None:
    case = _open(tally.desk.withdrawals, line, "withdrawal")
    demand(not case.endorsed_by and not case.approved, "a withdrawal is endorsed twice", line)
    case.endorsed_by = line.fact["by"]


def _withdrawal_approved(tally: Tally, line: Line) -> None:
    case = _open(tally.desk.withdrawals, line, "withdrawal")
    demand(not case.approved, "a withdrawal is approved twice", line)
    two = case.endorsed_by and case.endorsed_by != line.fact["by"]
    demand(two or not _is_large(tally, case), "one alone approved a large withdrawal", line)
    counted = two or _is_counted(tally, line, "withdrawal")
    demand(counted, "a withdrawal that one approved is not counted", line)
    case.approved, case.by = True, line.fact["by"]


def _withdrawal_paid(tally: Tally, line: Line) -> None:
    case = _end(tally, tally.desk.withdrawals, line, "withdrawal")
    demand(case.approved, "a withdrawal is paid that nobody approved", line)
    demand(line.actor != case.by, "the person who approved a withdrawal paid it", line)
    demand(line.fact["channel"] == case.how, "a withdrawal is paid elsewhere", line)
    tally.move(line, {"withdrawing": -case.amount, f"world:{case.how}": case.amount})


def _withdrawal_rejected(tally: Tally, line: Line) -> None:
    case = _end(tally, tally.desk.withdrawals, line, "withdrawal")
    tally.move(line, {"withdrawing": -case.amount, "available": case.amount})


def _turnover_counted(tally: Tally, line: Line) -> None:
    fact, player = line.fact, line.player
    at_hand = tally.rounds[fact["game"], fact["issue"]]
    demand(at_hand.phase == "drawn", "turnover of a round without a draw", line)
    demand(player not in at_hand.counted, "turnover is counted twice", line)
    demand(player not in tally.bots, "a bot's turnover is counted", line)
    mine = [(bet.kind, bet.stake) for bet in at_hand.bets[player]]
    figures = (fact["stake_minor"], fact["effective_minor"])
    due = (sum(stake for _, stake in mine), effective_minor(mine))
    demand(figures == due, "other turnover than the bets'", line, due)
    at_hand.counted.add(player)
    tally.desk.due[player] = max(0, tally.desk.due[player] - figures[1])


def _gift_proposed(tally: Tally, line: Line) -> None:
    case = _begin(tally, tally.desk.gifts, line, "gift", "staff")
    case.by = line.fact["by"]


def _gift_rejected(tally: Tally, line: Line) -> None:
    _end(tally, tally.desk.gifts, line, "gift")


def _gift_granted(tally: Tally, line: Line) -> None:
    amount = line.fact["amount_minor"]
    demand(amount > 0, "a gift of nothing", line)
    if (line.player, line.fact["gift"]) in tally.desk.gifts:
        case = _end(tally, tally.desk.gifts, line, "gift")
        demand(case.by != line.actor, "one alone gave what takes two people", line)
    else:
        _ended(tally, line, "gift")
        counted = line.fact["cause"] != "staff" or _is_counted(tally, line, "gift")
        demand(counted, "a gift that one gave is not counted", line)
    tally.move(line, {"house:promotions": -amount, "bonus": amount})


def _bonus_released(tally: Tally, line: Line) -> None:
    amount = line.fact["amount_minor"]
    demand(amount > 0, "nothing is released", line)
    tally.move(line, {"bonus": -amount, "available": amount})


def _adjustment_proposed(tally: Tally, line: Line) -> None:
    case = _begin(tally, tally.desk.adjustments, line, "adjustment", "")
    case.by = line.fact["by"]


def _adjustment_approved(tally: Tally, line: Line) -> None:
    case = _end(tally, tally.desk.adjustments, line, "adjustment")
    demand(case.by != line.fact["by"], "one alone corrected a balance", line)
    tally.move(line, {"house:takings": -case.amount, "available": case.amount})


def _correction_proposed(tally: Tally, line: Line) -> None:
    case = _begin(tally, tally.desk.adjustments, line, "adjustment", line.fact["kind"])
    case.by = line.fact["by"]


def _correction_approved(tally: Tally, line: Line) -> None:
    """Booked against the account of its kind, never against the takings."""
    case = _end(tally, tally.desk.adjustments, line, "adjustment")
    demand(case.by != line.fact["by"], "one alone corrected a balance", line)
    demand(case.how == line.fact["kind"], "a correction changed its kind", line)
    contra = _CORRECTED.get(case.how, f"world:{line.fact['channel']}")
    if case.how not in _CORRECTED:
        due = tally.desk.due[line.player] + case.amount
        tally.desk.due[line.player] = max(0, due)
    tally.move(line, {contra: -case.amount, "available": case.amount})


def _adjustment_rejected(tally: Tally, line: Line) -> None:
    _end(tally, tally.desk.adjustments, line, "adjustment")


RULES: Final[dict[str, Rule]] = {
    "approved-alone.1": _approved_alone,
    "deposit-requested.1": _deposit_requested,
    "deposit-endorsed.1": _deposit_endorsed,
    "repeat-endorsed.1": _repeat_endorsed,
    "reference-credited.1": _reference_credited,
    "deposit-approved.1": _deposit_approved,
    "deposit-rejected.1": _deposit_rejected,
    "withdrawal-requested.1": _withdrawal_requested,
    "withdrawal-endorsed.1": _withdrawal_endorsed,
    "withdrawal-approved.1": _withdrawal_approved,
    "withdrawal-paid.1": _withdrawal_paid,
    "withdrawal-rejected.1": _withdrawal_rejected,
    "turnover-counted.1": _turnover_counted,
    "gift-proposed.1": _gift_proposed,
    "gift-rejected.1": _gift_rejected,
    "gift-granted.1": _gift_granted,
    "bonus-released.1": _bonus_released,
    "adjustment-proposed.1": _adjustment_proposed,
    "adjustment-approved.1": _adjustment_approved,
    "correction-proposed.1": _correction_proposed,
    "correction-approved.1": _correction_approved,
    "adjustment-rejected.1": _adjustment_rejected,
}
