"""One thing that an operator may set: how its words are read, and what is said of wrong ones."""

import re
from collections.abc import Callable, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Final, Generic, TypeVar
from urllib.parse import urlsplit

from msgspec import Struct
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from engine import schedule

_LONGEST: Final = 200
_SHORTEST_TOKEN: Final = 16
# Nothing that means more in a header than in an address, such as `*` or `;`.
_ORIGIN: Final = re.compile(r"(https?|wss?)://([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::([0-9]{1,5}))?")
_SOCKET: Final = re.compile(r"(?i:(wss?://[^/]+))(/[A-Za-z0-9._~/-]*[A-Za-z0-9._~-])")
_USUAL_PORTS: Final = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_HIGHEST_PORT: Final = 65_535
ValueT = TypeVar("ValueT")


class SettingsError(Exception):
    """A setting is missing or makes no sense; the message says which, in one line."""


class Kind(Struct, Generic[ValueT], frozen=True):
    """`read` makes a value of words or raises ValueError; `allowed` says which words it takes."""

    allowed: str
    read: Callable[[str], ValueT]
    secret: bool = False


class Setting(Struct, Generic[ValueT], frozen=True):
    """A variable of the environment, or an option of the command line if it begins with `--`.

    `default` says in the table what holds where nothing is given.
    """

    name: str
    kind: Kind[ValueT]
    meaning: str
    default: str
    example: str

    def of(self, given: Mapping[str, str]) -> ValueT | None:
        """What was set, None where nothing was; SettingsError for words that are not allowed."""
        words = given.get(self.name, "")
        if not words:
            return None
        try:
            return self.kind.read(words)
        except ValueError:
            shown = "what was given (not shown here)" if self.kind.secret else repr(words)
            raise SettingsError(f"{self.name} must be {self.kind.allowed}, not {shown}") from None


def whole(lowest: int, highest: int) -> Kind[int]:
    """A whole number within bounds."""

    def read(words: str) -> int:
        if not (words.isascii() and words.isdigit()) or not lowest <= int(words) <= highest:
            raise ValueError
        return int(words)

    return Kind(f"a whole number from {lowest} to {highest}", read)


def _line(words: str) -> str:
    if not words.strip() or not words.isprintable() or len(words) > _LONGEST:
        raise ValueError
    return words.strip()


def _word(words: str) -> str:
    if " " in _line(words):
        raise ValueError
    return words


def _token(words: str) -> str:
    if len(_word(words)) < _SHORTEST_TOKEN or not words.isascii():
        raise ValueError
    return words


def _page(words: str) -> str:
    parts = urlsplit(_word(words))
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError
    return words


def _origin(words: str) -> str:
    """As a browser writes it, without the port that goes without saying."""
    origin = _normal(words)
    if not origin.startswith("http"):
        raise ValueError
    return origin


def _normal(words: str) -> str:
    found = _ORIGIN.fullmatch(words.lower())
    if found is None:
        raise ValueError
    scheme, host, port = found.groups()
    if port is None or int(port) == _USUAL_PORTS[scheme]:
        return f"{scheme}://{host}"
    if not 0 < int(port) <= _HIGHEST_PORT:
        raise ValueError
    return f"{scheme}://{host}:{int(port)}"


def _socket(words: str) -> str:
    """What a policy's `connect-src` allows exactly: no query, and no path that ends in `/`."""
    found = _SOCKET.fullmatch(words)
    if found is None:
        raise ValueError
    return _normal(found[1]) + found[2]


def _zone(words: str) -> str:
    schedule.regular(words)
    return words


def _database(words: str) -> str:
    try:
        conninfo_to_dict(words)
    except ProgrammingError:
        raise ValueError from None
    return words


def _networks(words: str) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(part.strip()) for part in words.split(",") if part.strip())


LINE: Final = Kind(f"one line of at most {_LONGEST} characters", _line)
WORD: Final = Kind("one word", _word)
FOLDER: Final = Kind("the path of a folder", Path)
PAGE: Final = Kind("an address that begins with https:// or http://", _page)
ORIGIN: Final = Kind(
    "https:// (http:// in a demo too), a host, perhaps a port, and nothing behind", _origin
)
SOCKET: Final = Kind(
    "wss:// (ws:// in a demo too), a host, perhaps a port, and a path without / at its end", _socket
)
ZONE: Final = Kind("the IANA name of a time zone, such as Asia/Singapore", _zone)
DATABASE: Final = Kind("a PostgreSQL address or connection string", _database, secret=True)
TOKEN: Final = Kind(
    f"{_SHORTEST_TOKEN} to {_LONGEST} ASCII characters without spaces", _token, secret=True
)
NETWORKS: Final = Kind("addresses or networks, parted by commas", _networks)
FLAG: Final = Kind("named without a value", bool)
