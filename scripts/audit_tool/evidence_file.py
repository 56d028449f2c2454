"""The evidence files of a bet and of a round, as `scripts/audit verify` reads them: their shape.

Other kinds of files are read with the same functions: evidence_account.py, evidence_fork.py.
"""

import json
import re
from enum import Enum
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from scripts.audit_tool.evidence_checking import MissingPartError
from scripts.audit_tool.evidence_formats import HASH_BYTES, from_hex

MAX_BYTES: Final = 1 << 20
MAX_BYTES_OF_ACCOUNT: Final = 24 << 20
OF_BET: Final = "fairdraw/evidence/v1"
OF_ROUND: Final = "fairdraw/round/v1"
OF_ACCOUNT: Final = "fairdraw/account/v1"
ATTESTED: Final = "attested"
_VOIDS: Final = (ATTESTED, "unattested", "breach")
_MAX_PATH: Final = 64
_MAX_BETS: Final = 1_000


class EvidenceError(Exception):
    """The file is no evidence; the text is one sentence that says why."""


class ListOf(NamedTuple):
    """The shape of a list with at most so many items; a list of one shape is a path."""

    item: Any
    most: int


# The shape of the file. A field that no check covers is refused, so that every byte counts.
_COUNTS: Final = "integers by name"
_SIGNED_DAY: Final = {
    "record": {
        **dict.fromkeys(("beacon", "c_0", "day", "game", "odds_table", "operator_key"), str),
        **dict.fromkeys(("program", "rules", "w_0", "witness_key"), str),
        **dict.fromkeys(("first", "rounds", "shift", "v"), int),
        "schedule": {
            **dict.fromkeys(("rounds", "round_us", "close_us", "stagger_us"), int),
            **dict.fromkeys(("opens_minute_of_day", "day_us"), int),
            "timezone": str,
        },
    },
    "operator_signature": str,
    "witness_signature": str,
}
_SIGNED_LIST: Final = {
    "record": {
        **dict.fromkeys(("bets", "day", "game", "issue", "prev"), str),
        **dict.fromkeys(("closes_at", "count", "i", "stake_minor", "v"), int),
        "stakes": _COUNTS,
    },
    "hash": str,
    "operator_signature": str,
}
_RECEIPT: Final = {
    **dict.fromkeys(("bet", "game", "issue", "kind", "odds_table", "owner", "salt"), str),
    **dict.fromkeys(("at", "odds_milli", "stake_minor", "v"), int),
}
_SECRETS: Final = dict.fromkeys(("operator_secret", "witness_secret", "witness_signature"), str)
_DRAWN: Final = {"digits": [int], "sum": int}
_BEACON: Final = {
    **dict.fromkeys(("network", "randomness", "signature", "previous_signature"), str),
    "round": int,
}
_BET: Final = {"receipt": _RECEIPT, "index?": int, "path?": [str], "payout_minor": int}
_ROUND_SHAPE: Final = {
    "format": str,
    "operator_key": str,
    "witness_key": str,
    "day": _SIGNED_DAY,
    "frozen?": _SIGNED_LIST,
    "secrets?": _SECRETS,
    "drawn?": _DRAWN,
    "voided?": str,
}
_SHAPES: Final[dict[str, dict[str, Any]]] = {
    OF_BET: _ROUND_SHAPE
    | {
        "player": str,
        "bet": _BET,
        "batch?": {"index": int, "size": int, "head": str, "signature": str, "path": [str]},
        "log?": {"entry": str, "path": [str], "note": str},
    },
    OF_ROUND: _ROUND_SHAPE | {"player?": str, "bets": ListOf(_BET, _MAX_BETS)},
}


class Part(Enum):
    """What a check is about."""

    ROUND = 1
    BET = 2
    LOG = 3


class Evidence:
    """What is checked together. A part that is null in the file raises MissingPartError when read.

    `parts` are those that are to be checked: of a bet's file all, of a round's file the round, and
    then each of its bets.
    """

    def __init__(self, found: dict[str, Any], bet: Any, *parts: Part) -> None:
        """`found` has the shape of a file; the keys are bytes."""
        self.player: str = found["player"]
        self.operator_key: bytes = found["operator_key"]
        self.witness_key: bytes = found["witness_key"]
        self.voided: str | None = found["voided"]
        self.day: Any = found["day"]
        self.bet: Any = bet
        self.parts = parts
        self._found = found

    @property
    def receipt(self) -> Any:
        """The receipt of the bet."""
        return self.bet["receipt"]

    @property
    def place(self) -> tuple[str, str]:
        """The game, and the round's public number if the file has it, otherwise the day."""
        if self.bet is not None:
            return self.receipt["game"], self.receipt["issue"]
        named = self._found["frozen"]
        day = self.day["record"]
        return day["game"], named["record"]["issue"] if named else f"of {day['day']}"

    @property
    def frozen(self) -> Any:
        """The list of bets at the close."""
        return self._part("frozen")

    @property
    def secrets(self) -> Any:
        """Both parties' secrets of the round."""
        return self._part("secrets")

    @property
    def drawn(self) -> Any:
        """The digits and their sum."""
        return self._part("drawn")

    @property
    def batch(self) -> Any:
        """The signature of the receipt."""
        return self._part("batch")

    @property
    def log(self) -> Any:
        """The log entry, its path and the checkpoint."""
        return self._part("log")

    @property
    def has_draw(self) -> bool:
        """Whether the file has digits."""
        return self._found["drawn"] is not None

    def _part(self, name: str) -> Any:
        if self._found[name] is None:
            raise MissingPartError
        return self._found[name]


