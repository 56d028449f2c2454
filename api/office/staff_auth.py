"""Who of the staff asks, and whether their roles allow it: decided here and nowhere else.

- A pass, in the header `office`, is good from any address. Whose it is and which roles they have
  is looked up with every call, in what the writer knows.
- The machine's secret, the file office.key of the keys folder, counts on the machine itself only.
  Outside demo mode it begins a house: it makes the calls that are open to it while there are too
  few managers to do without, and no other call. In demo mode, where all money is play money, it
  also acts with every role in any name.
"""

import hmac
import re
from typing import Final

from msgspec import Struct

from api.http.envelope import CallRefused
from api.http.transport import Headers
from api.services import Services
from engine.refusals import Refusal
from engine.staff.passes import fingerprint_of
from engine.staff.roles import MACHINE, Role, actor_of
from engine.staff.staff import Staff

OFFICE_HEADER: Final = b"office"
#: What a member of staff may be called.
NAME: Final = re.compile(r"[a-z][a-z0-9._-]{0,31}")
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "::ffff:127.0.0.1"})


class StaffCredentials(Struct, frozen=True):
    """What there is of somebody who asks: their headers, address, and the name they say."""

    headers: Headers
    client: str
    named: str


def authorize(
    services: Services, credentials: StaffCredentials, roles: frozenset[Role], *, machine: bool
) -> str:
    """The actor who makes a call that is for these `roles`, and for the `machine` or not.

    CallRefused for anybody else.
    """
    pass_token = credentials.headers.get(OFFICE_HEADER, b"")
    if (
        hmac.compare_digest(pass_token, services.office_secret.encode())
        and credentials.client in _LOOPBACK
    ):
        return _by_machine(services, credentials.named, machine=machine)
    staff = _staff(services)
    name = staff.passes.holder(fingerprint_of(pass_token.decode("latin-1")), services.clock())
    if isinstance(name, Refusal):
        raise CallRefused(name)
    if credentials.named not in {"", name}:
        raise CallRefused(Refusal.STAFF_UNKNOWN, "staff")
    if not staff.roles_of(name) & roles:
        raise CallRefused(Refusal.ROLE_MISSING)
    return actor_of(name)


def _by_machine(services: Services, named: str, *, machine: bool) -> str:
    if machine and not named:
        return MACHINE
    if not services.settings.demo:
        raise CallRefused(Refusal.ROLE_MISSING)
    if not NAME.fullmatch(named):
        raise CallRefused(Refusal.STAFF_UNKNOWN, "staff")
    return actor_of(named)


def _staff(services: Services) -> Staff:
    """As stored: whoever was removed is out from then on."""
    if services.engine.reader is None:
        raise CallRefused(Refusal.UNAVAILABLE)
    return services.engine.reader.house.staff
