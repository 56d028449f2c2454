"""The log's tree over a proven bet and its neighbours, as vectors for every reader of the tree.

The web app and `scripts/audit verify` read the same file, so that Python, Node and Chromium are
tested with the same bytes. `python -m tests.engine.fairness.log_vectors` writes it.
"""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from engine.bets.facts import BetPlaced
from engine.catalogue import wins
from engine.facts import TOPICS, encode, player_stream
from engine.fairness import checkpoints, signing, tiles
from engine.fairness.canonical import canonical
from engine.fairness.checkpoints import Checkpoint, Note
from engine.fairness.draw import draw
from engine.fairness.merkle import Tree, leaf_hash
from engine.fairness.receipts import receipt_of, sign_head
from engine.fairness.records import frozen_record, record_hash
from engine.odds import SPECIFIED, payout_minor
from engine.schedule import issue
from tests.engine.fairness.parties import (
    DATE,
    GAME,
    OPERATOR_KEY,
    OPERATOR_PUBLIC,
    SCHEDULE,
    STRANGER_KEY,
    WITNESS_KEY,
    WITNESS_PUBLIC,
    closes_at,
    opened_day,
    operator_chain,
    witness_chain,
)

FILE: Final = Path(__file__).with_name("log_vectors.json")
SIZES: Final = (1, 2, 3, 7, 8, 255, 256, 257, 700)
ROUND, PLAYER, BET = 7, 10_023, 2
_FIRST: Final = 300
_KINDS: Final = ("big", "13", "small_odd", "even", "extreme_big")
_ISSUE: Final = issue(SCHEDULE, DATE, ROUND)


def _placed(number: int, kind: str) -> BetPlaced:
    return BetPlaced(
        bet=f"{number:020x}",
        game=int(GAME),
        issue=_ISSUE,
        plan=1,
        kind=kind,
        stake_minor=1_000 + number,
        bonus_minor=0,
        odds_milli=SPECIFIED.odds_milli[kind],
        odds_table=SPECIFIED.id,
        closes_at=closes_at(ROUND),
        salt=number.to_bytes(16, "big").hex(),
    )


BETS: Final = [_placed(number, kind) for number, kind in enumerate(_KINDS)]


def _at(number: int) -> int:
    return closes_at(ROUND) - 1_000 + number


RECEIPTS: Final = Tree(
    [leaf_hash(receipt_of(PLAYER, bet, _at(number))) for number, bet in enumerate(BETS)]
)


def entries() -> list[bytes]:
    """The log: facts of others, and the bets between them."""
    found = [
        tiles.entry(at + 1, "größe-2", at + 1, "other.1", at, f"c{at}", "house", b'{"a":1}')
        for at in range(SIZES[-1])
    ]
    stream, topic = player_stream(PLAYER), TOPICS[BetPlaced]
    for number, bet in enumerate(BETS):
        at = _FIRST + number
        found[at] = tiles.entry(
            at + 1, stream, number + 5, topic, _at(number), f"key-{number}", stream, encode(bet)
        )
    return found


ENTRIES: Final = entries()
LEAVES: Final = [leaf_hash(each) for each in ENTRIES]


class AllTiles:
    """The tiles of the whole log."""

    _tiles = tiles.extend([], 0, LEAVES)

    def tile(self, level: int, number: int) -> bytes:
        return self._tiles[level, number]


def note(size: int, *, forked: bool = False) -> Note:
    """The operator's checkpoint; a forked one is of a log with another last fact."""
    leaves = LEAVES[:size]
    if forked:
        leaves[-1] = leaf_hash(b"another fact")
    origin = checkpoints.origin_of(OPERATOR_PUBLIC)
    return checkpoints.sign(Checkpoint(origin, size, Tree(leaves).head), OPERATOR_KEY)


def cosigned(size: int) -> Note:
    """A checkpoint with the cosignature of the day's witness, and of one that is unknown here."""
    found = note(size)
    by = [("witness.example", WITNESS_KEY), ("elsewhere.example", STRANGER_KEY)]
    lines = [checkpoints.cosign(found.checkpoint, name, key, 1_795_300_000) for name, key in by]
    return found.with_signatures(lines)


