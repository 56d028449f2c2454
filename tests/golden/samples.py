"""One or more examples of every permanently stored type, by the folder it is pinned in."""

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from engine import answers, facts
from engine.answers import (
    BetAccepted,
    BetsRecalled,
    ChatAnswered,
    Done,
    MoneyAnswered,
    PlayerAccepted,
    Refused,
    StandingChanged,
)
from engine.bets.commands import PlaceBet, RecallBets
from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.fairness.witness_state import (
    DayFinished,
    DaySigned,
    ReleasesSummed,
    RoundCancelled,
    RoundReleased,
    TailKept,
    WitnessRecord,
)
from engine.house.facts import (
    DayOpened,
    ReceiptsSigned,
    RoundsCarried,
    RoundsSkipped,
    SegmentLeft,
)
from engine.players.commands import RegisterPlayer
from engine.players.facts import PlayerRegistered
from engine.refusals import Refusal
from engine.rounds.facts import (
    RoundClosed,
    RoundDrawn,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    StakesReturned,
    VoidRuled,
    WitnessAnsweredLate,
)
from engine.runtime.log.idempotency import decode_command, encode_command
from engine.schedule import regular
from tests.golden import account_samples

_ISSUE = "20261121007"
_AT = 1_795_226_400_000_000
_HASHES = [f"{number:x}" * 64 for number in range(16)]
_SIGNATURE, _OTHER_SIGNATURE = "ab" * 64, "cd" * 64
_LINK = bytes(range(32))

FACTS: dict[str, list[Struct]] = {
    "player-registered.1": [
        PlayerRegistered(1, 10_007, False, _HASHES[1]),
        PlayerRegistered(2, None, True, ""),
    ],
    "bet-placed.1": [
        BetPlaced(
            "0123456789abcdef0123",
            4,
            _ISSUE,
            36,
            "extreme_small",
            5_000_000,
            123,
            11_000,
            "card-21.04.02",
            _AT + 195_000_000,
            "5a" * 16,
        ),
    ],
    "bet-recalled.1": [BetRecalled("0123456789abcdef0123", 4, _ISSUE, 5_000_000, 123)],
    "bet-settled.1": [
        BetSettled("0123456789abcdef0123", 4, _ISSUE, 3, 5_000_000, 123, 55_000_000, 1_353)
    ],
    "bet-voided.1": [BetVoided("0123456789abcdef0123", 4, _ISSUE, 5_000_000, 123)],
    "round-opened.1": [
        RoundOpened(
            4,
            "2026-11-21/1",
            7,
            _ISSUE,
            _AT,
            _AT + 195_000_000,
            _AT + 210_000_000,
            "balanced",
        )
    ],
    "round-closed.1": [
        RoundClosed(
            4,
            "2026-11-21/1",
            7,
            _ISSUE,
            _AT + 195_000_000,
            3,
            1_300,
            {"big": 1_000, "27": 300},
            _HASHES[3],
            _HASHES[4],
            _HASHES[5],
            _SIGNATURE,
        )
    ],
    "round-drawn.1": [
        RoundDrawn(
            4,
            "2026-11-21/1",
            7,
            _ISSUE,
            _HASHES[6],
            _HASHES[7],
            _HASHES[5],
            (0, 9, 4),
            13,
            _SIGNATURE,
            _OTHER_SIGNATURE,
        )
    ],
    "round-settled.1": [RoundSettled(4, _ISSUE, 3, 1_300, 3_798)],
    "round-voided.1": [
        RoundVoided(4, _ISSUE, "incident-5", 3, 1_300, _OTHER_SIGNATURE, 7, _HASHES[7], _HASHES[5])
    ],
    "void-ruled.1": [
        VoidRuled(
            4,
            "2026-11-21/1",
            7,
            _ISSUE,
            "breach",
            "the tail was lost with the disk",
            "staff:ann",
            "staff:ben",
            "round_released",
            _OTHER_SIGNATURE,
            _HASHES[6],
            _HASHES[7],
        ),
        VoidRuled(
            4, "2026-11-21/1", 7, _ISSUE, "unattested", "no answer", "a", "b", "", "", "", ""
        ),
    ],
    "stakes-returned.1": [StakesReturned(4, _ISSUE, 3, 1_300)],
    "witness-answered-late.1": [
        WitnessAnsweredLate(
            4, "2026-11-21/1", 7, _ISSUE, "not_released", "", _OTHER_SIGNATURE, _HASHES[7]
        ),
        WitnessAnsweredLate(4, "2026-11-21/1", 7, _ISSUE, "unknown", "day_unknown", "", ""),
    ],
    "segment-left.1": [SegmentLeft(4, "2026-11-21/1", "witness_behind")],
    "rounds-carried.1": [RoundsCarried(4, "2026-11-22", (_ISSUE, "20261121008"))],
    "day-opened.1": [
        DayOpened(
            4,
            "2026-11-21/1",
            "2026-11-21",
            1,
            7,
            274,
            0,
            regular(),
            "card-21.04.02",
            _HASHES[8],
            _HASHES[9],
            _HASHES[10],
            "off",
            _HASHES[11],
            _HASHES[12],
            _HASHES[13],
            _HASHES[14],
            _SIGNATURE,
            _OTHER_SIGNATURE,
        )
    ],
    "rounds-skipped.1": [RoundsSkipped(4, "2026-11-21", 8, 12, _HASHES[6], _HASHES[7])],
    "receipts-signed.1": [ReceiptsSigned(1_000, _HASHES[15], _SIGNATURE)],
    **account_samples.FACTS,
}

