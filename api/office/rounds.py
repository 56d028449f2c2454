"""Rounds whose draw is overdue; two managers can void one that cannot be drawn.

The rounds are read from the writer's memory: on a standby the calls are refused.
"""

from hashlib import sha256

from msgspec import Struct

from api.http.call_request import CallRequest, StaffRequest
from api.http.calls import staff_command, staff_query
from api.http.commands import Commands
from api.http.envelope import CallResult
from api.http.field_types import At, Count, GameId, Issue, Money, Words
from api.http.refusals import CallRefused
from api.http.wire import issue_number, money, seconds
from api.office.common import ALL_STAFF, record_position
from engine.catalogue import GAMES
from engine.refusals import Refusal
from engine.runtime.port import EnginePort
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
    are being returned. `waits` is what it waits for: awaiting_witness, awaiting_beacon, or
    awaiting_void if it cannot be drawn at present; empty if that is not known yet. `waits_reason`
    is the reason that the server found at `waits_since` (0 if not known): no_answer, no_beacon,
    chain_lost, earlier_round, or the witness's reason for declining.
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
    waits: str
    waits_reason: str
    waits_since: At


@staff_query("undrawnRounds", "List the rounds whose draw is overdue", roles.QUEUE)
async def show(engine: EnginePort) -> CallResult[tuple[UndrawnRoundView, ...]]:
    """Returns the rounds whose draw is overdue, oldest first."""
    return CallResult(await _shown(engine))


@staff_command(
    "roundVoid",
    "Propose to void a round that cannot be drawn",
    roles.VOIDS,
    refusals=(Refusal.PLAN_UNKNOWN, Refusal.ROUND_UNKNOWN, Refusal.ROUND_NOT_DUE),
)
async def propose(
    request: CallRequest, data: VoidRequest, engine: EnginePort, commands: Commands
) -> CallResult[tuple[UndrawnRoundView, ...]]:
    """Propose to void a round that cannot be drawn; a second manager has to agree."""
    actor = request.staff
    if data.game_id not in GAMES:
        raise CallRefused(Refusal.PLAN_UNKNOWN, "game_id")
    reason = clean_text(data.reason)
    if not 0 < len(reason) <= MAX_TEXT_LENGTH:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "reason")
    proposal = f"void-{sha256(f'{actor}/{request.required_key}'.encode()).hexdigest()[:20]}"
    issue = issue_number(data.issue)
    return await _changed(
        request, engine, commands, ProposeVoid(proposal, data.game_id, issue, reason, actor)
    )


@staff_command(
    "roundVoidDecision",
    "Agree to void a round, or reject the proposal",
    roles.VOIDS,
    refusals=(Refusal.SECOND_PERSON_NEEDED, Refusal.VOID_UNKNOWN, Refusal.ROUND_NOT_DUE),
)
async def decide(
    request: CallRequest, data: VoidDecisionRequest, engine: EnginePort, commands: Commands
) -> CallResult[tuple[UndrawnRoundView, ...]]:
    """Agree to a colleague's proposal to void a round, or reject it."""
    return await _changed(
        request, engine, commands, DecideVoid(data.id, data.approve, request.staff)
    )


async def _changed(
    request: CallRequest, engine: EnginePort, commands: Commands, command: VoidCommand
) -> CallResult[tuple[UndrawnRoundView, ...]]:
    reply = await commands.submit(request.staff, request.required_key, command)
    record_position(commands, ALL_STAFF, reply.position)
    return CallResult(await _shown(engine), "set")


async def _shown(engine: EnginePort) -> tuple[UndrawnRoundView, ...]:
    return tuple(_undrawn(each) for each in await engine.undrawn_rounds())


def _undrawn(each: UndrawnRound) -> UndrawnRoundView:
    proposal, void, waiting = each.proposal, None, each.waiting
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
        waiting.state if waiting else "",
        waiting.reason if waiting else "",
        seconds(waiting.since) if waiting else 0,
    )