def evidence() -> dict[str, Any]:
    """The evidence file of a bet of an honest round."""
    bet, opened = BETS[BET], opened_day()
    frozen = frozen_record(
        game=GAME,
        day=DATE,
        i=ROUND,
        issue=_ISSUE,
        closes_at=closes_at(ROUND),
        count=len(BETS),
        stakes={each.kind: each.stake_minor for each in BETS},
        bets=RECEIPTS.head,
        prev=sha256(b"the round before").digest(),
    )
    day, f = canonical(opened), record_hash(frozen)
    operator, witness = operator_chain()[ROUND], witness_chain()[ROUND]
    digits = draw(operator, witness, GAME, DATE, ROUND, f, None)
    won = wins(bet.kind, sum(digits))
    return {
        "format": "fairdraw/evidence/v1",
        "player": str(PLAYER),
        "operator_key": OPERATOR_PUBLIC.hex(),
        "witness_key": WITNESS_PUBLIC.hex(),
        "day": {
            "record": json.loads(day),
            "operator_signature": signing.sign(OPERATOR_KEY, signing.DAY, day).hex(),
            "witness_signature": signing.sign(WITNESS_KEY, signing.DAY, day).hex(),
        },
        "frozen": {
            "record": json.loads(canonical(frozen)),
            "hash": f.hex(),
            "operator_signature": signing.sign(OPERATOR_KEY, signing.FROZEN, f).hex(),
        },
        "secrets": {
            "operator_secret": operator.hex(),
            "witness_secret": witness.hex(),
            "witness_signature": signing.sign(WITNESS_KEY, signing.RELEASE, f).hex(),
        },
        "drawn": {"digits": list(digits), "sum": sum(digits)},
        "voided": None,
        "bet": {
            "receipt": json.loads(receipt_of(PLAYER, bet, _at(BET))),
            "index": BET,
            "path": _hex(RECEIPTS.path(BET)),
            "payout_minor": payout_minor(bet.stake_minor, bet.odds_milli) if won else 0,
        },
        "batch": {
            "index": BET,
            "size": RECEIPTS.size,
            "head": RECEIPTS.head.hex(),
            "signature": sign_head(OPERATOR_KEY, RECEIPTS.size, RECEIPTS.head).hex(),
            "path": _hex(RECEIPTS.path(BET)),
        },
        "log": {
            "entry": ENTRIES[_FIRST + BET].hex(),
            "path": _hex(tiles.inclusion_path(AllTiles(), _FIRST + BET, SIZES[-1])),
            "note": note(SIZES[-1]).text(),
        },
    }


def _hex(path: list[bytes]) -> list[str]:
    return [each.hex() for each in path]


def vectors() -> dict[str, Any]:
    """Everything that the file has."""
    log = AllTiles()
    roots = {str(size): tiles.root(log, size).hex() for size in SIZES}
    pairs = [(old, new) for new in SIZES for old in SIZES if old <= new]
    places = [(index, size) for size in SIZES for index in sorted({0, size // 2, size - 1})]
    return {
        "operator_key": OPERATOR_PUBLIC.hex(),
        "leaves": [
            {"entry": ENTRIES[at].hex(), "leaf": LEAVES[at].hex()} for at in (0, 2, _FIRST + BET)
        ],
        "roots": roots,
        "inclusion": [
            {
                "index": index,
                "size": size,
                "leaf": LEAVES[index].hex(),
                "path": _hex(tiles.inclusion_path(log, index, size)),
            }
            for index, size in places
        ],
        "consistency": [
            {"old": old, "new": new, "path": _hex(tiles.consistency_path(log, old, new))}
            for old, new in pairs
        ],
        "notes": [note(size).text() for size in SIZES],
        "cosigned": cosigned(SIZES[-1]).text(),
        "forked": note(SIZES[-1], forked=True).text(),
        "evidence": evidence(),
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(vectors(), indent=1, ensure_ascii=False) + "\n")
    print(f"Written: {FILE.name}")