ANSWERS: dict[str, list[Struct]] = {
    "bet": [BetAccepted("0123456789", 4, _ISSUE, 36, "13", 100, 12_660, _AT, 5, 9_900, 77)],
    "recalled": [BetsRecalled(("0123456789", "abcdef"), 300, 9, 10_200, 77)],
    "player": [PlayerAccepted(10_001, 2, 100_000, 0)],
    "money": [MoneyAnswered("deposit-9", "endorsed", 1_234, 7, 10_000, 77, 500)],
    "standing": [StandingChanged(8, _AT)],
    "chat": [ChatAnswered(8, _AT, 1 << 62)],
    "done": [Done(3)],
    "refused": [Refused(Refusal.FUNDS_INSUFFICIENT, "money"), Refused(Refusal.ROUND_CLOSED)],
}

COMMANDS: dict[str, list[Struct]] = {
    "register": [
        RegisterPlayer(10_001, 1, 10_007, _HASHES[1], False, 100_000),
        RegisterPlayer(10_002, 2, None, ""),
    ],
    "bet": [PlaceBet(10_001, 4, 36, _ISSUE, "small_even", 100)],
    "recall": [
        RecallBets(10_001, 4, _ISSUE, "0123456789"),
        RecallBets(10_001, 4, _ISSUE, None),
    ],
    **account_samples.COMMANDS,
}

WITNESS: dict[str, list[Struct]] = {
    "tail-kept.1": [TailKept("4", "2026-11-21/1", 274, _LINK)],
    "day-signed.1": [DaySigned(b'{"day":"2026-11-21"}', _LINK * 2)],
    "round-released.1": [RoundReleased("4", "2026-11-21/1", 7, _LINK, _LINK * 2)],
    "day-finished.1": [DayFinished("4", "2026-11-21/1", 274)],
    "day-finished.2": [ReleasesSummed("4", "2026-11-21/1", 274, 271, _LINK, _LINK * 2)],
    "round-cancelled.1": [RoundCancelled("4", "2026-11-21/1", 8, _LINK * 2)],
}

SAMPLES = {"facts": FACTS, "answers": ANSWERS, "commands": COMMANDS, "witness": WITNESS}

Encode = Callable[[Any], bytes]
Decode = Callable[[str, bytes], Any]
_witness_decoder = msgspec.json.Decoder(WitnessRecord)

CODERS: dict[str, tuple[Encode, Decode]] = {
    "facts": (facts.encode, facts.decode),
    "answers": (answers.encode, lambda _, state: answers.decode(state)),
    "commands": (encode_command, lambda _, state: decode_command(state)),
    "witness": (msgspec.json.encode, lambda _, state: _witness_decoder.decode(state)),
}
