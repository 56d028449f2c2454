"""Free text that facts commit to: bank references, reasons of rejections and adjustments."""

import unicodedata
from collections.abc import Iterable
from typing import Final

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


class PrivateTexts(VaultPart):
    """Stores, reads and erases texts."""

    def save_clean_text(self, reference: str, text: str, player: int | None = None) -> str:
        """Store the cleaned text under our id `reference`. Returns its commitment in hex.

        The first text stored under an id is kept; a different text gives a different commitment.
        Texts about a `player` are erased with the player. Raises ValueError if the cleaned text has
        more than 200 characters.
        """
        clean = clean_text(text)
        if len(clean) > MAX_TEXT_LENGTH:
            raise ValueError(
                f"a text of {len(clean)} characters, where {MAX_TEXT_LENGTH} are allowed"
            )
        return self.save_text(reference, clean, player)

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
            connection.execute(_INSERT, (reference, text, self._entropy(KEY_BYTES), player))
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
