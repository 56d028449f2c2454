"""A check of one round from published values and own receipts, for programs with the engine.

Which bets win and what they pay is deliberately written a second time here. Hashes, signatures and
the digits' formula are the engine's own; the app on the phone and `scripts/audit` have code of
their own for all of it.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from hashlib import sha256

import msgspec

from engine.fairness import signing
from engine.fairness.beacon import BeaconRound, is_beacon_of, randomness_of
from engine.fairness.draw import OPERATOR, WITNESS, draw, link
from engine.fairness.merkle import leaf_hash, root_from_path
from engine.fairness.receipts import Receipt, is_owner, read_receipt
from engine.fairness.records import (
    MAX_ROUNDS,
    DayRecord,
    FrozenRecord,
    day_parts,
    read_record,
    record_hash,
)

_GAMES = {"1", "2", "3", "4"}
_WINNING_SUMS = {
    "big": range(14, 28),
    "small": range(14),
    "odd": range(1, 28, 2),
    "even": range(0, 28, 2),
    "extreme_big": range(22, 28),
    "extreme_small": range(6),
}


class Check(StrEnum):
    """The checks, in the order of the results."""

    RECORDS_READABLE = "records_readable"
    PARTIES_KNOWN = "parties_known"
    DAY_SIGNED_BY_OPERATOR = "day_signed_by_operator"
    DAY_SIGNED_BY_WITNESS = "day_signed_by_witness"
    ROUND_OF_THE_DAY = "round_of_the_day"
    SET_SIGNED_BY_OPERATOR = "set_signed_by_operator"
    SET_RELEASED_BY_WITNESS = "set_released_by_witness"
    OPERATOR_LINK = "operator_link"
    WITNESS_LINK = "witness_link"
    BEACON = "beacon"
    DIGITS = "digits"
    RECEIPT_READABLE = "receipt_readable"
    RECEIPT_OWNED = "receipt_owned"
    RECEIPT_OF_THE_ROUND = "receipt_of_the_round"
    RECEIPT_IN_SET = "receipt_in_set"
    PAYOUT = "payout"


class CheckResult(msgspec.Struct, frozen=True):
    """Whether one check passed; `bet` is the receipt's place in the request, None for the round."""

    check: Check
    passed: bool
    bet: int | None = None


class PublishedRound(msgspec.Struct, frozen=True):
    """The public data of a drawn round: canonical records, 64-byte signatures, 32-byte links.

    `beacon` is None while DayOpened's beacon mode is off.
    """

    day_opened: bytes
    day_signature_operator: bytes
    day_signature_witness: bytes
    frozen: bytes
    frozen_signature_operator: bytes
    release_signature_witness: bytes
    operator_link: bytes
    witness_link: bytes
    digits: tuple[int, int, int]
    beacon: BeaconRound | None = None


class OwnBet(msgspec.Struct, frozen=True):
    """A receipt with its place in the frozen set, and the gross payout received for it."""

    entry: bytes
    player_id: int
    index: int
    path: tuple[bytes, ...]
    paid_minor: int


def verify_round(
    operator_key: bytes, witness_key: bytes, published: PublishedRound, bets: Sequence[OwnBet] = ()
) -> list[CheckResult]:
    """Every check of a round and of own bets in it; all pass for an honest round.

    The raw public keys are those that the reader trusts, not those the records name. If the records
    cannot be read, no other check runs.
    """
    try:
        opened = read_record(DayRecord, published.day_opened)
        frozen = read_record(FrozenRecord, published.frozen)
    except ValueError:
        return [CheckResult(Check.RECORDS_READABLE, passed=False)]
    named_keys = (opened.operator_key, opened.witness_key)
    results = [
        CheckResult(Check.RECORDS_READABLE, passed=True),
        CheckResult(Check.PARTIES_KNOWN, named_keys == (operator_key.hex(), witness_key.hex())),
        *_check_signatures(operator_key, witness_key, published),
        *_check_draw(opened, frozen, published),
    ]
    for place, bet in enumerate(bets):
        results += _check_bet(place, bet, frozen, sum(published.digits))
    return results


