"""All staff calls, /api/office: queue, players' money, house settings, chat, content, staff."""

from typing import Any, Final

from api.http.endpoints import Endpoint
from api.office import (
    account_changes,
    books,
    chat,
    content,
    house_settings,
    identities,
    integrity,
    payments,
    queue,
    rounds,
    security_codes,
    staff,
)

CALLS: Final[tuple[Endpoint[Any], ...]] = (
    *queue.CALLS,
    *payments.CALLS,
    *books.CALLS,
    *rounds.CALLS,
    *house_settings.CALLS,
    *security_codes.CALLS,
    *account_changes.CALLS,
    *identities.CALLS,
    *chat.CALLS,
    *integrity.CALLS,
    *staff.CALLS,
    *content.CALLS,
)
