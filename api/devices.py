"""What kind of device somebody signed in with: enough to know one's own phone by, and no more.

A user agent in full tells a phone from all others; what is kept is a browser and a system.
"""

from typing import Final

# The first word that is found counts: most browsers also claim to be another one.
_BROWSERS: Final = (
    (b"MicroMessenger", "WeChat"),
    (b"Edg", "Edge"),
    (b"OPR/", "Opera"),
    (b"SamsungBrowser", "Samsung Internet"),
    (b"UCBrowser", "UC Browser"),
    (b"Firefox", "Firefox"),
    (b"FxiOS", "Firefox"),
    (b"CriOS", "Chrome"),
    (b"Chrome", "Chrome"),
    (b"Safari", "Safari"),
)
_SYSTEMS: Final = (
    (b"iPhone", "iPhone"),
    (b"iPad", "iPad"),
    (b"Android", "Android"),
    (b"Windows", "Windows"),
    (b"Macintosh", "Mac"),
    (b"CrOS", "ChromeOS"),
    (b"Linux", "Linux"),
)
_SEPARATOR: Final = " · "


def device_of(user_agent: bytes) -> str:
    """Such as "Chrome · Android"; empty when neither part is known."""
    found = (_first(_BROWSERS, user_agent), _first(_SYSTEMS, user_agent))
    return _SEPARATOR.join(part for part in found if part)


def _first(patterns: tuple[tuple[bytes, str], ...], user_agent: bytes) -> str:
    return next((name for word, name in patterns if word in user_agent), "")
