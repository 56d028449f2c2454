"""The oracle's rules for other money: decided once, and by two people where needed."""

from typing import Final

from tests.instruments.simulator.oracle import LogRecord, OpenApproval, Oracle, Rule, check
from tests.instruments.simulator.rules import effective_minor

_DAY_US: Final = 86_400_000_000
_CORRECTED: Final = {
    "returned_payout": "house:returned_payouts",
    "chargeback": "house:chargebacks",
    "goodwill": "house:adjustments",
}
Approvals = dict[tuple[int, str], OpenApproval]


def _begin(
    oracle: Oracle, approvals: Approvals, record: LogRecord, kind: str, how: str
) -> OpenApproval:
    approval = OpenApproval(record.player, record.fact[kind], record.fact["amount_minor"], how)
    check((approval.player, approval.id) not in approvals, f"a {kind} begins twice", record)
    check(
        (kind, approval.player, approval.id) not in oracle.settings.decided,
        f"a {kind} begins again",
        record,
    )
    approvals[approval.player, approval.id] = approval
    return approval


def _open(approvals: Approvals, record: LogRecord, kind: str) -> OpenApproval:
    found = approvals.get((record.player, record.fact[kind]))
    check(found is not None, f"a {kind} continues that is not open", record)
    assert found is not None
    return found


def _end(oracle: Oracle, approvals: Approvals, record: LogRecord, kind: str) -> OpenApproval:
    approval = _open(approvals, record, kind)
    check(
        approval.amount == record.fact.get("amount_minor", approval.amount),
        f"a {kind} changed",
        record,
    )
    del approvals[approval.player, approval.id]
    _ended(oracle, record, kind)
    return approval


def _ended(oracle: Oracle, record: LogRecord, kind: str) -> None:
    key = (kind, record.player, record.fact[kind])
    check(key not in oracle.settings.decided, f"a {kind} is decided twice", record)
    oracle.settings.decided.add(key)


def _is_large(oracle: Oracle, approval: OpenApproval) -> bool:
    return approval.amount > oracle.settings.four_eyes


def _check_late_order(oracle: Oracle, record: LogRecord) -> None:
    """Money of an abandoned order is credited once, with the ordered amount."""
    order, is_late = (
        record.fact["deposit"].removesuffix("-late"),
        record.fact["deposit"][-5:] == "-late",
    )
    is_open = (record.player, record.fact["deposit"]) in oracle.settings.deposits
    if is_late and not is_open:
        amount = oracle.settings.abandoned_orders.pop((record.player, order), None)
        check(
            amount == record.fact["amount_minor"], "money of an order that was not given up", record
        )


def _approved_alone(oracle: Oracle, record: LogRecord) -> None:
    """A person's and a player's daily sums stay below the four-eyes limit."""
    fact, settings = record.fact, oracle.settings
    settings.single_approvals = [
        each for each in settings.single_approvals if record.at - each[0] < _DAY_US
    ]
    settings.single_approvals.append((record.at, fact["by"], fact["player"], fact["amount_minor"]))
    persons = sum(each[3] for each in settings.single_approvals if each[1] == fact["by"])
    members = sum(each[3] for each in settings.single_approvals if each[2] == fact["player"])
    check(
        max(persons, members) <= settings.four_eyes, "one alone approved too much in a day", record
    )
    settings.single_approval_ids.add((fact["kind"], fact["player"], fact["id"]))


def _is_counted(oracle: Oracle, record: LogRecord, kind: str) -> bool:
    """Whether an approval by one person counts toward the sums of its day."""
    return (kind, record.player, record.fact[kind]) in oracle.settings.single_approval_ids


def _deposit_requested(oracle: Oracle, record: LogRecord) -> None:
    _check_late_order(oracle, record)
    _begin(oracle, oracle.settings.deposits, record, "deposit", record.fact["channel"])


def _deposit_endorsed(oracle: Oracle, record: LogRecord) -> None:
    approval = _open(oracle.settings.deposits, record, "deposit")
    check(not approval.endorsed_by, "a deposit is endorsed twice", record)
    approval.endorsed_by = record.fact["by"]


def _repeat_endorsed(oracle: Oracle, record: LogRecord) -> None:
    approval = _open(oracle.settings.deposits, record, "deposit")
    check(not approval.repeats, "a repeated reference is endorsed twice", record)
    approval.endorsed_by, approval.repeats = record.fact["by"], True


