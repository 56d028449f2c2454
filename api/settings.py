"""What an operator sets, in one place, and where it is read from."""

from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Final

from msgspec import Struct

from api.units import Years
from engine import schedule
from engine.odds import CARD
from engine.schedule import Schedule

VERSION: Final = "21.04.02"
DEMO_GIFT_MINOR: Final = 100_000
#: Where `scripts/gateway serve` listens unless it is told otherwise.
DEMO_GATEWAY_PAGE: Final = "http://127.0.0.1:8100/pay"
# Beyond it nobody is ever kept waiting: what load tests set.
_LARGEST_FACTOR: Final = 1_000_000
_OPERATOR_VARIABLES: Final = {
    "name": "FAIRDRAW_OPERATOR_NAME",
    "licence": "FAIRDRAW_OPERATOR_LICENCE",
    "jurisdiction": "FAIRDRAW_OPERATOR_JURISDICTION",
    "minimum_age": "FAIRDRAW_OPERATOR_MINIMUM_AGE",
}


class SettingsError(Exception):
    """A setting is missing or makes no sense; the message says which, in one line."""


class Operator(Struct, frozen=True):
    """Who runs the house, as the app shows it."""

    name: str = "Fairdraw demo"
    licence: str = "none: play money only"
    jurisdiction: str = "demo"
    minimum_age: Years = 18


class Support(Struct, frozen=True):
    """Links of the customer service; empty where there is none."""

    online: str = ""
    ws: str = ""


class Settings(Struct, frozen=True):
    """Everything that differs between one house and another.

    `operator_schedule` is the plan of a day; its time zone is the operator's, in which all
    calendar days are counted. `gateway_page` is where online deposits are paid; without one
    there are none. Callers may ask `rate_factor` times as often as api/front/rates.py says, and
    `trusted_proxies` are believed whom they speak for.
    """

    operator_schedule: Schedule
    data: Path
    demo: bool = True
    host: str = "127.0.0.1"
    port: int = 8000
    database_url: str | None = None
    odds_table: str = CARD.id
    operator: Operator = Operator()
    support: Support = Support()
    banners: tuple[str, ...] = ()
    gateway_page: str = ""
    rate_factor: int = 1
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...] = ()

    @property
    def timezone(self) -> str:
        """The operator's time zone, an IANA name."""
        return self.operator_schedule.timezone

    @property
    def gift_minor(self) -> int:
        """Demo money for every full member who registers, in minor units."""
        return DEMO_GIFT_MINOR if self.demo else 0

    @property
    def keys(self) -> Path:
        """The folder of the secret files."""
        return self.data / "keys"

    @property
    def address(self) -> str:
        """Where a browser finds the app."""
        return f"http://{self.host}:{self.port}/vip/"


def gateway_page_from(environment: Mapping[str, str], *, demo: bool) -> str:
    """Where the payment gateway takes payments; SettingsError for what no browser opens."""
    page = environment.get("FAIRDRAW_GATEWAY_PAGE") or (DEMO_GATEWAY_PAGE if demo else "")
    if page and not page.startswith(("https://", "http://")):
        raise SettingsError(f"FAIRDRAW_GATEWAY_PAGE must be an address of the web, not {page!r}")
    return page


def rate_factor_from(environment: Mapping[str, str]) -> int:
    """How many times the usual rates callers may ask; SettingsError for what is no such number."""
    words = environment.get("FAIRDRAW_RATE_FACTOR") or "1"
    is_number = words.isascii() and words.isdigit() and len(words) <= len(str(_LARGEST_FACTOR))
    if not (is_number and 1 <= int(words) <= _LARGEST_FACTOR):
        raise SettingsError(
            f"FAIRDRAW_RATE_FACTOR must be a whole number, 1 to {_LARGEST_FACTOR}, not {words!r}"
        )
    return int(words)


def trusted_proxies_from(environment: Mapping[str, str]) -> tuple[IPv4Network | IPv6Network, ...]:
    """The addresses and networks that are believed whom they speak for, parted by commas."""
    words = environment.get("FAIRDRAW_TRUSTED_PROXIES") or ""
    try:
        return tuple(ip_network(part.strip()) for part in words.split(",") if part.strip())
    except ValueError as error:
        raise SettingsError(
            f"FAIRDRAW_TRUSTED_PROXIES must be addresses or networks, parted by commas: {error}"
        ) from None


def operator_from(environment: Mapping[str, str], *, demo: bool) -> Operator:
    """The operator that the environment names; SettingsError if one is needed and incomplete."""
    values = {field: environment.get(name, "") for field, name in _OPERATOR_VARIABLES.items()}
    if demo and not any(values.values()):
        return Operator()
    missing = [name for field, name in _OPERATOR_VARIABLES.items() if not values[field]]
    if missing:
        needed = ", ".join(missing)
        raise SettingsError(f"outside demo mode the operator must be named: set {needed}")
    age = values["minimum_age"]
    if not (age.isascii() and age.isdigit()):
        raise SettingsError(f"{_OPERATOR_VARIABLES['minimum_age']} must be a number, not {age!r}")
    return Operator(values["name"], values["licence"], values["jurisdiction"], int(age))


def schedule_from(
    environment: Mapping[str, str], *, demo: bool, round_seconds: int | None
) -> Schedule:
    """The day's plan; SettingsError for lengths or zones that no day can follow."""
    timezone = environment.get("FAIRDRAW_TIMEZONE") or schedule.DEFAULT_TIMEZONE
    try:
        if round_seconds is not None:
            return schedule.demo(round_seconds, timezone)
        return schedule.demo(timezone=timezone) if demo else schedule.regular(timezone)
    except ValueError as error:
        raise SettingsError(str(error)) from error
