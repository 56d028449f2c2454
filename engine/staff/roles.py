"""What a member of staff may be, and which of these may do what: the one table of it.

A call of the office names one of the sets below; whoever has any role of the set may make it.
What takes two people takes two whatever their roles are: that is the engine's to see to.
"""

from enum import StrEnum
from typing import Final


class Role(StrEnum):
    """A closed list; facts hold these words."""

    CASHIER = "cashier"
    SUPPORT = "support"
    EDITOR = "editor"
    MANAGER = "manager"
    AUDITOR = "auditor"


#: The machine's secret as one who commands.
MACHINE: Final = "machine"
#: So many do without the machine: one proposes, another agrees.
MANAGERS_NEEDED: Final = 2

ALL_ROLES: Final = frozenset(Role)
#: What waits: deposits, withdrawals, gifts, corrections.
QUEUE: Final = frozenset({Role.CASHIER, Role.MANAGER, Role.AUDITOR})
#: Money that arrived: entering it.
PAYMENTS: Final = frozenset({Role.CASHIER})
#: Deciding on deposits and withdrawals, paying, and seeing where to pay. One cashier and one
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
#: Whose accounts give the same identity, which holds payouts back.
IDENTITIES_SHOWN: Final = frozenset({Role.SUPPORT, Role.CASHIER, Role.MANAGER, Role.AUDITOR})
#: Keeping order in the halls' chat.
CHAT: Final = frozenset({Role.SUPPORT, Role.MANAGER})
CHAT_SHOWN: Final = frozenset({Role.SUPPORT, Role.MANAGER, Role.AUDITOR})
#: News, announcements, banners and messages to all.
CONTENT: Final = frozenset({Role.EDITOR})
CONTENT_SHOWN: Final = frozenset({Role.EDITOR, Role.SUPPORT, Role.MANAGER, Role.AUDITOR})
#: Messages to one member.
MESSAGES: Final = frozenset({Role.SUPPORT})
#: Whether the program is the one that was started.
PROGRAM: Final = frozenset({Role.MANAGER, Role.AUDITOR})
STAFF_SHOWN: Final = frozenset({Role.MANAGER, Role.AUDITOR})
STAFF: Final = frozenset({Role.MANAGER})


def actor_of(name: str) -> str:
    """A member of staff as one who commands."""
    return f"staff:{name}"