def _reference_credited(oracle: Oracle, record: LogRecord) -> None:
    """A second credit needs two people who confirmed that it is another payment."""
    fact, settings = record.fact, oracle.settings
    if settings.credited[fact["reference"]]:
        approval = settings.deposits.get((fact["player"], fact["deposit"]))
        booking = settings.bookings.get(fact["deposit"])
        is_confirmed = (
            approval is not None and approval.repeats and approval.endorsed_by != fact["by"]
        )
        is_confirmed = is_confirmed or (
            booking is not None and booking.repeats and booking.by != fact["by"]
        )
        check(is_confirmed, "a reference was credited twice", record)
    settings.credited[fact["reference"]] += 1


def _deposit_approved(oracle: Oracle, record: LogRecord) -> None:
    fact, amount = record.fact, record.fact["amount_minor"]
    check(amount > 0, "a deposit of nothing", record)
    settings, key = oracle.settings, (record.player, record.fact["deposit"])
    _check_late_order(oracle, record)
    if key in settings.deposits:
        approval = _end(oracle, settings.deposits, record, "deposit")
        two = approval.endorsed_by or not _is_large(oracle, approval)
        check(two, "one person alone approved a large deposit", record)
        by_gateway = record.actor.startswith("player-")
        seconded = approval.endorsed_by not in {"", record.actor}
        counted = seconded or by_gateway or _is_counted(oracle, record, "deposit")
        check(counted, "a deposit that one approved is not counted", record)
    else:
        _ended(oracle, record, "deposit")
        is_play = fact["channel"] == "demo"
        check(is_play or amount <= settings.four_eyes, "one alone entered a large deposit", record)
        late = fact["deposit"].endswith("-late")
        counted = is_play or late or _is_counted(oracle, record, "deposit")
        check(counted, "a deposit that one entered is not counted", record)
    excluded = record.at < max(settings.blocked_until.get(record.player, (0,)))
    check(not excluded, "a deposit of an excluded player", record)
    settings.turnover_due[record.player] += amount
    oracle.move(record, {f"world:{fact['channel']}": -amount, "available": amount})


def _deposit_rejected(oracle: Oracle, record: LogRecord) -> None:
    _check_late_order(oracle, record)
    given_up = record.fact["cause"] in {"refused", "replaced"}
    if (record.player, record.fact["deposit"]) in oracle.settings.deposits:
        approval = _end(oracle, oracle.settings.deposits, record, "deposit")
        if given_up and approval.how == "online" and approval.endorsed_by != "gateway":
            oracle.settings.abandoned_orders[record.player, record.fact["deposit"]] = (
                approval.amount
            )
    else:
        check(not given_up, "an unknown deposit is refused", record)
        _ended(oracle, record, "deposit")


def _withdrawal_requested(oracle: Oracle, record: LogRecord) -> None:
    how = "usdt" if record.fact["method"] == 1 else "bank"
    approval = _begin(oracle, oracle.settings.withdrawals, record, "withdrawal", how)
    check(approval.amount > 0, "a withdrawal of nothing", record)
    check(record.player in oracle.settings.codes, "a withdrawal without a security code", record)
    _, excluded = oracle.settings.blocked_until.get(record.player, (0, 0))
    ended = "product" in oracle.settings.switches
    may_leave = ended or record.player in oracle.settings.closed or record.at < excluded
    check(may_leave or not oracle.settings.turnover_due[record.player], "turnover is due", record)
    oracle.move(record, {"available": -approval.amount, "withdrawing": approval.amount})


def _withdrawal_endorsed(oracle: Oracle, record: LogRecord) -> None:
    approval = _open(oracle.settings.withdrawals, record, "withdrawal")
    check(
        not approval.endorsed_by and not approval.approved, "a withdrawal is endorsed twice", record
    )
    approval.endorsed_by = record.fact["by"]


def _withdrawal_approved(oracle: Oracle, record: LogRecord) -> None:
    approval = _open(oracle.settings.withdrawals, record, "withdrawal")
    check(not approval.approved, "a withdrawal is approved twice", record)
    two = approval.endorsed_by and approval.endorsed_by != record.fact["by"]
    check(two or not _is_large(oracle, approval), "one alone approved a large withdrawal", record)
    counted = two or _is_counted(oracle, record, "withdrawal")
    check(counted, "a withdrawal that one approved is not counted", record)
    approval.approved, approval.by = True, record.fact["by"]


