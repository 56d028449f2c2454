"""The texts of the reference desk, in the app's eight languages: `sayings.json`."""

from pathlib import Path
from typing import Final

import msgspec


class CannedReplies(msgspec.Struct, frozen=True):
    """`greeting` or `away` opens a conversation; `answer` follows each message."""

    greeting: str
    away: str
    answer: str


REPLIES: Final = msgspec.json.decode(
    Path(__file__).with_suffix(".json").read_bytes(), type=dict[str, CannedReplies]
)


def replies_in(language: str) -> CannedReplies:
    """Returns the texts in a language; an unknown one gets English."""
    return REPLIES.get(language, REPLIES["en"])
