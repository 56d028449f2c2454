"""The proof of a draw, /api/Lottery/proof: all published data of a round, for anyone to check.

It is read from the read models and the log only. A fact contains a round's secrets only once the
round is drawn or voided, so nothing can be disclosed before. Of the engine's memory it has only why
an overdue round waits.

The records have exactly the fields that the parties hash and sign, so a client can build their
canonical bytes (RFC 8785) from the response.
"""

from collections.abc import Callable
from typing import Any, Literal, cast

from msgspec import Struct
from msgspec.structs import replace
from psycopg import Connection
from psycopg.rows import TupleRow

from api.game.receipts import BetProof, own_bets
from api.http.call_request import ApiRequest, Auth, CallRequest, SessionUse
from api.http.calls import call
from api.http.db_pool import ReadModels
from api.http.envelope import CallResult
from api.http.field_types import (
    AtUs,
    Count,
    Digit,
    DurationUs,
    Format,
    GameId,
    Issue,
    MinorUnits,
    MinuteOfDay,
    Total,
)
from api.http.refusals import CallRefused
from api.http.wire import converter, issue_number
from api.settings import Settings
from engine.catalogue import GAMES
from engine.fairness.beacon import NETWORKS, BeaconRound
from engine.house.facts import DayOpened
from engine.refusals import Refusal
from engine.rounds.facts import Status
from engine.runtime.port import EnginePort
from engine.runtime.scheduler.waiting import EARLIER_ROUND, Waiting
from engine.schedule import Schedule
from projections import draws
from projections.draws import DayDocument, RoundDocument

Phase = Literal["open", "closed", "drawn", "settled", "voided"]
_to_phase: Callable[[object], Phase] = converter(cast(Any, Phase))


class DaySchedule(Struct, frozen=True, gc=False):
    """The schedule of a draw day; sales of a round end `close_us` before its draw."""

    rounds: Count
    round_us: DurationUs
    close_us: DurationUs
    stagger_us: DurationUs
    opens_minute_of_day: MinuteOfDay
    day_us: DurationUs
    timezone: str


class DayRecordBody(Struct, frozen=True, gc=False):
    """What both parties signed before the day's first sale; hashes, links and keys are in hex.

    The signatures are over its canonical bytes (RFC 8785). `c_0` and `w_0` commit to the operator's
    and the witness's hash chain: every secret of the day hashes back to them. `rounds` is the
    chains' length, and `first` the first round sold under this record.
    """

    beacon: str
    c_0: str
    day: str
    first: Count
    game: str
    odds_table: str
    operator_key: str
    program: str
    rounds: Count
    rules: str
    schedule: DaySchedule
    shift: Count
    v: Format
    w_0: str
    witness_key: str


class Follows(Struct, frozen=True, gc=False):
    """Why this day or segment was begun after `day`, which is empty if there was none before.

    `reasons` may have:

    - witness_behind, witness_unknowing, day_unknown, round_unknown: the witness has lost records of
      the segment before, for example because it was restored from an older copy.
    - witness_ahead, index_passed: the witness has records of rounds that the house's log lacks.
    - restored: the house was restored from a backup.
    - chain_lost: the house has lost its chain of secrets.
    - round_frozen_otherwise: the witness has released a round for another list of bets.
    - witness_contradicts: an answer of the witness did not match what it had committed to.
    - operator_changed, witness_changed, schedule_changed, odds_changed, beacon_changed: it differs
      from the segment before.
    - late_start: the house started after the first round of the date.
    - any other reason for which the witness declined to continue the segment before.
    """

    day: str
    reasons: tuple[str, ...]


class SignedDay(Struct, frozen=True, gc=False):
    """The day of the round with both signatures, recorded at `at`; `odds_table` is its id.

    `follows` is null if the day began as planned.
    """

    record: DayRecordBody
    operator_signature: str
    witness_signature: str
    odds_table: str
    at: AtUs
    follows: Follows | None


class FrozenRecordBody(Struct, frozen=True, gc=False):
    """The round's bets at its close.

    `bets` is the Merkle tree head (RFC 9162) of their receipts, `i` the round's index in both
    chains. `prev` is the hash of the previous round's record; for the first round, of the day's.
    """

    bets: str
    closes_at: AtUs
    count: Count
    day: str
    game: str
    i: Count
    issue: str
    prev: str
    stake_minor: MinorUnits
    stakes: dict[str, MinorUnits]
    v: Format


