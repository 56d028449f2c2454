"""What staff ask for with the house's news, announcements, banners and messages to all."""

from msgspec import Struct


class PublishContent(Struct, frozen=True, array_like=True, tag="content"):
    """Show this from now on, as new content or (not `new`) in the place of what it was.

    New content whose id is taken already is left as it is, shown or withdrawn: so defaults are
    published at every start and never undo what staff did.
    """

    content: str
    kind: str
    digest: str
    new: bool
    by: str


class WithdrawContent(Struct, frozen=True, array_like=True, tag="content-withdrawal"):
    """Show this no more."""

    content: str
    by: str


ContentCommand = PublishContent | WithdrawContent
