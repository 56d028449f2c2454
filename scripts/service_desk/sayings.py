"""What the reference desk writes, in the app's eight languages: `sayings.json`."""

from pathlib import Path
from typing import Final

import msgspec


class Sayings(msgspec.Struct, frozen=True):
    """`greeting` or `away` opens a conversation; `answer` follows each message."""

    greeting: str
    away: str
    answer: str


SAYINGS: Final = msgspec.json.decode(
    Path(__file__).with_suffix(".json").read_bytes(), type=dict[str, Sayings]
)


def sayings_in(language: str) -> Sayings:
    """Those of a language; an unknown one gets English."""
    return SAYINGS.get(language, SAYINGS["en"])
