import asyncio
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar

from api.http import static_files
from api.http.middleware.rate_limiter import RateLimiter
from api.http.middleware.request_checks import with_request_checks
from api.ops.counters import Counters
from tests.api.support import ApiServer

PAGE = b"<!doctype html><title>Fairdraw</title>"


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    """A build with a page, one hashed asset and its compressed form."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_bytes(PAGE)
    (tmp_path / "icon.svg").write_bytes(b"<svg/>")
    (tmp_path / "assets" / "index-abc123.js").write_bytes(b"export {}")
    (tmp_path / "assets" / "index-abc123.js.br").write_bytes(b"brotli")
    (tmp_path / "assets" / "index-abc123.js.gz").write_bytes(b"gzip")
    return tmp_path


def get(dist: Path, path: str, accepted: str = "") -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of an answer from this build."""
    served = Litestar([static_files.app(dist)], openapi_config=None, logging_config=None)
    app = with_request_checks(served, RateLimiter(1, lambda: 0.0), (), Counters(), ())
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        await asyncio.sleep(0)
        sent.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(b"accept-encoding", accepted.encode())],
    }
    asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, sent[1]["body"]


@pytest.mark.parametrize("path", ["/vip", "/vip/", "/vip/betRoom", "/vip/lottery/deep/link"])
def test_the_page_and_every_deep_link_answer_200(dist: Path, path: str) -> None:
    status, headers, body = get(dist, path)
    assert (status, body) == (200, PAGE)
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["cache-control"] == "no-cache"
    assert "script-src 'self';" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("accepted", "body", "encoding"),
    [
        ("gzip, deflate, br", b"brotli", "br"),
        ("gzip;q=0.8", b"gzip", "gzip"),
        ("br;q=0, gzip", b"gzip", "gzip"),
        ("", b"export {}", None),
    ],
)
def test_assets_come_compressed_and_are_kept_for_ever(
    dist: Path, accepted: str, body: bytes, encoding: str | None
) -> None:
    status, headers, sent = get(dist, "/vip/assets/index-abc123.js", accepted)
    assert (status, sent) == (200, body)
    assert headers.get("content-encoding") == encoding
    assert "immutable" in headers["cache-control"]
    assert headers["vary"] == "accept-encoding"


def test_a_font_is_served_as_one_on_every_machine_and_kept_for_ever(
    dist: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mimetypes.guess_type", lambda _: (None, None))
    (dist / "assets" / "sans-abc123.woff2").write_bytes(b"font")
    status, headers, body = get(dist, "/vip/assets/sans-abc123.woff2")
    assert (status, body) == (200, b"font")
    assert headers["content-type"] == "font/woff2"
    assert "immutable" in headers["cache-control"]


def test_an_asset_that_is_gone_is_not_the_page(dist: Path) -> None:
    status, headers, _ = get(dist, "/vip/assets/index-old.js")
    assert status == 404
    assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/vip/../secret", "/vip/..%2fsecret", "/vip//etc/passwd"])
def test_nothing_outside_the_build_is_served(dist: Path, path: str) -> None:
    (dist.parent / "secret").write_bytes(b"secret")
    _, _, body = get(dist, path)
    assert b"secret" not in body


def test_without_a_build_the_page_explains_it(tmp_path: Path) -> None:
    status, _, body = get(tmp_path, "/vip/")
    assert status == 200
    assert b"has not been built" in body


def test_the_bare_address_leads_to_the_app(house: ApiServer) -> None:
    answer = house.client.get("/", follow_redirects=False)
    assert answer.headers["location"] == "/vip/"
