"""Deposits: announced by the member, decided by staff or the gateway. Pure.

Once the product is discontinued, members cannot announce deposits. Money that arrives anyway is
credited, to be withdrawn. A deposit is usable only after approval. Above the terms' threshold two
must agree, one of them staff, the other staff or the gateway; `alone_minor`
(`SoloApprovals.alone_minor`) counts toward it too. Money that a limit or an exclusion forbids is
sent back.

A payment is credited once. `used` says that its reference was credited before: the deposit is then
refused, unless two people confirm that it is another payment.

A newer online order replaces the pending one, unless a first approver has agreed to that one. Money
that arrives for an order which was replaced, or which staff rejected, becomes a separate deposit.
"""

from msgspec.structs import replace

from engine.answers import Refused
from engine.cashier.commands import (
    CHANNELS,
    GATEWAY,
    NOTICE_CHANNELS,
    ONLINE,
    PLAY_MONEY,
    AgreeDeposit,
    ApproveDeposit,
    ConfirmDeposit,
    DecideDeposit,
    EnterDeposit,
    RequestDeposit,
)
from engine.cashier.facts import (
    DepositApproved,
    DepositEndorsed,
    DepositRejected,
    DepositRequested,
    RepeatEndorsed,
)
from engine.cashier.payment_state import Payment, late_deposit_id
from engine.lifecycle import DEPOSIT, REFUSED, REPLACED
from engine.players.commands import MEMBER
from engine.players.state import Player, deposit_headroom
from engine.refusals import Refusal
from engine.terms import Terms

MAX_PENDING = 10
DepositFact = (
    DepositRequested | DepositEndorsed | RepeatEndorsed | DepositApproved | DepositRejected
)
Decided = list[DepositFact] | Refused


def request(
    command: RequestDeposit,
    player: Player,
    terms: Terms,
    now: int,
    day: str,
    *,
    discontinued: bool,
) -> Decided:
    """Announce money on its way; the same id twice yields no facts.

    An online order replaces an older one, unless a first approver has agreed to the older one.
    """
    refused = _may_deposit(player) or _is_blocked(player, now)
    if refused:
        return refused
    if discontinued:
        return Refused(Refusal.PRODUCT_DISCONTINUED)
    if not 0 < command.amount_minor <= terms.largest_deposit_minor:
        return Refused(Refusal.AMOUNT_INVALID, "amount")
    if command.channel not in NOTICE_CHANNELS:
        return Refused(Refusal.CHANNEL_UNKNOWN, "channel")
    if player.payments.find(DEPOSIT, command.deposit):
        return []
    replaced = _replaced_by(command, player)
    if len(player.payments.of(DEPOSIT)) - len(replaced) >= MAX_PENDING:
        return Refused(Refusal.DEPOSITS_PENDING)
    headroom = deposit_headroom(player, now, day)
    freed = sum(each.amount_minor for each in replaced)
    if headroom is not None and command.amount_minor > headroom + freed:
        return Refused(Refusal.DEPOSIT_LIMIT_REACHED, "amount")
    return [*(_rejected(each, REPLACED) for each in replaced), _requested(command)]


def _replaced_by(command: RequestDeposit, player: Player) -> list[Payment]:
    if command.channel != ONLINE:
        return []
    pending = player.payments.of(DEPOSIT)
    return [each for each in pending if each.channel == ONLINE and not each.endorsed_by]


def enter(
    command: ApproveDeposit | EnterDeposit,
    player: Player,
    terms: Terms,
    now: int,
    day: str,
    *,
    alone_minor: int = 0,
    used: bool = False,
) -> Decided:
    """Staff saw money arrive that the member had not announced; or it is play money of a demo."""
    refused = _may_deposit(player)
    if refused:
        return refused
    if not 0 < command.amount_minor <= terms.largest_deposit_minor:
        return Refused(Refusal.AMOUNT_INVALID, "amount")
    if command.channel not in CHANNELS:
        return Refused(Refusal.CHANNEL_UNKNOWN, "channel")
    if player.payments.find(DEPOSIT, command.deposit):
        return []
    if used:
        if not (isinstance(command, EnterDeposit) and command.again):
            return Refused(Refusal.REFERENCE_USED, "reference")
        return [_requested(command), RepeatEndorsed(command.deposit, command.by)]
    needs_two_approvals = terms.takes_two(command.amount_minor, alone_minor)
    if needs_two_approvals and command.channel != PLAY_MONEY:
        return [_requested(command), DepositEndorsed(command.deposit, command.by)]
    pending = Payment(
        DEPOSIT,
        command.deposit,
        channel=command.channel,
        amount_minor=command.amount_minor,
        reference_commitment=command.reference_commitment,
    )
    return [_credited(pending, player, now, deposit_headroom(player, now, day))]


