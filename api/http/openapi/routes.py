"""Serves the OpenAPI description, as JSON and as an HTML page."""

from litestar import MediaType, get
from litestar.handlers import HTTPRouteHandler
from litestar.response import Response

from api.http.middleware.security_headers import DESCRIPTION
from api.http.openapi.components import Schema
from api.http.openapi.html_page import STYLE, page
from api.http.wire import encode


def routes(document: Schema) -> tuple[HTTPRouteHandler, ...]:
    """Returns the routes; the documents are made once."""
    as_json, as_page = encode(document), page(document).encode()

    @get("/schema/openapi.json", include_in_schema=False)
    async def machine() -> Response[bytes]:
        return Response(as_json, media_type=MediaType.JSON)

    @get(DESCRIPTION, include_in_schema=False)
    async def human() -> Response[bytes]:
        return Response(as_page, media_type=MediaType.HTML)

    @get("/schema/page.css", include_in_schema=False)
    async def style() -> Response[bytes]:
        return Response(STYLE, media_type=MediaType.CSS)

    return machine, human, style
