"""An operator and a witness with fixed keys and tails, and their correct records."""

from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.bets.facts import BetPlaced
from engine.fairness import signing
from engine.fairness.beacon import BEACON_OFF
from engine.fairness.canonical import canonical
from engine.fairness.draw import OPERATOR, WITNESS, chain
from engine.fairness.receipts import receipt_of
from engine.fairness.records import (
    CancelRecord,
    DayRecord,
    FrozenRecord,
    day_record,
    frozen_record,
    record_hash,
)
from engine.fairness.witness_state import Signed
from engine.schedule import issue, regular, rounds_on, slot

GAME, DATE = "1", "2026-11-21"
SCHEDULE = regular()
ROUNDS = rounds_on(SCHEDULE, DATE)

OPERATOR_KEY = Ed25519PrivateKey.from_private_bytes(sha256(b"operator").digest())
WITNESS_KEY = Ed25519PrivateKey.from_private_bytes(sha256(b"witness").digest())
STRANGER_KEY = Ed25519PrivateKey.from_private_bytes(sha256(b"stranger").digest())
OPERATOR_PUBLIC = signing.public_bytes(OPERATOR_KEY)
WITNESS_PUBLIC = signing.public_bytes(WITNESS_KEY)

OPERATOR_TAIL = sha256(b"operator tail").digest()
WITNESS_TAIL = sha256(b"witness tail").digest()


def receipt(
    *,
    bet: str,
    game: int,
    issue: str,
    kind: str,
    stake_minor: int,
    odds_milli: int,
    odds_table: str,
    at: int,
    player_id: int,
    salt: bytes,
) -> bytes:
    placed = BetPlaced(
        bet, game, issue, 0, kind, stake_minor, 0, odds_milli, odds_table, 0, salt.hex()
    )
    return receipt_of(player_id, placed, at)


def operator_chain(day: str = DATE, rounds: int = ROUNDS) -> tuple[bytes, ...]:
    return chain(OPERATOR, GAME, day, OPERATOR_TAIL, rounds)


def witness_chain(day: str = DATE, rounds: int = ROUNDS) -> tuple[bytes, ...]:
    return chain(WITNESS, GAME, day, WITNESS_TAIL, rounds)


def opened_day(day: str = DATE, first: int = 1, beacon: str = BEACON_OFF) -> DayRecord:
    return day_record(
        game=GAME,
        day=day,
        first=first,
        schedule=SCHEDULE,
        shift=0,
        rules=sha256(b"rules").digest(),
        odds_table=sha256(b"odds").digest(),
        program=sha256(b"program").digest(),
        c_0=operator_chain(day)[0],
        w_0=witness_chain(day)[0],
        operator_key=OPERATOR_PUBLIC,
        witness_key=WITNESS_PUBLIC,
        beacon=beacon,
    )


def closes_at(i: int) -> int:
    return slot(SCHEDULE, int(GAME), DATE, i).closes_at


def frozen_set(i: int, bets: bytes = b"", day: str = DATE, count: int = 0) -> FrozenRecord:
    return frozen_record(
        game=GAME,
        day=day,
        i=i,
        issue=issue(SCHEDULE, DATE, i),
        closes_at=closes_at(i),
        count=count,
        stakes={},
        bets=bets or sha256(b"").digest(),
        prev=bytes(32),
    )


def by_operator(
    record: DayRecord | FrozenRecord | CancelRecord, key: Ed25519PrivateKey = OPERATOR_KEY
) -> Signed:
    """A record with the operator's signature, as sent to the witness."""
    content = canonical(record)
    match record:
        case DayRecord():
            return Signed(content, signing.sign(key, signing.DAY, content))
        case FrozenRecord():
            return Signed(content, signing.sign(key, signing.FROZEN, record_hash(record)))
        case CancelRecord():
            return Signed(content, signing.sign(key, signing.CANCEL, content))
