"""What can have happened to the house's news, announcements, banners and messages to all.

The facts say what was published, by whom, and what its words hash to; the words themselves are
kept outside the log (`engine/runtime/content_store.py`), so that they can be taken away for good.
"""

from msgspec import Struct


class ContentPublished(Struct, frozen=True, gc=False):
    """Staff published content, or changed what was: shown from now on.

    `kind` is article, announcement, banner or message (to everybody); `digest` the SHA-256, in
    hex, of the stored content.
    """

    content: str
    kind: str
    digest: str
    by: str


class ContentWithdrawn(Struct, frozen=True, gc=False):
    """Staff took content away: shown to nobody until it is published again."""

    content: str
    by: str


ContentFact = ContentPublished | ContentWithdrawn
