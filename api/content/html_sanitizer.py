"""Sanitizes the HTML that staff write: only a few tags and safe addresses are allowed.

Articles are cleaned when they are written, so that nothing else is ever stored or shown (ASVS
1.3.1). This module also validates the addresses of all links and pictures.
"""

import re
from typing import Final

import nh3

from engine.runtime.vault import clean_text

#: Below the length at which browsers or proxies truncate an address.
MAX_ADDRESS_LENGTH: Final = 500
_PATH: Final = re.compile(r"/vip/(?!.*\.\.)[A-Za-z0-9._/-]*([?#][A-Za-z0-9._~/?#=&%-]*)?")
_PICTURE: Final = re.compile(r"/vip/(?!.*\.\.)[A-Za-z0-9._/-]+")
_WEB: Final = re.compile(r"https://[A-Za-z0-9.-]+(:[0-9]+)?([/?#][^\s<>\"'\\`]*)?")


def is_link(address: str) -> bool:
    """Whether a link may lead there: to a page of the app, or to any https address."""
    is_short = len(address) <= MAX_ADDRESS_LENGTH
    return is_short and bool(_PATH.fullmatch(address) or _WEB.fullmatch(address))


def is_picture(address: str) -> bool:
    """Whether a picture may come from there: own paths only, as in the Content-Security-Policy."""
    return len(address) <= MAX_ADDRESS_LENGTH and bool(_PICTURE.fullmatch(address))


def _allowed_value(tag: str, name: str, value: str) -> str | None:
    if (tag, name) == ("a", "href"):
        return value if is_link(value) else None
    if (tag, name) == ("img", "src"):
        return value if is_picture(value) else None
    return value


_CLEANER: Final = nh3.Cleaner(
    tags={
        *("p", "br", "hr", "h2", "h3", "h4", "ul", "ol", "li", "blockquote", "code"),
        *("strong", "b", "em", "i", "a", "img"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    },
    # These elements are not readable text, so they are removed with their content.
    clean_content_tags={
        *("script", "style", "iframe", "object", "template", "noscript", "svg", "math"),
        *("textarea", "select", "title"),
    },
    attributes={"a": {"href"}, "img": {"src", "alt"}},
    attribute_filter=_allowed_value,
    url_schemes={"https"},
    link_rel="noopener",
)


def sanitize_html(html: str) -> str:
    """Returns the HTML without anything that is not allowed in an article."""
    return _CLEANER.clean(html).strip()


def strip_controls(text: str) -> str:
    """Returns the text without control characters; line breaks are kept."""
    return "\n".join(clean_text(line) for line in text.splitlines()).strip()
