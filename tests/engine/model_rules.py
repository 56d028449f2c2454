"""The house's rules, written a second time from the specification without code of the engine.

Money is in minor units, odds in thousandths, time in microseconds since 1970.
"""

import hmac
import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, NamedTuple

SECOND = 1_000_000
DAY_US = 86_400 * SECOND

GAMES = (1, 2, 3, 4)
SUMS = range(28)
CAP_MINOR = 100_000_000
MAX_STAKE_MINOR = 5_000_000
FOUR_EYES_MINOR = 500_000
ODDS_TABLE = "card-21.04.02"

# The schedule of the model and the machine: short days of twelve short rounds.
ROUNDS, ROUND_S, CLOSE_S, STAGGER_S = 12, 60, 10, 5
DAY_LENGTH_S = ROUNDS * ROUND_S + 3 * STAGGER_S
FIRST_START = round(datetime(2026, 11, 21, 2, tzinfo=UTC).timestamp()) * SECOND
"""10:00 in Singapore."""

_SUM_ODDS_MILLI = (
    950_000, 316_660, 158_330, 95_000, 63_330, 45_230, 33_920,
    26_380, 21_110, 17_270, 15_070, 13_760, 13_010, 12_660,
)  # fmt: skip
ODDS_MILLI = {
    **dict.fromkeys(("big", "small", "odd", "even"), 1_980),
    **dict.fromkeys(("big_odd", "big_even", "small_odd", "small_even"), 3_800),
    **dict.fromkeys(("extreme_big", "extreme_small"), 11_000),
    **{str(total): _SUM_ODDS_MILLI[min(total, 27 - total)] for total in SUMS},
}


def wins(kind: str, total: int) -> bool:
    if kind.isdigit():
        return int(kind) == total
    conditions = {
        "big": total >= 14,
        "small": total <= 13,
        "odd": total % 2 == 1,
        "even": total % 2 == 0,
        "extreme_big": total >= 22,
        "extreme_small": total <= 5,
    }
    if kind in conditions:
        return conditions[kind]
    return all(conditions[half] for half in kind.split("_"))


def payout_minor(kind: str, stake_minor: int, total: int) -> int:
    return stake_minor * ODDS_MILLI[kind] // 1000 if wins(kind, total) else 0