def _withdrawal_paid(oracle: Oracle, record: LogRecord) -> None:
    approval = _end(oracle, oracle.settings.withdrawals, record, "withdrawal")
    check(approval.approved, "a withdrawal is paid without approval", record)
    check(record.actor != approval.by, "the person who approved a withdrawal paid it", record)
    check(record.fact["channel"] == approval.how, "a withdrawal is paid elsewhere", record)
    oracle.move(record, {"withdrawing": -approval.amount, f"world:{approval.how}": approval.amount})


def _withdrawal_rejected(oracle: Oracle, record: LogRecord) -> None:
    approval = _end(oracle, oracle.settings.withdrawals, record, "withdrawal")
    oracle.move(record, {"withdrawing": -approval.amount, "available": approval.amount})


def _turnover_counted(oracle: Oracle, record: LogRecord) -> None:
    fact, player = record.fact, record.player
    round_ = oracle.rounds[fact["game"], fact["issue"]]
    check(round_.phase == "drawn", "turnover of a round without a draw", record)
    check(player not in round_.counted, "turnover is counted twice", record)
    check(player not in oracle.bots, "a bot's turnover is counted", record)
    player_bets = [(bet.kind, bet.stake) for bet in round_.bets[player]]
    recorded = (fact["stake_minor"], fact["effective_minor"])
    due = (sum(stake for _, stake in player_bets), effective_minor(player_bets))
    check(recorded == due, "other turnover than the bets'", record, due)
    round_.counted.add(player)
    oracle.settings.turnover_due[player] = max(
        0, oracle.settings.turnover_due[player] - recorded[1]
    )


def _gift_proposed(oracle: Oracle, record: LogRecord) -> None:
    approval = _begin(oracle, oracle.settings.gifts, record, "gift", "staff")
    approval.by = record.fact["by"]


def _gift_rejected(oracle: Oracle, record: LogRecord) -> None:
    _end(oracle, oracle.settings.gifts, record, "gift")


def _gift_granted(oracle: Oracle, record: LogRecord) -> None:
    amount = record.fact["amount_minor"]
    check(amount > 0, "a gift of nothing", record)
    if (record.player, record.fact["gift"]) in oracle.settings.gifts:
        approval = _end(oracle, oracle.settings.gifts, record, "gift")
        check(approval.by != record.actor, "one alone gave what takes two people", record)
    else:
        _ended(oracle, record, "gift")
        counted = record.fact["cause"] != "staff" or _is_counted(oracle, record, "gift")
        check(counted, "a gift that one gave is not counted", record)
    oracle.move(record, {"house:promotions": -amount, "bonus": amount})


def _bonus_released(oracle: Oracle, record: LogRecord) -> None:
    amount = record.fact["amount_minor"]
    check(amount > 0, "nothing is released", record)
    oracle.move(record, {"bonus": -amount, "available": amount})


def _adjustment_proposed(oracle: Oracle, record: LogRecord) -> None:
    approval = _begin(oracle, oracle.settings.adjustments, record, "adjustment", "")
    approval.by = record.fact["by"]


def _adjustment_approved(oracle: Oracle, record: LogRecord) -> None:
    approval = _end(oracle, oracle.settings.adjustments, record, "adjustment")
    check(approval.by != record.fact["by"], "one alone corrected a balance", record)
    oracle.move(record, {"house:takings": -approval.amount, "available": approval.amount})


def _correction_proposed(oracle: Oracle, record: LogRecord) -> None:
    approval = _begin(
        oracle, oracle.settings.adjustments, record, "adjustment", record.fact["kind"]
    )
    approval.by = record.fact["by"]


def _correction_approved(oracle: Oracle, record: LogRecord) -> None:
    """Booked against the account of its kind, never against the revenue from bets."""
    approval = _end(oracle, oracle.settings.adjustments, record, "adjustment")
    check(approval.by != record.fact["by"], "one alone corrected a balance", record)
    check(approval.how == record.fact["kind"], "a correction changed its kind", record)
    contra = _CORRECTED.get(approval.how, f"world:{record.fact['channel']}")
    if approval.how not in _CORRECTED:
        due = oracle.settings.turnover_due[record.player] + approval.amount
        oracle.settings.turnover_due[record.player] = max(0, due)
    oracle.move(record, {contra: -approval.amount, "available": approval.amount})


def _adjustment_rejected(oracle: Oracle, record: LogRecord) -> None:
    _end(oracle, oracle.settings.adjustments, record, "adjustment")


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
