"""The checks of `scripts/audit verify`, from the terms of the day to the log.

The code is a stranger's own, written from the published formats. It imports nothing of the engine,
so that one mistake cannot hide in both.
"""

import hmac
import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Final

from scripts.audit_tool.draw_audit.rules import WINNING, winnings
from scripts.audit_tool.evidence_checking import MALFORMED, Checks, MissingPartError, Result
from scripts.audit_tool.evidence_file import ATTESTED, Evidence, Part
from scripts.audit_tool.evidence_formats import (
    HASH_BYTES,
    SIGNATURE_BYTES,
    are_valid_cosignatures,
    canonical,
    cosignatures,
    from_hex,
    is_signed_note,
    is_valid,
    leaf_hash,
    lp,
    read_entry,
    read_note,
    root_of,
)

_MAX_ROUNDS: Final = 86_400
_SALT_BYTES: Final = 16
_DIGITS: Final = 3
_LAST_UNBIASED: Final = 249
_DAY: Final = b"fairdraw/day/v1\0"
_FROZEN: Final = b"fairdraw/frozen/v1\0"
_RELEASE: Final = b"fairdraw/release/v1\0"
_CANCEL: Final = b"fairdraw/cancel/v1\0"
_RECEIPTS: Final = b"fairdraw/receipts/v1\0"
_CHAIN: Final = b"fairdraw/chain/v1\0"
_DRAW: Final = b"fairdraw/draw/v1\0"
_NO_BEACON: Final = b"\0" + bytes(32)
_SECOND_US: Final = 1_000_000
_BEACON_MARGIN_US: Final = 6_000_000
#: drand's networks by chain hash: name, first round in seconds since 1970, period in seconds.
_NETWORKS: Final = {
    "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971": (
        *("quicknet", 1_692_803_367, 3),
    ),
    "8990e7a9aaed2ffed73dbd7092123d6f289930540d7651336225dc172e51b2ce": (
        *("default", 1_595_431_050, 30),
    ),
}
_SAME: Final = ("bet", "issue", "kind", "stake_minor", "odds_milli", "odds_table", "salt")
_Holds = Callable[[Evidence], bool]
_checks: Final = Checks[Evidence]()


def results_of(evidence: Evidence) -> list[Result]:
    """Returns the results of all checks that apply, from the terms of the day to the log."""
    return _checks.results_of(evidence)


def _check(
    title: str,
    *,
    shows: str,
    leaves_open: str,
    about: Part = Part.ROUND,
    applies: _Holds = lambda _: True,
) -> Callable[[_Holds], _Holds]:
    return _checks.declare(
        title,
        shows=shows,
        leaves_open=leaves_open,
        applies=lambda it: about in it.parts and applies(it),
    )


def _is_drawn(it: Evidence) -> bool:
    return it.voided is None


def _is_void(it: Evidence) -> bool:
    return it.voided is not None


@_check(
    "One operator and one witness signed everything",
    shows="the keys at the head of the file are those of the day's terms",
    leaves_open="whose keys they are: compare them with a source that you trust",
)
def _keys(it: Evidence) -> bool:
    record = it.day["record"]
    keys = [record["operator_key"], record["witness_key"]]
    return keys == [it.operator_key.hex(), it.witness_key.hex()]


@_check(
    "The operator signed the terms of the day",
    shows="the operator committed itself to its chain of secrets, the schedule and the odds",
    leaves_open="when it signed: only a copy that was kept before the first sale shows that",
)
def _day_by_operator(it: Evidence) -> bool:
    payload = _DAY + canonical(it.day["record"])
    return _is_signed(it.operator_key, payload, it.day["operator_signature"])


@_check(
    "The witness signed the terms of the day",
    shows="the witness committed itself to its own chain of secrets on the same terms",
    leaves_open="that the witness is independent of the operator",
)
def _day_by_witness(it: Evidence) -> bool:
    payload = _DAY + canonical(it.day["record"])
    return _is_signed(it.witness_key, payload, it.day["witness_signature"])


@_check(
    "The list of bets is of a round of that day",
    shows="game, day and index of the round fit the terms",
    leaves_open="how many rounds of the day were drawn",
)
def _list_of_day(it: Evidence) -> bool:
    day, frozen = it.day["record"], it.frozen["record"]
    return (
        (day["v"], frozen["v"]) == (1, 1)
        and (frozen["game"], frozen["day"]) == (day["game"], day["day"])
        and max(1, day["first"]) <= frozen["i"] <= min(day["rounds"], _MAX_ROUNDS)
    )


@_check(
    "The list of bets has the hash that was signed",
    shows="the count, the stakes and the Merkle root of the bets are those of the hash",
    leaves_open="the other bets of the list",
)
def _list_hash(it: Evidence) -> bool:
    return sha256(canonical(it.frozen["record"])).hexdigest() == str(it.frozen["hash"])


