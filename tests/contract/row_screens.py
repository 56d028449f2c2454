"""Rows that belong to screens of the app which are not built yet, and why nothing covers them."""

from typing import Final

LATER: Final[dict[str, str]] = {
    "Locale codes: default language in stored text is tw": "what staff publish is in "
    "English first, which every language falls back to; the request default, en, is used for both",
    "Bet detail labels: number selection detail": "a bet is on one kind; no slip is stored",
}
