"""Authentication and role checks of all staff calls; no other module does them.

- A pass, in the header `office`, is valid from any address. Its holder and the holder's roles are
  looked up with every call, in the writer's state.
- The machine's secret, the file office.key of the keys folder, is valid only on the machine itself.
  Outside demo mode it sets up the first managers: it may make the calls that are open to it, and no
  others; `engine/staff` refuses them once there are enough managers. In demo mode, where all money
  is play money, it also acts with every role under any name.
"""

import hmac
import re
from collections.abc import Awaitable, Callable
from typing import Final

from msgspec import Struct

from api.http.refusals import CallRefused
from api.http.transport import Headers
from engine.house.house_state import HouseState
from engine.refusals import Refusal
from engine.staff.passes import fingerprint_of
from engine.staff.roles import MACHINE, Role, actor_of

OFFICE_HEADER: Final = b"office"
#: The valid names of staff members.
NAME: Final = re.compile(r"[a-z][a-z0-9._-]{0,31}")
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "::ffff:127.0.0.1"})


class StaffCredentials(Struct, frozen=True):
    """The credentials of a caller: headers, address, and the name in the request."""

    headers: Headers
    client: str
    named: str


class StaffAuth:
    """Decides who makes a staff call. `secret` is the machine's; `clock` returns microseconds."""

    def __init__(
        self,
        secret: str,
        house: Callable[[], Awaitable[HouseState]],
        clock: Callable[[], int],
        is_demo: Callable[[], bool],
    ) -> None:
        """`house` returns the committed state, so that a removal takes effect immediately."""
        self._secret = secret.encode()
        self._house = house
        self._clock = clock
        self._is_demo = is_demo

    async def authorize(
        self, credentials: StaffCredentials, roles: frozenset[Role], *, machine: bool
    ) -> str:
        """Returns the actor of a call that needs one of `roles`, or that the `machine` may make.

        Raises CallRefused for any other caller.
        """
        pass_token = credentials.headers.get(OFFICE_HEADER, b"")
        if hmac.compare_digest(pass_token, self._secret) and credentials.client in _LOOPBACK:
            return self._by_machine(credentials.named, machine=machine)
        staff = (await self._house()).staff
        name = staff.passes.holder(fingerprint_of(pass_token.decode("latin-1")), self._clock())
        if isinstance(name, Refusal):
            raise CallRefused(name)
        if credentials.named not in {"", name}:
            raise CallRefused(Refusal.STAFF_UNKNOWN, "staff")
        if not staff.roles_of(name) & roles:
            raise CallRefused(Refusal.ROLE_MISSING)
        return actor_of(name)

    def _by_machine(self, named: str, *, machine: bool) -> str:
        if machine and not named:
            return MACHINE
        if not self._is_demo():
            raise CallRefused(Refusal.ROLE_MISSING)
        if not NAME.fullmatch(named):
            raise CallRefused(Refusal.STAFF_UNKNOWN, "staff")
        return actor_of(named)
