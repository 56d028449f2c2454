"""Rounds whose draw is overdue; two managers can void one that cannot be drawn.

The rounds are read from the writer's memory: on a standby the calls are refused.
"""

from hashlib import sha256
from typing import Any, Final

from msgspec import Struct

from api.account.player_sync import engine_reader
from api.http.command_submission import submit
from api.http.endpoints import Auth, Endpoint, RequestContext, StaffRequest
from api.http.envelope import CallRefused, CallResult
from api.http.field_types import At, Count, GameId, Issue, Money, Words
from api.http.wire import issue_number, money, seconds
from api.office.common import ALL_STAFF, record_position, require_idempotency_key
from engine.catalogue import GAMES
from engine.refusals import Refusal
from engine.runtime.vault import MAX_TEXT_LENGTH, clean_text
from engine.runtime.writer.engine_reader import UndrawnRound
from engine.staff import roles
from engine.staff.void_proposals import DecideVoid, ProposeVoid, VoidCommand


class VoidRequest(StaffRequest):
    """A round whose draw is overdue; `reason` is published with the void."""

    game_id: GameId
    issue: Issue
    reason: Words


class VoidDecisionRequest(StaffRequest):
    """`id` is a proposal's; if `approve` is false, the proposal is rejected."""

    id: str
    approve: bool


class VoidProposalView(Struct, frozen=True):
    """Who proposed to void the round and why; `agreed_by` is empty until a second manager agrees.

    After that the server voids the round as soon as it is certain that it cannot be drawn, but
    while the witness gives no answer not before `earliest` (seconds since 1970).
    """

    id: str
    reason: str
    proposed_by: str
    agreed_by: str
    earliest: At


class UndrawnRoundView(Struct, frozen=True):
    """A closed round whose draw is overdue, with its open bets; times in seconds since 1970.

    `status` is empty until the round is voided as attested, unattested or breach; then its stakes
    are being returned.
    """

    game_id: GameId
    issue: str
    day: str
    closed_at: At
    due_at: At
    bets: Count
    stake: Money
    status: str
    void: VoidProposalView | None


async def show(ctx: RequestContext[StaffRequest]) -> CallResult:
    """Returns the rounds whose draw is overdue, oldest first."""
    return CallResult(_shown(ctx))


async def propose(ctx: RequestContext[VoidRequest]) -> CallResult:
    """Propose to void a round that cannot be drawn; a second manager has to agree."""
    body, actor = ctx.body, ctx.staff
    if body.game_id not in GAMES:
        raise CallRefused(Refusal.PLAN_UNKNOWN, "game_id")
    reason = clean_text(body.reason)
    if not 0 < len(reason) <= MAX_TEXT_LENGTH:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "reason")
    proposal = f"void-{sha256(f'{actor}/{require_idempotency_key(ctx)}'.encode()).hexdigest()[:20]}"
    issue = issue_number(body.issue)
    return await _changed(ctx, ProposeVoid(proposal, body.game_id, issue, reason, actor))


async def decide(ctx: RequestContext[VoidDecisionRequest]) -> CallResult:
    """Agree to a colleague's proposal to void a round, or reject it."""
    return await _changed(ctx, DecideVoid(ctx.body.id, ctx.body.approve, ctx.staff))


async def _changed(ctx: RequestContext[Any], command: VoidCommand) -> CallResult:
    reply = await submit(ctx.services, ctx.staff, require_idempotency_key(ctx), command)
    record_position(ctx, ALL_STAFF, reply.position)
    return CallResult(_shown(ctx), "set")


def _shown(ctx: RequestContext[Any]) -> tuple[UndrawnRoundView, ...]:
    return tuple(_undrawn(each) for each in engine_reader(ctx.services).undrawn())


def _undrawn(each: UndrawnRound) -> UndrawnRoundView:
    proposal, void = each.proposal, None
    if proposal is not None:
        people = (proposal.by, proposal.agreed_by)
        void = VoidProposalView(proposal.id, proposal.reason, *people, seconds(each.earliest))
    return UndrawnRoundView(
        each.game,
        each.issue,
        each.day,
        seconds(each.closed_at),
        seconds(each.due_at),
        each.bets,
        money(each.stake_minor),
        each.status,
        void,
    )


CALLS: Final[tuple[Endpoint[Any], ...]] = (
    Endpoint(
        "/api/office/undrawnRounds",
        StaffRequest,
        tuple[UndrawnRoundView, ...],
        show,
        "List the rounds whose draw is overdue (staff)",
        auth=Auth.STAFF,
        roles=roles.QUEUE,
    ),
    Endpoint(
        "/api/office/roundVoid",
        VoidRequest,
        tuple[UndrawnRoundView, ...],
        propose,
        "Propose to void a round that cannot be drawn (staff)",
        auth=Auth.STAFF,
        roles=roles.VOIDS,
        idempotent=True,
        refusals=(Refusal.PLAN_UNKNOWN, Refusal.ROUND_UNKNOWN, Refusal.ROUND_NOT_DUE),
    ),
    Endpoint(
        "/api/office/roundVoidDecision",
        VoidDecisionRequest,
        tuple[UndrawnRoundView, ...],
        decide,
        "Agree to void a round, or reject the proposal (staff)",
        auth=Auth.STAFF,
        roles=roles.VOIDS,
        idempotent=True,
        refusals=(Refusal.SECOND_PERSON_NEEDED, Refusal.VOID_UNKNOWN, Refusal.ROUND_NOT_DUE),
    ),
)
