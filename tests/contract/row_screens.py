"""Rows that belong to screens of the app which are not built yet, and why nothing covers them."""

from typing import Final

_TRANSFER_OUT = "the withdrawal page is not built; until then the server's own refusal is shown"
_SAVING = "the page that saves is not built; the server's refusal has its msg"

LATER: Final[dict[str, str]] = {
    "Screens: profile save failure: failure toast with msg": _SAVING,
    "Screens: bank card save, wallet save and password change: no more than the rejection": _SAVING,
    "Success: link copied (copied to clipboard)": "the page that shares the link is not built",
    "Refusals: insufficient balance, transfer out failed": _TRANSFER_OUT,
    "Refusals: transfer out failed": _TRANSFER_OUT,
    "Security code: keypad auto-submits at the 6th": "the page of the keypad is not built",
    "Invite link: QR 200x200": "the page that shares the link is not built",
    "Locale codes: default language in stored text is tw": "what staff publish is in "
    "English first, which every language falls back to; the request default, en, is used for both",
    "Bet categories (implied by labels): flat single and flat double": "no bet has these names yet",
    "Bet detail labels: number selection detail": "a bet is on one kind; no slip is stored",
    "Bet detail labels: omission (missing count)": "the trend chart, which counts it, is not built",
}