@_check(
    "The operator signed the list of bets",
    shows="the operator cannot deny that this list decided the draw",
    leaves_open="that every accepted bet is in it: each player checks their own",
)
def _list_by_operator(it: Evidence) -> bool:
    payload = _FROZEN + _frozen_hash(it)
    return _is_signed(it.operator_key, payload, it.frozen["operator_signature"])


@_check(
    "The operator's secret is the one of its chain",
    shows="it was fixed when the terms were signed: no other value leads to the chain's end",
    leaves_open="that it stayed secret until the draw",
)
def _operator_link(it: Evidence) -> bool:
    return _leads_back(it, "operator", "c_0")


@_check(
    "The witness's secret is the one of its chain",
    shows="it was fixed when the terms were signed: no other value leads to the chain's end",
    leaves_open="that it stayed secret until the draw",
)
def _witness_link(it: Evidence) -> bool:
    return _leads_back(it, "witness", "w_0")


def _leads_back(it: Evidence, role: str, published: str) -> bool:
    """Whether a party's secret, hashed as often as the round's index says, is what it published."""
    frozen, value = it.frozen["record"], from_hex(it.secrets[f"{role}_secret"], HASH_BYTES)
    if not _list_of_day(it):
        return False
    head = _CHAIN + lp(role) + lp(frozen["game"]) + lp(frozen["day"])
    for index in reversed(range(frozen["i"])):
        value = sha256(head + index.to_bytes(4, "big") + value).digest()
    return value.hex() == str(it.day["record"][published])


@_check(
    "The witness released its secret for this list of bets",
    shows="the witness states that it gave its secret for this list and for no other",
    leaves_open="that operator and witness did not act together",
    applies=_is_drawn,
)
def _release(it: Evidence) -> bool:
    payload = _RELEASE + _frozen_hash(it)
    return _is_signed(it.witness_key, payload, it.secrets["witness_signature"])