def read_json(file: Path) -> dict[str, Any]:
    """Returns the object in a file. Raises EvidenceError if there is none."""
    try:
        with file.open("rb") as opened:
            content = opened.read(MAX_BYTES_OF_ACCOUNT + 1)
    except (OSError, ValueError) as error:
        raise EvidenceError(f"the file cannot be read ({error.__class__.__name__})") from None
    if len(content) > MAX_BYTES and OF_ACCOUNT.encode() not in content:
        raise EvidenceError("the file is larger than 1 MiB, which no evidence of its kind is")
    if len(content) > MAX_BYTES_OF_ACCOUNT:
        raise EvidenceError("the file is larger than 24 MiB, which no evidence of an account is")
    found = _decoded(content)
    if len(content) > MAX_BYTES and found.get("format") != OF_ACCOUNT:
        raise EvidenceError("the file is larger than 1 MiB, which no evidence of its kind is")
    return found


def _decoded(content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(
            content.decode(),
            object_pairs_hook=_object,
            parse_float=_refuse_number,
            parse_constant=_refuse_number,
        )
    except (ValueError, RecursionError):
        raise EvidenceError("the file is not JSON as the app writes it") from None
    if not isinstance(found, dict):
        raise EvidenceError("the file is not JSON as the app writes it")
    return found


def read(file: Path) -> list[Evidence]:
    """Returns what a file is evidence of, as `evidence_of`."""
    return evidence_of(read_json(file))


def evidence_of(found: dict[str, Any]) -> list[Evidence]:
    """Returns a bet with its round, or a round by itself and then each own bet with it.

    Raises EvidenceError if the object of a file is neither.
    """
    shape = _SHAPES.get(str(found.get("format")))
    if shape is None:
        formats = ", ".join((*_SHAPES, OF_ACCOUNT))
        raise EvidenceError(f"the file is not evidence of a bet, round or account ({formats})")
    drawn = found.get("drawn")
    with_beacon = isinstance(drawn, dict) and "beacon" in drawn
    shape = shape | {"drawn?": _DRAWN | {"beacon": _BEACON}} if with_beacon else shape
    check_shape(found, shape, "the file")
    bets = found["bets"] if found["format"] == OF_ROUND else [found["bet"]]
    if (found["player"] is not None) != bool(bets):
        raise EvidenceError("a round has a player if it has bets of that player, and only then")
    if bets:
        check_player(found["player"])
    if len({bet["receipt"]["bet"] for bet in bets}) < len(bets):
        raise EvidenceError("a bet is in the file twice")
    if found["voided"] not in {None, *_VOIDS}:
        raise EvidenceError("voided is not a kind of void")
    keys = {party: key_of(found, party) for party in ("operator_key", "witness_key")}
    found |= keys
    if found["format"] == OF_BET:
        return [Evidence(found, bets[0], *Part)]
    return [
        Evidence(found, None, Part.ROUND),
        *(Evidence(found, bet, Part.BET) for bet in bets),
    ]


def check_player(text: str) -> None:
    """Raises EvidenceError unless a text is the number of a player."""
    if not re.fullmatch("[1-9][0-9]{0,18}", text):
        raise EvidenceError("player is not the number of a player")


def key_of(found: dict[str, Any], name: str) -> bytes:
    """Returns a public key of the file. Raises EvidenceError if it is none."""
    try:
        return from_hex(found[name], HASH_BYTES)
    except ValueError:
        raise EvidenceError(f"{name} is not a public key in hex") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is there twice")
    return found


def _refuse_number(text: str) -> NoReturn:
    raise ValueError(text)


def check_shape(value: Any, shape: Any, place: str) -> None:
    """Raises EvidenceError unless a value has this shape.

    A name with "?" may be null. A list of one shape is a path; `ListOf` names another length.
    """
    if isinstance(shape, dict):
        names = {name.rstrip("?"): name for name in shape}
        if not isinstance(value, dict) or value.keys() != names.keys():
            raise EvidenceError(f"{place} has not exactly the fields that it should have")
        for name, marked in names.items():
            if value[name] is not None or not marked.endswith("?"):
                check_shape(value[name], shape[marked], name)
    elif isinstance(shape, list):
        check_shape(value, ListOf(shape[0], _MAX_PATH), place)
    elif isinstance(shape, ListOf):
        if not isinstance(value, list) or len(value) > shape.most:
            raise EvidenceError(f"{place} is not a short list")
        for each in value:
            check_shape(each, shape.item, place)
    elif shape is _COUNTS:
        if not isinstance(value, dict) or any(type(each) is not int for each in value.values()):
            raise EvidenceError(f"{place} is not a table of whole numbers")
    elif type(value) is not shape:
        raise EvidenceError(f"{place} is not a {'text' if shape is str else 'whole number'}")
