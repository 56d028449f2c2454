"""Faults in the rules of money, bets and draws; the suites of the rules must detect each."""

from tests.instruments.mutation_tests.fault import Fault

_BETS = "engine/bets/decisions.py"
_DEPOSITS = "engine/cashier/deposits.py"
_BOOKINGS = "engine/house/bookings.py"
_CORRECTIONS = "engine/cashier/adjustments.py"
_GIFTS = "engine/cashier/bonuses.py"
_LIMITS = "engine/players/state.py"
_MONEY = "engine/cashier/payment_state.py"
_PROTECTION = "engine/players/decisions.py"
_LEDGER = "engine/ledger.py"
_LIFECYCLE = "engine/lifecycle.py"
_WITHDRAWALS = "engine/cashier/withdrawals.py"

RULE_FAULTS = (
    Fault(
        "payout-rounded-up",
        "engine/odds.py",
        "return stake_minor * odds_milli // 1000",
        "return -(-stake_minor * odds_milli // 1000)",
    ),
    Fault(
        "bonus-share-forgotten",
        _BETS,
        "return payout_minor * bonus_minor // stake_minor",
        "return 0 * payout_minor * bonus_minor // stake_minor",
    ),
    Fault(
        "stake-beyond-the-balance",
        _BETS,
        "if stake > player.available + player.bonus:",
        "if stake > player.available + player.bonus + MINOR_PER_UNIT:",
    ),
    Fault(
        "late-bet",
        "engine/rounds/state.py",
        "return self.phase == Phase.OPEN and now < self.opened.closes_at",
        "return self.phase == Phase.OPEN and now <= self.opened.closes_at",
    ),
    Fault(
        "guest-bets",
        _BETS,
        "if player.group != MEMBER:",
        "if player.group == 0:",
    ),
    Fault(
        "recall-of-another-round",
        _BETS,
        "if (bet.game, bet.issue) == (command.game, command.issue) and",
        "if bet.game == command.game and",
    ),
    Fault(
        "exposure-cap-doubled",
        "engine/rounds/state.py",
        "return all(gross[total] <= room for",
        "return all(gross[total] <= EXPOSURE_CAP_MINOR for",
    ),
    Fault(
        "recall-keeps-the-bonus",
        _LEDGER,
        '(fact.stake_minor - fact.bonus_minor, fact.bonus_minor, -fact.stake_minor, 0, "")',
        "(fact.stake_minor - fact.bonus_minor, 0, -fact.stake_minor, 0, TAKINGS)",
    ),
    Fault(
        "refusal-not-remembered",
        "engine/runtime/writer/batch_decider.py",
        "if pending.key is not None and not _is_never_stored(answer):",
        "if pending.key is not None and not isinstance(answer, Refused):",
    ),
    Fault(
        "key-reused-for-another-bet",
        "engine/runtime/log/idempotency.py",
        "if difference is not None:",
        "if len(stored) > 10 * len(requested):",
    ),
    Fault(
        "turnover-counted-for-every-bet",
        _BETS,
        "if player.bot or player.counted.get(bet.game) == bet.issue:",
        "if player.bot:",
    ),
    Fault(
        "both-sides-count-as-turnover",
        "engine/bets/turnover.py",
        "return stake, max(0, (stake * _LOWEST - _lowest(backed)) // _LOWEST)",
        "return stake, stake",
    ),
    Fault(
        "covering-nearly-all-sums-counts-as-turnover",
        "engine/bets/turnover.py",
        "<= len(DRAWS) - _LOWEST:",
        "< len(DRAWS):",
    ),
    Fault(
        "deposit-credited-twice",
        _MONEY,
        "    if step.closes:\n        return replace(payments, open=others)\n",
        "    if step.closes and kind != DEPOSIT:\n        return replace(payments, open=others)\n",
    ),
    Fault(
        "deposit-without-turnover",
        _MONEY,
        "payments = replace(payments, due_minor=payments.due_minor + fact.amount_minor)",
        "payments = replace(payments, due_minor=payments.due_minor)",
    ),
    Fault(
        "deposit-agreed-to-by-one",
        _DEPOSITS,
        "if pending.endorsed_by == by:",
        'if pending.endorsed_by == "nobody":',
    ),
    Fault(
        "gateway-amount-believed",
        _DEPOSITS,
        "if pending.amount_minor != command.amount_minor:",
        "if pending.amount_minor < 0:",
    ),
    Fault(
        "pending-deposits-forgotten",
        _LIMITS,
        "pending = player.payments.pending_deposits_minor",
        "pending = 0",
    ),
    Fault(
        "open-stakes-forgotten",
        _LIMITS,
        "[player.staked - amount for amount in net]",
        "[-amount for amount in net]",
    ),
    Fault(
        "withdrawal-stays-playable",
        _LEDGER,
        'WithdrawalRequested: lambda fact: (-fact.amount_minor, 0, 0, fact.amount_minor, "")',
        "WithdrawalRequested: lambda fact: (0, 0, 0, fact.amount_minor, TAKINGS)",
    ),
    Fault(
        "withdrawal-paid-twice",
        _LIFECYCLE,
        "WithdrawalPaid: Step(WITHDRAWAL, PAID,",
        "WithdrawalPaid: Step(WITHDRAWAL, APPROVED,",
    ),
    Fault(
        "rejected-withdrawal-kept",
        _LEDGER,
        'WithdrawalRejected: lambda fact: (fact.amount_minor, 0, 0, -fact.amount_minor, "")',
        "WithdrawalRejected: lambda fact: (0, 0, 0, -fact.amount_minor, TAKINGS)",
    ),
    Fault(
        "withdrawal-agreed-to-by-one",
        _WITHDRAWALS,
        "if withdrawal.endorsed_by == command.by:",
        'if withdrawal.endorsed_by == "nobody":',
    ),
    Fault(
        "paid-before-approved",
        _WITHDRAWALS,
        "if not withdrawal.approved:",
        "if not withdrawal.id:",
    ),
    Fault(
        "checks-in-another-order",
        _WITHDRAWALS,
        "        _may_withdraw(player, account)\n"
        "        or _amount_allowed(command.amount_minor, terms, everything=everything)\n",
        "        _amount_allowed(command.amount_minor, terms, everything=everything)\n"
        "        or _may_withdraw(player, account)\n",
    ),
    Fault(
        "no-cooling",
        _WITHDRAWALS,
        "if now < max(account.usable_at, player.profile.code_usable_at):",
        "if now < account.usable_at:",
    ),
    Fault(
        "excluded-money-trapped",
        _WITHDRAWALS,
        "    if unconditional:\n        return None\n",
        "",
    ),
    Fault(
        "bonus-released-early",
        _GIFTS,
        "return 0 if payments.bonus_due_minor or now < payments.bonus_from else player.bonus",
        "return 0 if now < payments.bonus_from else player.bonus",
    ),
    Fault(
        "overnight-bonus-again",
        _GIFTS,
        "already_granted = command.day <= player.payments.overnight",
        "already_granted = not command.day",
    ),
    Fault(
        "correction-by-one",
        _CORRECTIONS,
        "if proposal.requested_by == command.by:",
        "if not command.by:",
    ),
    Fault(
        "correction-below-zero",
        _CORRECTIONS,
        "if player.available + proposal.amount_minor < 0:",
        "if player.available + proposal.amount_minor < -(10**9):",
    ),
    Fault(
        "double-entry-keeps-its-turnover",
        _MONEY,
        "due_minor=max(0, payments.due_minor + fact.amount_minor)",
        "due_minor=payments.due_minor",
    ),
    Fault(
        "gift-by-one",
        _GIFTS,
        "if proposed.requested_by == command.by:",
        "if not command.by:",
    ),
    Fault(
        "booking-without-the-days-sum",
        _BOOKINGS,
        "context.terms.takes_two(abs(command.amount_minor), context.alone_minor)",
        "context.terms.takes_two(abs(command.amount_minor))",
    ),
    Fault(
        "higher-limit-at-once",
        _PROTECTION,
        "lowers = amount is not None and (before is None or amount <= before)",
        "lowers = True",
    ),
    Fault(
        "exclusion-shortened",
        _PROTECTION,
        "if (FOR_GOOD if until is None else until) < player.profile.excluded_until:",
        "if until == -1:",
    ),
    Fault(
        "payout-posted-to-the-house",
        _LEDGER,
        "(0, 0, 0, -fact.amount_minor, cash(fact.channel))",
        "(0, 0, 0, -fact.amount_minor, TAKINGS)",
    ),
    Fault(
        "biased-digits",
        "engine/fairness/draw.py",
        "for byte in source if byte <= _LAST_UNBIASED_BYTE",
        "for byte in source if byte >= 0",
    ),
    Fault(
        "voided-after-the-draw",
        "engine/rounds/decisions.py",
        "if round_.phase != Phase.CLOSED or round_.ruled is not None:\n"
        "        return Refused(Refusal.ROUND_NOT_DUE)\n    record",
        "if round_.phase == Phase.OPEN or round_.ruled is not None:\n"
        "        return Refused(Refusal.ROUND_NOT_DUE)\n    record",
    ),
    Fault(
        "late-answers-unsigned",
        "engine/rounds/decisions.py",
        "if not verify(key, domain, record, bytes.fromhex(signature)):",
        "if not signature:",
    ),
)
