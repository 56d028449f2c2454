"""A short device label from the User-Agent, so that players recognise their own devices.

Only browser and system are kept, because a full user agent can identify a single phone.
"""

from typing import Final

# The first match wins: most browsers also claim to be another one.
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
    """Returns a label such as "Chrome · Android"; empty if neither part is known."""
    found = (_first(_BROWSERS, user_agent), _first(_SYSTEMS, user_agent))
    return _SEPARATOR.join(part for part in found if part)


def _first(patterns: tuple[tuple[bytes, str], ...], user_agent: bytes) -> str:
    return next((name for word, name in patterns if word in user_agent), "")