class SignedSet(Struct, frozen=True, gc=False):
    """The frozen record, its hash f_i (SHA-256 of its canonical bytes), and a signature over f_i.

    The signature is the operator's.
    """

    record: FrozenRecordBody
    hash: str
    operator_signature: str
    at: AtUs


class Secrets(Struct, frozen=True, gc=False):
    """Both parties' chain links for the round, and the witness's signature.

    For a drawn round the witness signs the release of its link, over f_i. For a voided round it
    signs that its link was not released and never will be.
    """

    operator_secret: str
    witness_secret: str
    witness_signature: str


class Beacon(Struct, frozen=True, gc=False):
    """The public randomness beacon's round on which a draw depends too, as drand published it.

    `network` is the network's name; the day's record has its chain hash. `round` is the first at
    least six seconds after the close. `randomness` is the SHA-256 of the network's BLS signature.
    `previous_signature` is signed with it in a network of chained rounds, and empty in others.
    """

    network: str
    round: Count
    randomness: str
    signature: str
    previous_signature: str


class Drawn(Struct, frozen=True, gc=False):
    """The draw: three digits computed from the secrets, f_i and any beacon, and their sum.

    `beacon` is null if the day's beacon mode is off.
    """

    digits: tuple[Digit, Digit, Digit]
    sum: Total
    at: AtUs
    beacon: Beacon | None


VoidStatus = Literal["attested", "unattested", "breach"]
_to_void_status: Callable[[object], VoidStatus] = converter(cast(Any, VoidStatus))


LateStatement = Literal["released", "not_released", "unknown"]
_to_statement: Callable[[object], LateStatement] = converter(cast(Any, LateStatement))


class LateAnswer(Struct, frozen=True, gc=False):
    """What the witness of an unattested round stated at `at`, when it was asked again.

    `statement` is one of:

    - released: it had released its secret. The void was a breach; it stays, with all stakes
      returned.
    - not_released: it signed that it never released its secret, and never will.
    - unknown: it cannot say, for the reason in `answer`.

    The secret and the signature are the witness's, and empty if it signed nothing.
    """

    statement: LateStatement
    answer: str
    witness_secret: str
    witness_signature: str
    at: AtUs


class Voided(Struct, frozen=True, gc=False):
    """Why the round was never drawn; all stakes were returned.

    `status` is one of:

    - attested: the witness signed that it never released its secret.
    - unattested: the witness did not state whether it released it. Two managers agreed to the
      void, half an hour after the close or later.
    - breach: the witness released its secret, and the house could not draw.

    `answer` is the witness's own reason for declining, empty if it gave none. The secrets and the
    signature are those known of a round that was not attested, and empty if unknown. `late_answer`
    is what the witness of an unattested round stated afterwards, null until it answers.
    """

    reason: str
    at: AtUs
    status: VoidStatus
    answer: str
    operator_secret: str
    witness_secret: str
    witness_signature: str
    late_answer: LateAnswer | None


WaitingState = Literal[
    "awaiting_witness", "awaiting_beacon", "awaiting_void", "awaiting_earlier_round"
]
_to_waiting: Callable[[object], WaitingState] = converter(cast(Any, WaitingState))


class WaitingRound(Struct, frozen=True, gc=False):
    """Why the round is not drawn although its draw is due, as the server found at `since`.

    `since` begins again if the server restarts: `draws_at` of the round is when it became overdue.

    `state` is one of:

    - awaiting_witness: the witness does not answer. It is asked again and again.
    - awaiting_beacon: the beacon's round is not published or cannot be fetched.
    - awaiting_void: the round cannot be drawn at present. Two managers may void it.
    - awaiting_earlier_round: an earlier round of its segment waits, which comes first.

    None of them says when, or whether, the round is drawn.
    """

    state: WaitingState
    since: AtUs


class DrawProof(Struct, frozen=True, gc=False):
    """Everything public about a round; what has not happened yet is null.

    `bets` are the caller's own bets that were not recalled: at its close, or until then now.
    `waiting` is why an overdue round is not drawn, null if it is drawn or the server cannot tell.
    """

    game_id: GameId
    issue: str
    state: Phase
    opens_at: AtUs
    closes_at: AtUs
    draws_at: AtUs
    self_witnessed: bool
    day: SignedDay | None
    frozen: SignedSet | None
    secrets: Secrets | None
    drawn: Drawn | None
    voided: Voided | None
    bets: tuple[BetProof, ...]
    waiting: WaitingRound | None


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
    request: CallRequest,
    data: ProofRequest,
    read_models: ReadModels,
    settings: Settings,
    engine: EnginePort,
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
        return proof_of(connection, game, issue, settings.own_witnesses, player)

    found = await read_models.read_own(player, read)
    if found is None:
        raise CallRefused(Refusal.ROUND_UNKNOWN, "issue")
    waiting = await engine.waiting(game, issue) if found.state == "closed" else None
    if waiting is not None:
        return CallResult(replace(found, waiting=_waiting(waiting)))
    return CallResult(found)