def effective_turnover(stakes: list[tuple[str, int]]) -> tuple[int, int]:
    """The total stake, and what counts of it: less the mean of the 250 lowest of 1,000 payouts."""
    total = sum(stake for _, stake in stakes)
    payouts = sorted(
        sum(payout_minor(kind, stake, sum(map(int, f"{draw:03d}"))) for kind, stake in stakes)
        for draw in range(1000)
    )
    return total, max(0, (250 * total - sum(payouts[:250])) // 250)


def game_of_plan(plan: int) -> int | None:
    return (plan - 1) // 9 + 1 if 1 <= plan <= 36 else None


def min_stake_minor(plan: int) -> int:
    """1, 10 and 50 u in the ordinary, mid-level and high-level halls of every room."""
    return (100, 1_000, 5_000)[(plan - 1) % 3]


def join_minor(plan: int) -> int:
    """0, 500 and 2,000 u in the halls of VIP1, ten and a hundred times that in VIP2 and VIP3."""
    return (0, 50_000, 200_000)[(plan - 1) % 3] * (1, 10, 100)[(plan - 1) % 9 // 3]


def calendar_day(now: int) -> int:
    """Days since 1970 in Singapore, which is eight hours ahead all year."""
    return (now + 8 * 3600 * SECOND) // DAY_US


class Slot(NamedTuple):
    """A round's place in the schedule."""

    number: int
    issue: str
    opens_at: int
    closes_at: int
    draws_at: int


def date_of(now: int) -> str:
    """The draw day; its start is at 02:00 UTC, and none of our days passes midnight."""
    return datetime.fromtimestamp(now // SECOND, UTC).date().isoformat()


def slot(game: int, date: str, index: int) -> Slot:
    start = round(datetime.fromisoformat(f"{date}T02:00+00:00").timestamp()) * SECOND
    draws_at = start + ((game - 1) * STAGGER_S + index * ROUND_S) * SECOND
    opens_at = start if index == 1 else draws_at - ROUND_S * SECOND
    issue = f"{date.replace('-', '')}{index:03d}"
    return Slot(index, issue, opens_at, draws_at - CLOSE_S * SECOND, draws_at)


def slot_at(game: int, now: int) -> Slot | None:
    """The slot from whose opening until before whose draw `now` is. None if there is none."""
    places = (slot(game, date_of(now), index) for index in range(1, ROUNDS + 1))
    return next((place for place in places if place.opens_at <= now < place.draws_at), None)


def canonical(value: Any) -> bytes:
    """RFC 8785 for records whose names are plain ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _lp(text: str) -> bytes:
    return len(text).to_bytes(2, "big") + text.encode()


def link_down(role: str, game: int, day: str, secret: str, above: int, below: int) -> str:
    """The link at index `below` that the link at index `above` leads to, hex."""
    value = bytes.fromhex(secret)
    prefix = b"fairdraw/chain/v1\0" + _lp(role) + _lp(str(game)) + _lp(day)
    for index in range(above - 1, below - 1, -1):
        value = sha256(prefix + index.to_bytes(4, "big") + value).digest()
    return value.hex()


def draw_digits(drawn: dict[str, Any]) -> list[int]:
    """The three digits that the published values of a round lead to."""
    beacon = drawn.get("beacon")
    mode = bytes(33) if beacon is None else b"\1" + bytes.fromhex(beacon["randomness"])
    message = (
        b"fairdraw/draw/v1\0" + _lp(str(drawn["game"])) + _lp(drawn["day"])
        + drawn["index"].to_bytes(4, "big")
        + bytes.fromhex(drawn["witness_secret"] + drawn["frozen"]) + mode
    )  # fmt: skip
    key = bytes.fromhex(drawn["operator_secret"])
    blocks = (hmac.digest(key, message + n.to_bytes(4, "big"), "sha256") for n in range(50))
    return [byte % 10 for block in blocks for byte in block if byte < 250][:3]


def beacon_round(mode: str, closes_at: int) -> int | None:
    """The beacon round of a draw, as drand counts: the first 6 s after the close or later."""
    if mode == "off":
        return None
    genesis, period = {"52db9ba7": (1692803367, 3), "8990e7a9": (1595431050, 30)}[mode[:8]]
    number = 1
    elapsed_us = closes_at + 6_000_000 - genesis * 1_000_000
    number += elapsed_us // (period * 1_000_000)
    return number + (elapsed_us % (period * 1_000_000) > 0)


def receipt(player: int, bet: dict[str, Any], at: int) -> bytes:
    names = ("bet", "issue", "kind", "odds_milli", "odds_table", "salt", "stake_minor")
    owner = sha256(str(player).encode() + bytes.fromhex(bet["salt"])).hexdigest()
    fields = {name: bet[name] for name in names}
    return canonical({**fields, "at": at, "game": str(bet["game"]), "owner": owner, "v": 1})


def tree_head(entries: list[bytes]) -> bytes:
    """The tree head, as defined in RFC 9162 §2.1.1."""
    if len(entries) <= 1:
        return sha256(b"\0" + entries[0] if entries else b"").digest()
    half = 1
    while half * 2 < len(entries):
        half *= 2
    return sha256(b"\1" + tree_head(entries[:half]) + tree_head(entries[half:])).digest()


def day_hash(opened: dict[str, Any]) -> str:
    """The hash of a day's record, from its fact: the first `prev` of the day."""
    same = ("beacon", "day", "first", "operator_key", "rounds", "schedule", "shift", "witness_key")
    record = {
        **{name: opened[name] for name in same},
        "c_0": opened["operator_commitment"],
        "game": str(opened["game"]),
        "odds_table": opened["odds_hash"],
        "program": opened["program_hash"],
        "rules": opened["rules_hash"],
        "w_0": opened["witness_commitment"],
        "v": 1,
    }
    return sha256(canonical(record)).hexdigest()


def frozen_hash(closed: dict[str, Any]) -> str:
    """f_i, from the fact of the close."""
    same = ("bets", "closes_at", "count", "day", "issue", "prev", "stake_minor", "stakes")
    record = {name: closed[name] for name in same}
    game = str(closed["game"])
    return sha256(canonical({**record, "game": game, "i": closed["index"], "v": 1})).hexdigest()
