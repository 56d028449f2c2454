"""Which of the house's content is shown, and decisions on publishing and withdrawing it. Pure.

Stream: `house`. The engine sees a hash of the content, never its text.
"""

from collections.abc import Mapping
from typing import ClassVar, Final, assert_never

from msgspec import Struct

from engine.answers import Refused
from engine.refusals import Refusal


class PublishContent(Struct, frozen=True, array_like=True, tag="content"):
    """Show this from now on, as new content or (not `new`) in place of the earlier version.

    New content whose id is already taken is ignored, whether shown or withdrawn: defaults are
    published at every start and must never undo what staff did.
    """

    content: str
    kind: str
    digest: str
    new: bool
    by: str


class WithdrawContent(Struct, frozen=True, array_like=True, tag="content-withdrawal"):
    """Stop showing this content."""

    content: str
    by: str


ContentCommand = PublishContent | WithdrawContent


class ContentPublished(Struct, frozen=True, gc=False):
    """Staff published new or changed content: it is shown from now on.

    `kind` is article, announcement, banner or message (to all members); `digest` is the SHA-256, in
    hex, of the stored content.
    """

    topic: ClassVar = "content-published.1"
    content: str
    kind: str
    digest: str
    by: str


class ContentWithdrawn(Struct, frozen=True, gc=False):
    """Staff withdrew content: it is hidden until it is published again."""

    topic: ClassVar = "content-withdrawn.1"
    content: str
    by: str


ContentFact = ContentPublished | ContentWithdrawn


KINDS: Final = ("article", "announcement", "banner", "message")


class ContentState(Struct, frozen=True, gc=False):
    """The last published version under an id, and whether it is shown."""

    kind: str
    digest: str
    shown: bool


PublishedContent = Mapping[str, ContentState]


def evolve(contents: PublishedContent, fact: ContentFact) -> PublishedContent:
    """The contents after a fact; never refuses."""
    return {**contents, fact.content: _after(contents.get(fact.content), fact)}


def _after(before: ContentState | None, fact: ContentFact) -> ContentState:
    match fact:
        case ContentPublished():
            return ContentState(fact.kind, fact.digest, shown=True)
        case ContentWithdrawn():
            assert before is not None
            return ContentState(before.kind, before.digest, shown=False)
        case _ as never:
            assert_never(never)


def decide(command: ContentCommand, contents: PublishedContent) -> list[ContentFact] | Refused:
    """Returns the command's facts; one that changes nothing yields no facts."""
    existing = contents.get(command.content)
    match command:
        case PublishContent():
            return _publish(command, existing)
        case WithdrawContent(content=content, by=by):
            if existing is None:
                return Refused(Refusal.CONTENT_UNKNOWN, "id")
            return [ContentWithdrawn(content, by)] if existing.shown else []
        case _ as never:
            assert_never(never)


def _publish(command: PublishContent, existing: ContentState | None) -> list[ContentFact] | Refused:
    if command.kind not in KINDS:
        return Refused(Refusal.CONTENT_INVALID, "kind")
    if command.new:
        return [_published(command)] if existing is None else []
    if existing is None or existing.kind != command.kind:
        return Refused(Refusal.CONTENT_UNKNOWN, "id")
    same = existing.shown and existing.digest == command.digest
    return [] if same else [_published(command)]


def _published(command: PublishContent) -> ContentPublished:
    return ContentPublished(command.content, command.kind, command.digest, command.by)
