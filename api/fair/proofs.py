"""The proof of a draw, /api/Lottery/proof: all published data of a round, for anyone to check.

It is read from the read models and the log only, never from the engine's memory. A fact contains a
round's secrets only once the round is drawn or voided, so nothing can be disclosed before.
"""

from typing import Final

import msgspec
from psycopg import Connection
from psycopg.rows import TupleRow

from api.fair.proof_bets import BetProof, own_bets
from api.fair.proof_schemas import (
    DayRecordBody,
    DaySchedule,
    Drawn,
    DrawProof,
    FrozenRecordBody,
    Phase,
    Secrets,
    SignedDay,
    SignedSet,
    Voided,
    VoidStatus,
)
from api.http.call_request import ApiRequest, Auth, CallRequest, SessionUse
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import GameId, Issue
from api.http.refusals import CallRefused
from api.http.wire import issue_number
from api.services import Services
from engine.catalogue import GAMES
from engine.house.facts import DayOpened
from engine.refusals import Refusal
from engine.rounds.facts import Status
from engine.schedule import Schedule
from projections.draws import queries as draws
from projections.draws.records import DayDocument, RoundDocument

#: The only witness is the one that the house runs on its own machine
#: (engine/runtime/scheduler/witness.py), and every proof must state that.
SELF_WITNESSED: Final = True


class ProofRequest(ApiRequest):
    """A round of a game, by its public number."""

    game_id: GameId
    issue: Issue


@call(
    "/api/Lottery/proof",
    "The proof of a draw",
    auth=Auth.OPTIONAL,
    use=SessionUse.WATCHING,
    refusals=(Refusal.PLAN_UNKNOWN, Refusal.ROUND_UNKNOWN),
)
async def proof(
    request: CallRequest, data: ProofRequest, services: Services
) -> CallResult[DrawProof]:
    """Returns everything published about a round, so that anyone can check its draw.

    During the sale this is what both parties committed to when the day was opened. From the close
    it includes the frozen record of the round's bets. Both secrets are included only with the draw,
    or once the round is voided and they no longer decide anything. `self_witnessed` is true if the
    house's own machine runs the witness. For the caller's own bets it contains the receipts and
    their Merkle paths into the frozen record, without paths if the round has too many bets.

    The app polls by itself until the round is settled.
    """
    game, issue, player = data.game_id, issue_number(data.issue), request.player
    if game not in GAMES:
        raise CallRefused(Refusal.PLAN_UNKNOWN, "game_id")

    def read(connection: Connection[TupleRow]) -> DrawProof | None:
        found = draws.by_issue(connection, game, issue)
        if found is None:
            return None
        day = draws.day(connection, game, found.day)
        return _proof(found, day, own_bets(connection, player, found) if player else ())

    found = await services.read_own(player, read)
    if found is None:
        raise CallRefused(Refusal.ROUND_UNKNOWN, "issue")
    return CallResult(found)


def _proof(found: RoundDocument, day: DayDocument | None, bets: tuple[BetProof, ...]) -> DrawProof:
    return DrawProof(
        game_id=found.game,
        issue=found.issue,
        state=msgspec.convert(found.phase, Phase),
        opens_at=found.opens_at,
        closes_at=found.closes_at,
        draws_at=found.draws_at,
        self_witnessed=SELF_WITNESSED,
        day=_day(day) if day else None,
        frozen=_frozen(found) if found.frozen else None,
        secrets=_secrets(found) if _has_secrets(found) else None,
        drawn=Drawn(found.digits, found.total, found.drawn_at) if found.digits else None,
        voided=_voided(found) if found.voided_at else None,
        bets=bets,
    )


def _day(day: DayDocument) -> SignedDay:
    opened = day.opened
    return SignedDay(
        _day_record(opened),
        opened.operator_signature,
        opened.witness_signature,
        opened.odds_table,
        day.opened_at,
    )


def _day_record(opened: DayOpened) -> DayRecordBody:
    return DayRecordBody(
        beacon=opened.beacon,
        c_0=opened.operator_commitment,
        day=opened.day,
        first=opened.first,
        game=str(opened.game),
        odds_table=opened.odds_hash,
        operator_key=opened.operator_key,
        program=opened.program_hash,
        rounds=opened.rounds,
        rules=opened.rules_hash,
        schedule=_schedule(opened.schedule),
        shift=opened.shift,
        v=1,
        w_0=opened.witness_commitment,
        witness_key=opened.witness_key,
    )


def _schedule(plan: Schedule) -> DaySchedule:
    return DaySchedule(
        plan.rounds,
        plan.round_us,
        plan.close_us,
        plan.stagger_us,
        plan.opens_minute_of_day,
        plan.day_us,
        plan.timezone,
    )


def _frozen(found: RoundDocument) -> SignedSet:
    record = FrozenRecordBody(
        bets=found.bets_head,
        closes_at=found.closes_at,
        count=found.count,
        day=found.day,
        game=str(found.game),
        i=found.index,
        issue=found.issue,
        prev=found.prev,
        stake_minor=found.stake,
        stakes=found.stakes,
        v=1,
    )
    return SignedSet(record, found.frozen, found.signature, found.closed_at)


def _has_secrets(found: RoundDocument) -> bool:
    """Whether both links and the witness's signature are public: all draws, and some voids."""
    if found.void_status:
        return found.void_status == Status.ATTESTED and bool(found.operator_secret)
    return bool(found.operator_secret)


def _voided(found: RoundDocument) -> Voided:
    return Voided(
        found.void_reason,
        found.voided_at,
        msgspec.convert(found.void_status, VoidStatus),
        found.void_answer,
        found.operator_secret,
        found.witness_secret,
        found.void_signature,
    )


def _secrets(found: RoundDocument) -> Secrets:
    signature = found.witness_signature or found.void_signature
    return Secrets(found.operator_secret, found.witness_secret, signature)