def _check_signatures(
    operator_key: bytes, witness_key: bytes, published: PublishedRound
) -> Iterator[CheckResult]:
    f = sha256(published.frozen).digest()
    day = published.day_opened
    for check, key, domain, payload, signature in (
        (
            Check.DAY_SIGNED_BY_OPERATOR,
            operator_key,
            signing.DAY,
            day,
            published.day_signature_operator,
        ),
        (
            Check.DAY_SIGNED_BY_WITNESS,
            witness_key,
            signing.DAY,
            day,
            published.day_signature_witness,
        ),
        (
            Check.SET_SIGNED_BY_OPERATOR,
            operator_key,
            signing.FROZEN,
            f,
            published.frozen_signature_operator,
        ),
        (
            Check.SET_RELEASED_BY_WITNESS,
            witness_key,
            signing.RELEASE,
            f,
            published.release_signature_witness,
        ),
    ):
        yield CheckResult(check, signing.verify(key, domain, payload, signature))


def _check_draw(
    opened: DayRecord, frozen: FrozenRecord, published: PublishedRound
) -> Iterator[CheckResult]:
    in_day = _is_round_of_day(opened, frozen)
    yield CheckResult(Check.ROUND_OF_THE_DAY, in_day)
    yield CheckResult(
        Check.OPERATOR_LINK,
        in_day and _anchor(OPERATOR, frozen, published.operator_link) == opened.c_0,
    )
    yield CheckResult(
        Check.WITNESS_LINK,
        in_day and _anchor(WITNESS, frozen, published.witness_link) == opened.w_0,
    )
    beacon_valid = is_beacon_of(opened.beacon, frozen.closes_at, published.beacon)
    yield CheckResult(Check.BEACON, in_day and beacon_valid)
    yield CheckResult(
        Check.DIGITS, in_day and beacon_valid and _digits(frozen, published) == published.digits
    )


def _is_round_of_day(opened: DayRecord, frozen: FrozenRecord) -> bool:
    try:
        day_parts(opened.day)
    except ValueError:
        return False
    return (
        (frozen.game, frozen.day) == (opened.game, opened.day)
        and opened.game in _GAMES
        and max(1, opened.first) <= frozen.i <= min(opened.rounds, MAX_ROUNDS)
    )


def _anchor(role: str, frozen: FrozenRecord, revealed: bytes) -> str:
    """The chain's value 0, computed from a revealed link, in hex."""
    for index in reversed(range(frozen.i)):
        revealed = link(role, frozen.game, frozen.day, index, revealed)
    return revealed.hex()


def _digits(frozen: FrozenRecord, published: PublishedRound) -> tuple[int, int, int]:
    return draw(
        published.operator_link,
        published.witness_link,
        frozen.game,
        frozen.day,
        frozen.i,
        record_hash(frozen),
        randomness_of(published.beacon),
    )


def _check_bet(place: int, bet: OwnBet, frozen: FrozenRecord, total: int) -> Iterator[CheckResult]:
    try:
        fields = read_receipt(bet.entry)
    except ValueError:
        yield CheckResult(Check.RECEIPT_READABLE, passed=False, bet=place)
        return
    yield CheckResult(Check.RECEIPT_READABLE, passed=True, bet=place)
    yield CheckResult(Check.RECEIPT_OWNED, is_owner(fields, bet.player_id), place)
    yield CheckResult(Check.RECEIPT_OF_THE_ROUND, _is_of_round(fields, frozen), place)
    yield CheckResult(Check.RECEIPT_IN_SET, _is_in_set(bet, frozen), place)
    due_minor = fields.stake_minor * fields.odds_milli // 1000 if _won(fields.kind, total) else 0
    yield CheckResult(Check.PAYOUT, bet.paid_minor == due_minor, place)


def _is_of_round(fields: Receipt, frozen: FrozenRecord) -> bool:
    same_round = (fields.game, fields.issue) == (frozen.game, frozen.issue)
    return same_round and fields.at < frozen.closes_at


def _is_in_set(bet: OwnBet, frozen: FrozenRecord) -> bool:
    try:
        root = root_from_path(leaf_hash(bet.entry), bet.index, frozen.count, bet.path)
    except ValueError:
        return False
    return root.hex() == frozen.bets


def _won(kind: str, total: int) -> bool:
    """Whether a kind wins; combinations win if both halves do, an unknown kind never."""
    if kind.isdecimal():
        return kind == str(total)
    names = [kind] if kind in _WINNING_SUMS else kind.split("_")
    return all(total in _WINNING_SUMS.get(name, ()) for name in names)
