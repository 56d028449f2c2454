"""Rounds whose draw is overdue, and the four eyes by which staff void one that cannot be drawn.

What is shown comes from the writer's memory: on a standby the call is refused.
"""

from hashlib import sha256
from typing import Any, Final

from msgspec import Struct

from api.calls import Asked, Auth, Call, StaffAsking
from api.commanding import answered
from api.envelope import CallRefused, Done
from api.members import looking
from api.office_desk import EVERYBODY, key_of, note
from api.units import At, Count, GameId, Issue, Money, Words
from api.wire import issue_number, money, seconds
from engine.catalogue import GAMES
from engine.house import roles
from engine.house.commands import DecideVoid, ProposeVoid, VoidCommand
from engine.refusals import Refusal
from engine.runtime.looking import UndrawnRound
from engine.runtime.vault import MOST_WORDS, clean_words


class VoidAsking(StaffAsking):
    """A round whose draw is overdue; `reason` is published with the void."""

    game_id: GameId
    issue: Issue
    reason: Words


class VoidDecisionAsking(StaffAsking):
    """`id` is a proposal's; without `approve` it is dropped."""

    id: str
    approve: bool


class VoidProposed(Struct, frozen=True):
    """Who proposed to void the round and why; `agreed_by` is empty until a second manager agrees.

    Once agreed, the house voids the round as soon as it is certain that it cannot be drawn, and
    not before `earliest` (seconds since 1970) while the witness gives no answer.
    """

    id: str
    reason: str
    proposed_by: str
    agreed_by: str
    earliest: At


class UndrawnShown(Struct, frozen=True):
    """A closed round whose draw is overdue, with the bets that wait for it; times in seconds.

    `status` is empty until a void was ruled: attested, unattested or breach; its stakes are then
    being returned.
    """

    game_id: GameId
    issue: str
    day: str
    closed_at: At
    due_at: At
    bets: Count
    stake: Money
    status: str
    void: VoidProposed | None


async def show(asked: Asked[StaffAsking]) -> Done:
    """The rounds whose draw is overdue, oldest first."""
    return Done(_shown(asked))


async def propose(asked: Asked[VoidAsking]) -> Done:
    """Propose to void a round that cannot be drawn; another manager agrees."""
    body, actor = asked.body, asked.staff
    if body.game_id not in GAMES:
        raise CallRefused(Refusal.PLAN_UNKNOWN, "game_id")
    reason = clean_words(body.reason)
    if not 0 < len(reason) <= MOST_WORDS:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "reason")
    proposal = f"void-{sha256(f'{actor}/{key_of(asked)}'.encode()).hexdigest()[:20]}"
    issue = issue_number(body.issue)
    return await _changed(asked, ProposeVoid(proposal, body.game_id, issue, reason, actor))


async def decide(asked: Asked[VoidDecisionAsking]) -> Done:
    """Agree to a colleague's proposal to void a round, or drop it."""
    return await _changed(asked, DecideVoid(asked.body.id, asked.body.approve, asked.staff))


async def _changed(asked: Asked[Any], command: VoidCommand) -> Done:
    reply = await answered(asked.services, asked.staff, key_of(asked), command)
    note(asked, EVERYBODY, reply.position)
    return Done(_shown(asked), "set")


def _shown(asked: Asked[Any]) -> tuple[UndrawnShown, ...]:
    return tuple(_undrawn(each) for each in looking(asked.services).undrawn())


def _undrawn(each: UndrawnRound) -> UndrawnShown:
    proposal, void = each.proposal, None
    if proposal is not None:
        people = (proposal.by, proposal.agreed_by)
        void = VoidProposed(proposal.id, proposal.reason, *people, seconds(each.earliest))
    return UndrawnShown(
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


CALLS: Final[tuple[Call[Any], ...]] = (
    Call(
        "/api/office/undrawnRounds",
        StaffAsking,
        tuple[UndrawnShown, ...],
        show,
        "The rounds whose draw is overdue (staff)",
        auth=Auth.STAFF,
        roles=roles.QUEUE,
    ),
    Call(
        "/api/office/roundVoid",
        VoidAsking,
        tuple[UndrawnShown, ...],
        propose,
        "Propose to void a round that cannot be drawn (staff)",
        auth=Auth.STAFF,
        roles=roles.VOIDS,
        keyed=True,
        refusals=(Refusal.PLAN_UNKNOWN, Refusal.ROUND_UNKNOWN, Refusal.ROUND_NOT_DUE),
    ),
    Call(
        "/api/office/roundVoidDecision",
        VoidDecisionAsking,
        tuple[UndrawnShown, ...],
        decide,
        "Agree to void a round, or drop the proposal (staff)",
        auth=Auth.STAFF,
        roles=roles.VOIDS,
        keyed=True,
        refusals=(Refusal.SECOND_PERSON_NEEDED, Refusal.VOID_UNKNOWN, Refusal.ROUND_NOT_DUE),
    ),
)