@_check(
    "The public beacon is the one that the terms and the close of sales name",
    shows="no one could choose another round of the beacon, or leave it out",
    leaves_open="that the network signed it: check its signature with the network's own tools",
    applies=_is_drawn,
)
def _beacon(it: Evidence) -> bool:
    mode, beacon = it.day["record"]["beacon"], it.drawn.get("beacon")
    if mode == "off" or beacon is None:
        return mode == "off" and beacon is None
    name, genesis, period = _NETWORKS[mode]
    since = it.frozen["record"]["closes_at"] + _BEACON_MARGIN_US - genesis * _SECOND_US
    expected = max(0, -(-since // (period * _SECOND_US))) + 1
    signature = bytes.fromhex(beacon["signature"])
    randomness = from_hex(beacon["randomness"], HASH_BYTES)
    return (
        (beacon["network"], beacon["round"]) == (name, expected)
        and signature.hex() == beacon["signature"]
        and sha256(signature).digest() == randomness
    )


@_check(
    "The digits follow from both secrets and the list of bets",
    shows="nothing else decided the draw",
    leaves_open="when the draw was published",
    applies=_is_drawn,
)
def _digits(it: Evidence) -> bool:
    frozen = it.frozen["record"]
    message = _DRAW + lp(frozen["game"]) + lp(frozen["day"]) + frozen["i"].to_bytes(4, "big")
    message += from_hex(it.secrets["witness_secret"], HASH_BYTES) + _frozen_hash(it) + _mode(it)
    stream = _stream(from_hex(it.secrets["operator_secret"], HASH_BYTES), message)
    unbiased = (byte % 10 for byte in stream if byte <= _LAST_UNBIASED)
    digits = [next(unbiased) for _ in range(_DIGITS)]
    return digits == list(it.drawn["digits"])


def _mode(it: Evidence) -> bytes:
    """What the beacon adds to the draw."""
    beacon = it.drawn.get("beacon")
    return b"\1" + from_hex(beacon["randomness"], HASH_BYTES) if beacon else _NO_BEACON


def _stream(key: bytes, message: bytes) -> Iterator[int]:
    block = 0
    while True:
        yield from hmac.digest(key, message + block.to_bytes(4, "big"), "sha256")
        block += 1


@_check(
    "The sum is that of the digits",
    shows="the number that decides which bets win",
    leaves_open="which bets of others won",
    applies=_is_drawn,
)
def _sum(it: Evidence) -> bool:
    digits: list[int] = it.drawn["digits"]
    total: int = it.drawn["sum"]
    return sum(digits) == total


@_check(
    "The witness states that this round was never released",
    shows="the round was voided while its result could not be known",
    leaves_open="why it was voided",
    applies=_is_void,
)
def _cancelled(it: Evidence) -> bool:
    frozen = it.frozen["record"]
    record = {"day": frozen["day"], "game": frozen["game"], "i": frozen["i"], "v": 1}
    payload = _CANCEL + canonical(record)
    is_signed = _is_signed(it.witness_key, payload, it.secrets["witness_signature"])
    return is_signed and it.voided == ATTESTED and not it.has_draw


@_check(
    "The receipt belongs to the player",
    shows="the hash on the receipt is that of this player's number",
    leaves_open="which person has this number",
    about=Part.BET,
)
def _owner(it: Evidence) -> bool:
    receipt = it.receipt
    owner = sha256(it.player.encode() + from_hex(receipt["salt"], _SALT_BYTES)).hexdigest()
    return (receipt["v"], receipt["owner"]) == (1, owner)


@_check(
    "The receipt is of this round, from before its close",
    shows="the bet was in time",
    leaves_open="that the operator's clock was right",
    about=Part.BET,
)
def _receipt_of_round(it: Evidence) -> bool:
    receipt, frozen = it.receipt, it.frozen["record"]
    is_same = (receipt["game"], receipt["issue"]) == (frozen["game"], frozen["issue"])
    return is_same and int(receipt["at"]) < int(frozen["closes_at"])


@_check(
    "The operator signed the receipt",
    shows="the operator accepted this bet at these odds",
    leaves_open="that the stake was taken from the account",
    about=Part.LOG,
)
def _receipt_by_operator(it: Evidence) -> bool:
    size, head = it.batch["size"], from_hex(it.batch["head"], HASH_BYTES)
    leaf = leaf_hash(canonical(it.receipt))
    payload = _RECEIPTS + size.to_bytes(8, "big") + head
    return root_of(leaf, it.batch["index"], size, it.batch["path"]) == head and _is_signed(
        it.operator_key, payload, it.batch["signature"]
    )


@_check(
    "The receipt is in the list of bets",
    shows="the accepted bet is in the list from which the digits were computed",
    leaves_open="the other bets of the list",
    about=Part.BET,
)
def _receipt_in_list(it: Evidence) -> bool:
    index, path = it.bet["index"], it.bet["path"]
    frozen = it.frozen["record"]
    if index is None or path is None:
        raise MissingPartError
    root = root_of(leaf_hash(canonical(it.receipt)), index, frozen["count"], path)
    return root.hex() == str(frozen["bets"])


@_check(
    "The payout is what the receipt's odds give",
    shows="the amount that the operator states is right for this draw",
    leaves_open="that it was credited: the account's statement shows that",
    about=Part.BET,
    applies=_is_drawn,
)
def _payout(it: Evidence) -> bool:
    receipt, due = it.receipt, 0
    if it.drawn["sum"] in WINNING.get(receipt["kind"], ()):
        due = winnings(receipt["stake_minor"], receipt["odds_milli"])
    return due == int(it.bet["payout_minor"])


@_check(
    "There is no payout for a voided round",
    shows="the bet was not decided",
    leaves_open="that the stake was returned: the account's statement shows that",
    about=Part.BET,
    applies=_is_void,
)
def _no_payout(it: Evidence) -> bool:
    return int(it.bet["payout_minor"]) == 0


@_check(
    "The log entry is this bet",
    shows="the entry has the bet of this player, with the receipt's time, stake, kind and odds",
    leaves_open="the other entries of the log",
    about=Part.LOG,
)
def _entry(it: Evidence) -> bool:
    entry, receipt = read_entry(it.log["entry"]), it.receipt
    fact = json.loads(entry.state)
    return (
        (entry.stream, entry.topic) == (f"player-{it.player}", "bet-placed.1")
        and entry.at == receipt["at"]
        and str(fact["game"]) == receipt["game"]
        and all(fact[name] == receipt[name] for name in _SAME)
    )


@_check(
    "The log entry is in the log of the checkpoint",
    shows="the log cannot lose or change this entry without another root hash",
    leaves_open="that later checkpoints continue this one: keep it and compare",
    about=Part.LOG,
)
def _inclusion(it: Evidence) -> bool:
    note, content = read_note(it.log["note"]), from_hex(it.log["entry"])
    place = read_entry(it.log["entry"]).position - 1
    return root_of(leaf_hash(content), place, note.size, it.log["path"]) == note.root


@_check(
    "The operator signed the checkpoint",
    shows="the operator cannot deny this state of its log",
    leaves_open="that others see the same log: compare checkpoints of the same size",
    about=Part.LOG,
)
def _checkpoint(it: Evidence) -> bool:
    return is_signed_note(read_note(it.log["note"]), it.operator_key)


def is_cosigned(it: Evidence) -> bool:
    """Whether the checkpoint has a line with the witness's key, valid or not."""
    try:
        return bool(cosignatures(read_note(it.log["note"]), it.witness_key))
    except (MissingPartError, *MALFORMED):
        return False


@_check(
    "The witness signed the checkpoint",
    shows="the witness saw this log, as a continuation of the log that it saw before",
    leaves_open="that the witness is independent of the operator",
    about=Part.LOG,
    applies=is_cosigned,
)
def _cosigned(it: Evidence) -> bool:
    return are_valid_cosignatures(read_note(it.log["note"]), it.witness_key)


def _frozen_hash(it: Evidence) -> bytes:
    return from_hex(it.frozen["hash"], HASH_BYTES)


def _is_signed(key: bytes, payload: bytes, signature: str) -> bool:
    return is_valid(key, payload, from_hex(signature, SIGNATURE_BYTES))
