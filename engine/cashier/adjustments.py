"""Corrections of a member's balance: one person proposes, another agrees. Pure.

Each kind names its contra account (engine/chart_of_accounts.py). Correcting a double entry reverses
the deposit: both the bank's account and the turnover that was due on it.
"""

from engine.answers import Refused
from engine.cashier.commands import DecideAdjustment, ProposeAdjustment, ProposeCorrection
from engine.cashier.facts import (
    DUPLICATE_DEPOSIT,
    AdjustmentApproved,
    AdjustmentProposed,
    AdjustmentRejected,
    CorrectionApproved,
    CorrectionProposed,
)
from engine.chart_of_accounts import CASH_CHANNELS, CORRECTIONS
from engine.lifecycle import ADJUSTMENT
from engine.players.commands import MEMBER
from engine.players.state import Player
from engine.refusals import Refusal
from engine.terms import Terms


def propose(
    command: ProposeAdjustment | ProposeCorrection, player: Player, terms: Terms
) -> list[AdjustmentProposed | CorrectionProposed] | Refused:
    """Propose a correction, which moves nothing yet; the same id twice yields no facts.

    A guest's balance is never corrected, because a guest could not withdraw the money.
    """
    if not player.registered:
        return Refused(Refusal.PLAYER_UNKNOWN, "player")
    if player.group != MEMBER:
        return Refused(Refusal.MUST_REGISTER)
    if player.payments.find(ADJUSTMENT, command.adjustment):
        return []
    if not 0 < abs(command.amount_minor) <= terms.largest_deposit_minor:
        return Refused(Refusal.AMOUNT_INVALID, "amount")
    amount, by, reason = command.amount_minor, command.by, command.reason_commitment
    if isinstance(command, ProposeAdjustment):
        return [AdjustmentProposed(command.adjustment, amount, by, reason)]
    kind, channel = command.kind, command.channel
    if kind not in CORRECTIONS:
        return Refused(Refusal.CORRECTION_UNKNOWN, "kind")
    if channel not in (CASH_CHANNELS if kind == DUPLICATE_DEPOSIT else {""}):
        return Refused(Refusal.CHANNEL_UNKNOWN, "channel")
    return [CorrectionProposed(command.adjustment, kind, channel, amount, by, reason)]


def decide(
    command: DecideAdjustment, player: Player
) -> list[AdjustmentApproved | CorrectionApproved | AdjustmentRejected] | Refused:
    """Another person agrees, or anyone drops it. No balance goes below zero."""
    proposal = player.payments.find(ADJUSTMENT, command.adjustment)
    if proposal is None:
        return Refused(Refusal.ADJUSTMENT_UNKNOWN, "adjustment")
    if not command.approve:
        return [AdjustmentRejected(proposal.id, command.by)]
    if proposal.requested_by == command.by:
        return Refused(Refusal.SECOND_PERSON_NEEDED)
    if player.available + proposal.amount_minor < 0:
        return Refused(Refusal.FUNDS_INSUFFICIENT, "amount")
    amount, by = proposal.amount_minor, command.by
    if proposal.correction:
        kind, channel = proposal.correction, proposal.corrected_channel
        return [CorrectionApproved(proposal.id, kind, channel, amount, by)]
    return [AdjustmentApproved(proposal.id, amount, by)]
