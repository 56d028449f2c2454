"""An example of each call: a request, and the response if it is accepted.

The examples are in the folder `examples`, one file per area. Tests compare them with the types.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Self

import msgspec
from msgspec import Struct

from api.http.call_request import Endpoint
from api.http.localization import TRANSLATED
from api.messages import DEFAULT
from engine.refusals import Refusal

FOLDER: Final = Path(__file__).with_name("examples")
_TIME: Final = 1_795_226_725
_REQUEST_ID: Final = "5f0c2a91-1c"


class Example(Struct, frozen=True):
    """A request's body or query, and a response's data; `success` is the key of its text."""

    request: dict[str, Any]
    data: Any
    success: str = ""

    @classmethod
    def of(cls, path: str) -> Self | None:
        """Returns the example of a call; None if there is none."""
        found = _all().get(path)
        return None if found is None else cls(**found)


@lru_cache(maxsize=1)
def _all() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for file in sorted(FOLDER.glob("*.json")):
        found |= msgspec.json.decode(file.read_bytes())
    return found


def accepted_example(call: Endpoint, data: Any, success: str) -> dict[str, Any]:
    """Returns an example envelope of a success with this data and the text of this key."""
    message = TRANSLATED[DEFAULT].success.get(success, "") if call.message is str else data
    ends = {"more": False, "cursor": None} if is_list(call) else {}
    envelope = {"code": 1, "msg": message, "time": _TIME, "data": data}
    return {**envelope, **ends, "request_id": _REQUEST_ID}


def is_list(call: Endpoint) -> bool:
    """Whether the call returns a paginated list."""
    return "cursor" in call.request_type.__struct_fields__


def refused_example(call: Endpoint, decided: Sequence[Refusal]) -> dict[str, Any]:
    """Returns an example envelope of a refusal with status 200, if possible of the call's own."""
    reason = next((each for each in decided if each in call.refusals), decided[0])
    return {
        "code": 0,
        "msg": TRANSLATED[DEFAULT].refusal(reason),
        "time": _TIME,
        "data": None,
        "reason": reason.value,
        "request_id": _REQUEST_ID,
    }
