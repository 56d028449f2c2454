"""The evidence file of one bet, as `scripts/audit verify` reads it: its shape, and its parts."""

import json
import re
from pathlib import Path
from typing import Any, Final, NoReturn

from scripts.audit_tool.evidence_formats import HASH_BYTES, from_hex

MAX_BYTES: Final = 1 << 20
FORMAT: Final = "fairdraw/evidence/v1"
ATTESTED: Final = "attested"
_VOIDS: Final = (ATTESTED, "unattested", "breach")
_MAX_PATH: Final = 64


class EvidenceError(Exception):
    """The file is no evidence; the text is one sentence that says why."""


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
_SHAPE: Final = {
    "format": str,
    "player": str,
    "operator_key": str,
    "witness_key": str,
    "day": _SIGNED_DAY,
    "frozen?": _SIGNED_LIST,
    "secrets?": _SECRETS,
    "drawn?": _DRAWN,
    "voided?": str,
    "bet": {"receipt": _RECEIPT, "index?": int, "path?": [str], "payout_minor": int},
    "batch?": {"index": int, "size": int, "head": str, "signature": str, "path": [str]},
    "log?": {"entry": str, "path": [str], "note": str},
}


class MissingPartError(Exception):
    """The file lacks a part of the evidence, because the app did not have it."""


class Evidence:
    """The file's content. A part that is null in the file raises MissingPartError when read."""

    def __init__(self, found: dict[str, Any]) -> None:
        """`found` has the shape of the file; the keys are bytes."""
        self.player: str = found["player"]
        self.operator_key: bytes = found["operator_key"]
        self.witness_key: bytes = found["witness_key"]
        self.voided: str | None = found["voided"]
        self.day: Any = found["day"]
        self.bet: Any = found["bet"]
        self.receipt: Any = found["bet"]["receipt"]
        self._parts = found

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
        return self._parts["drawn"] is not None

    def _part(self, name: str) -> Any:
        if self._parts[name] is None:
            raise MissingPartError
        return self._parts[name]


def read_json(file: Path) -> dict[str, Any]:
    """Returns the object in a file. Raises EvidenceError if there is none."""
    try:
        with file.open("rb") as opened:
            content = opened.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise EvidenceError(f"the file cannot be read ({error.__class__.__name__})") from None
    if len(content) > MAX_BYTES:
        raise EvidenceError("the file is larger than 1 MiB, which no evidence file is")
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


def read(file: Path) -> Evidence:
    """Returns the evidence of a bet. Raises EvidenceError if the file has none."""
    return evidence_of(read_json(file))


def evidence_of(found: dict[str, Any]) -> Evidence:
    """Returns the evidence in the object of a file. Raises EvidenceError if it is none."""
    if found.get("format") != FORMAT:
        raise EvidenceError(f"the file is not evidence of a bet (format {FORMAT})")
    drawn = found.get("drawn")
    with_beacon = isinstance(drawn, dict) and "beacon" in drawn
    shape = _SHAPE | {"drawn?": _DRAWN | {"beacon": _BEACON}} if with_beacon else _SHAPE
    check_shape(found, shape, "the file")
    if not re.fullmatch("[1-9][0-9]{0,18}", found["player"]):
        raise EvidenceError("player is not the number of a player")
    if found["voided"] not in {None, *_VOIDS}:
        raise EvidenceError("voided is not a kind of void")
    keys = {party: key_of(found, party) for party in ("operator_key", "witness_key")}
    return Evidence(found | keys)


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
    """Raises EvidenceError unless a value has this shape; a name with "?" may be null."""
    if isinstance(shape, dict):
        names = {name.rstrip("?"): name for name in shape}
        if not isinstance(value, dict) or value.keys() != names.keys():
            raise EvidenceError(f"{place} has not exactly the fields that it should have")
        for name, marked in names.items():
            if value[name] is not None or not marked.endswith("?"):
                check_shape(value[name], shape[marked], name)
    elif isinstance(shape, list):
        if not isinstance(value, list) or len(value) > _MAX_PATH:
            raise EvidenceError(f"{place} is not a short list")
        for each in value:
            check_shape(each, shape[0], place)
    elif shape is _COUNTS:
        if not isinstance(value, dict) or any(type(each) is not int for each in value.values()):
            raise EvidenceError(f"{place} is not a table of whole numbers")
    elif type(value) is not shape:
        raise EvidenceError(f"{place} is not a {'text' if shape is str else 'whole number'}")
