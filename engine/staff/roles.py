"""The roles of the staff and their permissions, in one table.

An office call names one of the sets below; a member of staff with any role of the set may make it.
`tests/probing/matrix.txt` lists all calls with who may make them.
The engine enforces that what takes two people takes two, whatever their roles are.
"""

from enum import StrEnum
from typing import Final


class Role(StrEnum):
    """A closed list; facts store these values."""

    CASHIER = "cashier"
    SUPPORT = "support"
    EDITOR = "editor"
    MANAGER = "manager"
    AUDITOR = "auditor"


#: The actor string of a command that the machine's secret authorized.
MACHINE: Final = "machine"
#: From this number of managers on the machine is not needed: one proposes, another agrees.
MANAGERS_NEEDED: Final = 2

ALL_ROLES: Final = frozenset(Role)
#: The pending deposits, withdrawals, gifts and corrections.
QUEUE: Final = frozenset({Role.CASHIER, Role.MANAGER, Role.AUDITOR})
#: Entering money that arrived.
PAYMENTS: Final = frozenset({Role.CASHIER})
#: Deciding on deposits and withdrawals, paying, and viewing payout accounts. One cashier and one
#: manager are enough for what takes two people.
PAYMENTS_DECIDED: Final = frozenset({Role.CASHIER, Role.MANAGER})
GIFTS: Final = frozenset({Role.CASHIER, Role.MANAGER})
CORRECTIONS: Final = frozenset({Role.CASHIER, Role.MANAGER})
CORRECTIONS_DECIDED: Final = frozenset({Role.MANAGER})
#: Bookings between the house's own accounts, and the accounts themselves.
BOOKINGS: Final = frozenset({Role.CASHIER, Role.MANAGER})
BOOKINGS_DECIDED: Final = frozenset({Role.MANAGER})
BOOKS_SHOWN: Final = frozenset({Role.CASHIER, Role.MANAGER, Role.AUDITOR})
#: Voiding a round that cannot be drawn; one proposes, another agrees.
VOIDS: Final = frozenset({Role.MANAGER})
SETTINGS_SHOWN: Final = ALL_ROLES
SETTINGS: Final = frozenset({Role.MANAGER})
MEMBERS: Final = frozenset({Role.SUPPORT, Role.MANAGER})
#: The members with a shared identity, which blocks payouts.
IDENTITIES_SHOWN: Final = frozenset({Role.SUPPORT, Role.CASHIER, Role.MANAGER, Role.AUDITOR})
#: Moderating the halls' chat.
CHAT: Final = frozenset({Role.SUPPORT, Role.MANAGER})
CHAT_SHOWN: Final = frozenset({Role.SUPPORT, Role.MANAGER, Role.AUDITOR})
#: News, announcements, banners and messages to all.
CONTENT: Final = frozenset({Role.EDITOR})
CONTENT_SHOWN: Final = frozenset({Role.EDITOR, Role.SUPPORT, Role.MANAGER, Role.AUDITOR})
#: Messages to one member.
MESSAGES: Final = frozenset({Role.SUPPORT})
#: Whether the program files are unchanged since the start.
PROGRAM: Final = frozenset({Role.MANAGER, Role.AUDITOR})
STAFF_SHOWN: Final = frozenset({Role.MANAGER, Role.AUDITOR})
STAFF: Final = frozenset({Role.MANAGER})


def actor_of(name: str) -> str:
    """The actor string of a member of staff in commands and facts."""
    return f"staff:{name}"
