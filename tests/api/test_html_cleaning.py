"""The article HTML that is stored, and where links and images may point."""

import pytest

from api.content.content_views import is_link, is_picture, sanitize_html, strip_controls

LINK = '<a href="{}" rel="noopener">x</a>'
NO_LINK = '<a rel="noopener">x</a>'


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("<p>a <b>b</b> <em>c</em></p>", "<p>a <b>b</b> <em>c</em></p>"),
        ("<h2>t</h2><ul><li>1</li></ul>", "<h2>t</h2><ul><li>1</li></ul>"),
        ("a<script>alert(1)</script>b", "ab"),
        ("<scr<script>ipt>alert(1)</script>", "ipt&gt;alert(1)"),
        ("<SCRIPT SRC=https://evil.example/x.js></SCRIPT>b", "b"),
        ("<style>p{display:none}</style><p>a</p>", "<p>a</p>"),
        ("<p onclick=alert(1) onmouseover='x'>a</p>", "<p>a</p>"),
        ('<p style="position:fixed" class="x" id="root">a</p>', "<p>a</p>"),
        ("<img src=x onerror=alert(1)>", "<img>"),
        ("<svg onload=alert(1)><circle/></svg>b", "b"),
        ("<math><mtext><script>alert(1)</script></mtext></math>b", "b"),
        ("<iframe src=https://evil.example></iframe>b", "b"),
        ("<object data=x></object><embed src=x>b", "b"),
        ("<form action=/api/user/withdrawAction><input name=a><button>b</button></form>", "b"),
        ("<base href=https://evil.example/>b", "b"),
        ('<meta http-equiv="refresh" content="0;url=https://evil.example">b', "b"),
        ("<!-- secret --><p>a</p>", "<p>a</p>"),
        ("<p>open", "<p>open</p>"),
        ("5 < 6 & 7", "5 &lt; 6 &amp; 7"),
    ],
)
def test_only_simple_tags_are_left(written: str, left: str) -> None:
    """Article HTML cleaned on write (ASVS 1.3.1)."""
    assert sanitize_html(written) == left


@pytest.mark.parametrize(
    ("address", "left"),
    [
        ("https://example.org/a?b=1", LINK.format("https://example.org/a?b=1")),
        ("/vip/lottery?id=1", LINK.format("/vip/lottery?id=1")),
        ("/vip/", LINK.format("/vip/")),
        ("http://example.org/", NO_LINK),
        ("javascript:alert(1)", NO_LINK),
        ("JaVaScRiPt:alert(1)", NO_LINK),
        ("java&#x09;script:alert(1)", NO_LINK),
        (" javascript:alert(1)", NO_LINK),
        ("&#106;avascript:alert(1)", NO_LINK),
        ("vbscript:x", NO_LINK),
        ("data:text/html,<script>alert(1)</script>", NO_LINK),
        ("//evil.example/", NO_LINK),
        ("/\\evil.example", NO_LINK),
        ("/api/user/logout", NO_LINK),
        ("/vip/../api/user/logout", NO_LINK),
        ("https://bank.example@evil.example/", NO_LINK),
        ("vip/", NO_LINK),
        ("#top", NO_LINK),
    ],
)
def test_a_link_leads_to_us_or_by_https_and_opens_nothing_behind_itself(
    address: str, left: str
) -> None:
    assert sanitize_html(f'<a href="{address}" target="_top" rel="opener">x</a>') == left


@pytest.mark.parametrize(
    ("address", "left"),
    [
        ("/vip/banners/draw.svg", '<img src="/vip/banners/draw.svg" alt="a">'),
        ("https://example.org/a.png", '<img alt="a">'),
        ("data:image/svg+xml,<svg onload=alert(1)>", '<img alt="a">'),
        ("//evil.example/a.png", '<img alt="a">'),
        ("/api/index/index", '<img alt="a">'),
        ("/vip/../api/index/index", '<img alt="a">'),
    ],
)
def test_a_picture_is_ours(address: str, left: str) -> None:
    """The Content-Security-Policy blocks other images (ASVS 3.4.3)."""
    assert sanitize_html(f'<img src="{address}" alt="a" srcset="x 2x" width=9999>') == left


def test_what_is_clean_stays_as_it_is() -> None:
    once = sanitize_html('<p>a &amp; b <a href="https://example.org/?a=1&b=2">c</a><br><img src=x>')
    assert sanitize_html(once) == once


def test_an_address_has_an_end() -> None:
    assert is_link("/vip/" + "a" * 495)
    assert not is_link("/vip/" + "a" * 496)
    assert not is_picture("/vip/" + "a" * 496)
    assert not is_picture("/vip/a.svg\n")
    assert not is_link("")


def test_plain_text_keeps_its_lines_and_nothing_that_a_screen_obeys() -> None:
    assert strip_controls(" a\x00\x1b[2J \r\n <b>b</b>\u202e \n") == "a[2J\n<b>b</b>"