def decide(
    command: DecideDeposit | AgreeDeposit,
    player: Player,
    terms: Terms,
    now: int,
    day: str,
    *,
    alone_minor: int = 0,
    used: bool = False,
) -> Decided:
    """Staff confirm that a pending deposit has arrived, or reject it."""
    pending = player.payments.find(DEPOSIT, command.deposit)
    if pending is None:
        return Refused(Refusal.DEPOSIT_UNKNOWN, "deposit")
    if isinstance(command, DecideDeposit) and not command.approve:
        return [_rejected(pending, REFUSED, command.reason_commitment)]
    if used:
        again = isinstance(command, AgreeDeposit) and command.again
        if not again:
            return Refused(Refusal.REFERENCE_USED, "reference")
        if not pending.repeat_endorsed_by:
            # It counts as the first of the two agreements too (engine/lifecycle.py).
            return [RepeatEndorsed(pending.id, command.by)]
    needs_two_approvals = used or terms.takes_two(pending.amount_minor, alone_minor)
    return _agreed(pending, command.by, player, now, day, needs_two_approvals=needs_two_approvals)


def confirm(command: ConfirmDeposit, player: Player, terms: Terms, now: int, day: str) -> Decided:
    """The gateway received exactly the amount of our order; any other amount is refused."""
    pending = player.payments.find(DEPOSIT, command.deposit)
    unpaid = player.payments.unpaid_order(command.deposit)
    if pending is None and unpaid is not None:
        return _credit_late_payment(command, unpaid, player, terms, now, day)
    if pending is None or pending.channel != ONLINE:
        return Refused(Refusal.DEPOSIT_UNKNOWN, "deposit")
    if pending.amount_minor != command.amount_minor:
        return Refused(Refusal.AMOUNT_MISMATCH, "amount")
    if pending.endorsed_by == GATEWAY:
        return []
    needs_two_approvals = terms.takes_two(pending.amount_minor)
    return _agreed(pending, GATEWAY, player, now, day, needs_two_approvals=needs_two_approvals)


def _credit_late_payment(
    command: ConfirmDeposit,
    unpaid: Payment,
    player: Player,
    terms: Terms,
    now: int,
    day: str,
) -> Decided:
    """Credit money that arrived for an order that is no longer pending."""
    if unpaid.amount_minor != command.amount_minor:
        return Refused(Refusal.AMOUNT_MISMATCH, "amount")
    late = replace(unpaid, id=late_deposit_id(unpaid.id), endorsed_by="")
    if terms.takes_two(late.amount_minor):
        commitment = late.reference_commitment
        requested = DepositRequested(late.id, late.channel, late.amount_minor, commitment)
        return [requested, DepositEndorsed(late.id, GATEWAY)]
    return [_credited(late, player, now, deposit_headroom(player, now, day))]


def _may_deposit(player: Player) -> Refused | None:
    if not player.registered:
        return Refused(Refusal.PLAYER_UNKNOWN, "player")
    return None if player.group == MEMBER else Refused(Refusal.MUST_REGISTER)


def _is_blocked(player: Player, now: int) -> Refused | None:
    if player.profile.is_blocked(now):
        return Refused(Refusal.EXCLUDED)
    return Refused(Refusal.ACCOUNT_CLOSED) if player.profile.closed else None


def _agreed(
    pending: Payment,
    by: str,
    player: Player,
    now: int,
    day: str,
    *,
    needs_two_approvals: bool,
) -> Decided:
    if needs_two_approvals:
        if not pending.endorsed_by:
            return [DepositEndorsed(pending.id, by)]
        if pending.endorsed_by == by:
            return Refused(Refusal.SECOND_PERSON_NEEDED)
    headroom = deposit_headroom(player, now, day)
    # The headroom already counts this deposit as pending.
    return [
        _credited(
            pending, player, now, None if headroom is None else headroom + pending.amount_minor
        )
    ]


def _credited(
    pending: Payment, player: Player, now: int, headroom: int | None
) -> DepositApproved | DepositRejected:
    if player.profile.is_blocked(now):
        return _rejected(pending, "excluded")
    if headroom is not None and pending.amount_minor > headroom:
        return _rejected(pending, "limit")
    return DepositApproved(
        pending.id, pending.channel, pending.amount_minor, pending.reference_commitment
    )


def _rejected(pending: Payment, cause: str, reason: str = "") -> DepositRejected:
    return DepositRejected(pending.id, pending.channel, pending.amount_minor, cause, reason)


def _requested(command: RequestDeposit | ApproveDeposit | EnterDeposit) -> DepositRequested:
    return DepositRequested(
        command.deposit, command.channel, command.amount_minor, command.reference_commitment
    )
