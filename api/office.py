"""All calls of the staff, /api/office: what waits, members' money, the house, chat, news, staff."""

from typing import Any, Final

from api import (
    office_books,
    office_changes,
    office_chat,
    office_codes,
    office_content,
    office_house,
    office_identities,
    office_money,
    office_program,
    office_queue,
    office_rounds,
    office_staff,
)
from api.calls import Endpoint

CALLS: Final[tuple[Endpoint[Any], ...]] = (
    *office_queue.CALLS,
    *office_money.CALLS,
    *office_books.CALLS,
    *office_rounds.CALLS,
    *office_house.CALLS,
    *office_codes.CALLS,
    *office_changes.CALLS,
    *office_identities.CALLS,
    *office_chat.CALLS,
    *office_program.CALLS,
    *office_staff.CALLS,
    *office_content.CALLS,
)
