"""Serves the built webapp under /vip/: precompressed files, and index.html for deep links.

This is a custom handler, because Litestar's single-page mode answers deep links with 404.
"""

import mimetypes
from pathlib import Path
from typing import Final

from litestar import asgi, get
from litestar.handlers import ASGIRouteHandler
from litestar.response import Redirect
from litestar.types import Receive, Scope, Send
from msgspec import Struct

from api.http.middleware.security_headers import PAGE as BASE
from api.http.transport import encodings_of, headers_of

DIST: Final = Path(__file__).resolve().parents[2] / "webapp" / "dist"
_ENCODINGS: Final = ((b"br", ".br"), (b"gzip", ".gz"))
# Python knows this type only if the system has a list of MIME types.
_KINDS: Final = {".woff2": "font/woff2"}
_UNKNOWN: Final = "application/octet-stream"
_NOT_BUILT: Final = b"The webapp has not been built: run scripts/run once, or npm run build.\n"
_IMMUTABLE: Final = b"public, max-age=31536000, immutable"
_REVALIDATE: Final = b"no-cache"


class Asset(Struct, frozen=True):
    """A file's contents by content encoding; `b""` is the uncompressed one."""

    kind: bytes
    cache: bytes
    contents: dict[bytes, bytes]


def assets(dist: Path) -> dict[str, Asset]:
    """Read all files of the build. Returns them by relative path; empty if there is no build."""
    if not (dist / "index.html").exists():
        return {}
    files = [path for path in dist.rglob("*") if path.is_file()]
    plain = [path for path in files if path.suffix not in {".br", ".gz", ".map"}]
    return {path.relative_to(dist).as_posix(): _asset(path, dist) for path in plain}


def _asset(path: Path, dist: Path) -> Asset:
    kind = _KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or _UNKNOWN
    if kind.startswith("text/") or kind.endswith(("javascript", "json")):
        kind += "; charset=utf-8"
    contents = {b"": path.read_bytes()}
    for encoding, suffix in _ENCODINGS:
        compressed = path.with_name(path.name + suffix)
        if compressed.exists():
            contents[encoding] = compressed.read_bytes()
    hashed = path.parent == dist / "assets"
    return Asset(kind.encode(), _IMMUTABLE if hashed else _REVALIDATE, contents)


def app(dist: Path = DIST) -> ASGIRouteHandler:
    """Returns the handler of the build; without a build it answers with a hint."""
    found = assets(dist)
    page = found.get("index.html") or Asset(b"text/plain", _REVALIDATE, {b"": _NOT_BUILT})

    @asgi(BASE, is_mount=True, copy_scope=False)
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
        name = scope["path"].removeprefix(BASE).strip("/")
        asset = found.get(name)
        if asset is None and name.startswith("assets/"):
            await _send(send, 404, page, set())
            return
        await _send(send, 200, asset or page, encodings_of(headers_of(scope)))

    return answer


async def _send(send: Send, status: int, asset: Asset, accepted: set[bytes]) -> None:
    encoding = next((one for one, _ in _ENCODINGS if one in accepted & asset.contents.keys()), b"")
    body = asset.contents[encoding]
    headers = [
        (b"content-type", asset.kind),
        (b"cache-control", asset.cache if status == 200 else b"no-store"),  # noqa: PLR2004
        (b"vary", b"accept-encoding"),
        (b"content-length", b"%d" % len(body)),
    ]
    if encoding:
        headers.append((b"content-encoding", encoding))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


@get("/", include_in_schema=False)
async def root() -> Redirect:
    """Redirect to the app."""
    return Redirect(f"{BASE}/")
