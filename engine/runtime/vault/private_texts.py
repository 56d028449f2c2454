"""Texts in the vault: the free text that facts commit to, and which messages players have read.

Facts commit to bank references, for example, and to reasons of rejections and adjustments.
"""

import os
import unicodedata
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from engine.runtime.vault.base import VaultPart
from engine.runtime.vault.vault_keys import KEY_BYTES, commitment

MAX_TEXT_LENGTH: Final = 200
# Control characters, surrogates, and characters that change the direction of surrounding text.
_UNWANTED: Final = frozenset({"Cc", "Cs"})
_BIDI_CONTROLS: Final = frozenset(
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
)

_INSERT: Final = (
    "INSERT INTO vault.words (reference, words, commitment_key, player) VALUES (%s, %s, %s, %s)"
    " ON CONFLICT DO NOTHING"
)
_KEY: Final = "SELECT commitment_key FROM vault.words WHERE reference = %s"
_ERASE: Final = "DELETE FROM vault.words WHERE reference = %s"
_READ: Final = "SELECT reference, words FROM vault.words WHERE reference = ANY(%s)"
_ALL_MESSAGES: Final = ""
_MARKS: Final = "SELECT message, until FROM vault.messages_read WHERE player = %s"
_MARK: Final = (
    "INSERT INTO vault.messages_read (player, message, until) VALUES (%s, %s, %s)"
    " ON CONFLICT (player, message) DO UPDATE"
    " SET until = greatest(messages_read.until, excluded.until)"
)
_DELETE_COVERED: Final = (
    "DELETE FROM vault.messages_read WHERE player = %s AND message <> %s AND until <= %s"
)


class PrivateTexts(VaultPart):
    """Stores, reads and erases texts."""

    def save_clean_text(self, text_id: str, text: str, player: int | None = None) -> str:
        """Store the cleaned text under our id `text_id`. Returns its commitment in hex.

        The first text stored under an id is kept; a different text gives a different commitment.
        Texts about a `player` are erased with the player. Raises ValueError if the cleaned text has
        more than 200 characters.
        """
        clean = clean_text(text)
        if len(clean) > MAX_TEXT_LENGTH:
            raise ValueError(
                f"a text of {len(clean)} characters, where {MAX_TEXT_LENGTH} are allowed"
            )
        return self.save_text(text_id, clean, player)

    def reference_index(self, channel: str, reference: str) -> str:
        """Returns the keyed hash of a payment's reference on `channel`, ignoring case and blanks.

        Empty if the reference is empty.
        """
        normalised = "".join(
            clean_text(unicodedata.normalize("NFKC", reference)).casefold().split()
        )
        return self._keys.reference_index(channel, normalised) if normalised else ""

    def save_text(self, reference: str, text: str, player: int | None) -> str:
        """Like `save_clean_text`, for a text of any length, which is stored unchanged."""
        with self._pool.connection() as connection:
            connection.execute(_INSERT, (reference, text, os.urandom(KEY_BYTES), player))
            row = connection.execute(_KEY, (reference,)).fetchone()
        assert row is not None
        return commitment(row[0], text.encode())

    def erase_text(self, reference: str) -> None:
        """Permanently delete the text under this id."""
        with self._pool.connection() as connection:
            connection.execute(_ERASE, (reference,))

    def texts(self, references: Iterable[str]) -> dict[str, str]:
        """Returns the texts under these ids; missing and erased ones are left out."""
        with self._pool.connection() as connection:
            return dict(connection.execute(_READ, (list(references),)).fetchall())


def clean_text(text: str) -> str:
    """Returns the text on one line, without control characters and surrounding blanks."""
    broken = text.translate({ord(each): " " for each in "\t\n\r\v\f"})
    return "".join(each for each in broken if not _is_unwanted(each)).strip()


def _is_unwanted(character: str) -> bool:
    return unicodedata.category(character) in _UNWANTED or character in _BIDI_CONTROLS


class ReadMarks(Struct, frozen=True):
    """A player has read all messages up to log position `until`, and the later `messages`."""

    until: int = 0
    messages: frozenset[str] = frozenset()

    def has(self, message: str, position: int) -> bool:
        """Whether the player has read the message, whose fact is at this log position."""
        return position <= self.until or message in self.messages


class MessageReads(VaultPart):
    """Stores and reads read marks."""

    def read_marks(self, player: int) -> ReadMarks:
        """Returns the player's read marks."""
        with self._pool.connection() as connection:
            marks: dict[str, int] = dict(connection.execute(_MARKS, (player,)).fetchall())
        until = marks.pop(_ALL_MESSAGES, 0)
        return ReadMarks(until, frozenset(marks))

    def mark_read(self, player: int, message: str, position: int) -> None:
        """Mark one message as read; its fact is at log position `position`."""
        with self._pool.connection() as connection:
            connection.execute(_MARK, (player, message, position))

    def mark_all_read(self, player: int, until: int) -> None:
        """Mark all messages up to log position `until` as read."""
        with self._pool.connection() as connection:
            connection.execute(_MARK, (player, _ALL_MESSAGES, until))
            connection.execute(_DELETE_COVERED, (player, _ALL_MESSAGES, until))