def _waiting(found: Waiting) -> WaitingRound:
    """A blocked round has the state of an earlier one, which says nothing about its own draw."""
    if found.reason == EARLIER_ROUND:
        return WaitingRound("awaiting_earlier_round", found.since)
    return WaitingRound(_to_waiting(found.state), found.since)


def proof_of(
    connection: Connection[TupleRow],
    game: int,
    issue: str,
    own_witnesses: frozenset[str],
    player: int | None = None,
) -> DrawProof | None:
    """Returns the proof of a round, with a player's own bets; None if there is no such round."""
    found = draws.by_issue(connection, game, issue)
    if found is None:
        return None
    day = draws.day(connection, game, found.day)
    bets = own_bets(connection, player, found) if player else ()
    return _proof(found, day, bets, own_witnesses)


def is_final(found: DrawProof) -> bool:
    """Whether the proof never changes: the round is settled, or voided with all answers known."""
    if found.voided is None or found.voided.status != "unattested":
        return found.state in {"settled", "voided"}
    late = found.voided.late_answer
    return late is not None and late.statement != "unknown"


def day_of(connection: Connection[TupleRow], game: int, name: str) -> SignedDay | None:
    """Returns what both parties signed for a day or segment; None if there is none."""
    found = draws.day(connection, game, name)
    return None if found is None else _day(found)


def _proof(
    found: RoundDocument,
    day: DayDocument | None,
    bets: tuple[BetProof, ...],
    own_witnesses: frozenset[str],
) -> DrawProof:
    return DrawProof(
        game_id=found.game,
        issue=found.issue,
        state=_to_phase(found.phase),
        opens_at=found.opens_at,
        closes_at=found.closes_at,
        draws_at=found.draws_at,
        self_witnessed=day is None or day.opened.witness_key in own_witnesses,
        day=_day(day) if day else None,
        frozen=_frozen(found) if found.frozen else None,
        secrets=_secrets(found) if _has_secrets(found) else None,
        drawn=_drawn(found, found.digits, day) if found.digits else None,
        voided=_voided(found) if found.voided_at else None,
        bets=bets,
        waiting=None,
    )


def _day(day: DayDocument) -> SignedDay:
    opened = day.opened
    return SignedDay(
        _day_record(opened),
        opened.operator_signature,
        opened.witness_signature,
        opened.odds_table,
        day.opened_at,
        Follows(day.follows.day, day.follows.reasons) if day.follows else None,
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


def _drawn(found: RoundDocument, digits: tuple[int, int, int], day: DayDocument | None) -> Drawn:
    return Drawn(digits, found.total, found.drawn_at, _beacon(found.beacon, day))


def _beacon(beacon: BeaconRound | None, day: DayDocument | None) -> Beacon | None:
    if beacon is None or day is None:
        return None
    return Beacon(
        NETWORKS[day.opened.beacon].name,
        beacon.number,
        beacon.randomness,
        beacon.signature,
        beacon.previous_signature,
    )


def _has_secrets(found: RoundDocument) -> bool:
    """Whether both links and the witness's signature are public: all draws, and some voids."""
    if found.void_status:
        return found.void_status == Status.ATTESTED and bool(found.operator_secret)
    return bool(found.operator_secret)


def _voided(found: RoundDocument) -> Voided:
    return Voided(
        found.void_reason,
        found.voided_at,
        _to_void_status(found.void_status),
        found.void_answer,
        found.operator_secret,
        found.witness_secret,
        found.void_signature,
        _late_answer(found.late) if found.late else None,
    )


def _late_answer(late: draws.StatedLate) -> LateAnswer:
    statement = _to_statement(late.statement)
    return LateAnswer(statement, late.answer, late.secret, late.signature, late.at)


def _secrets(found: RoundDocument) -> Secrets:
    signature = found.witness_signature or found.void_signature
    return Secrets(found.operator_secret, found.witness_secret, signature)
