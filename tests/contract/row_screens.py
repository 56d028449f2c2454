"""Rows that belong to screens of the app which are not built yet, and why nothing covers them."""

from typing import Final

_TRANSFER_OUT = "the withdrawal page is not built; until then the server's own refusal is shown"

LATER: Final[dict[str, str]] = {
    "Refusals: insufficient balance, transfer out failed": _TRANSFER_OUT,
    "Refusals: transfer out failed": _TRANSFER_OUT,
    "Security code: keypad auto-submits at the 6th": "the page of the keypad is not built",
    "Hot-topic view count: fixed 7706": "the news page is not built",
    "Locale codes: default language in stored text is tw": "what staff publish is in "
    "English first, which every language falls back to; the request default, en, is used for both",
    "Bet categories (implied by labels): flat single and flat double": "no bet has these names yet",
    "Bet detail labels: number selection detail": "a bet is on one kind; no slip is stored",
    "Bet detail labels: omission (missing count)": "the trend chart, which counts it, is not built",
}
