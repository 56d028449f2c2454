"""Free text behind facts: bank references, reasons of rejections and adjustments."""

import unicodedata
from collections.abc import Iterable
from typing import Final

from engine.runtime.vault.keys import KEY_BYTES, commitment
from engine.runtime.vault.part import VaultPart

MAX_TEXT_LENGTH: Final = 200
# Control characters, halves of characters, and what turns the direction of the text around it.
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
    """Keeping and reading texts."""

    def save_clean_text(self, reference: str, text: str, player: int | None = None) -> str:
        """Keep what was written under this id of ours; the commitment to these words, in hex.

        Words that differ from the first ones kept lead to another commitment. Those about a
        `player` are erased with them. ValueError for more than 200 characters once cleaned.
        """
        clean = clean_text(text)
        if len(clean) > MAX_TEXT_LENGTH:
            raise ValueError(
                f"a text of {len(clean)} characters, where {MAX_TEXT_LENGTH} are allowed"
            )
        return self.save_text(reference, clean, player)

    def reference_index(self, channel: str, reference: str) -> str:
        """The keyed hash of what a payment over `channel` says, whatever its case and blanks.

        Empty where it says nothing.
        """
        normalised = "".join(
            clean_text(unicodedata.normalize("NFKC", reference)).casefold().split()
        )
        return self._keys.reference_index(channel, normalised) if normalised else ""

    save_reference = save_clean_text  # what a deposit's text was called

    def save_text(self, reference: str, text: str, player: int | None) -> str:
        """The same for a text of any length, which is kept as it is."""
        with self._pool.connection() as connection:
            connection.execute(_INSERT, (reference, text, self._entropy(KEY_BYTES), player))
            row = connection.execute(_KEY, (reference,)).fetchone()
        assert row is not None
        return commitment(row[0], text.encode())

    def erase_text(self, reference: str) -> None:
        """Take away what was kept under this id, for good."""
        with self._pool.connection() as connection:
            connection.execute(_ERASE, (reference,))

    def texts(self, references: Iterable[str]) -> dict[str, str]:
        """What was written under those of these ids that were kept and not erased."""
        with self._pool.connection() as connection:
            return dict(connection.execute(_READ, (list(references),)).fetchall())


def clean_text(text: str) -> str:
    """The text on one line, without control characters and without blanks at its ends."""
    broken = text.translate({ord(each): " " for each in "\t\n\r\v\f"})
    return "".join(each for each in broken if not _is_unwanted(each)).strip()


def _is_unwanted(character: str) -> bool:
    return unicodedata.category(character) in _UNWANTED or character in _BIDI_CONTROLS
