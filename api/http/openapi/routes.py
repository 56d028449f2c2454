"""Serves the OpenAPI description, as JSON and as an HTML page."""

import json
from collections.abc import Iterator
from html import escape
from typing import Any, Final

from litestar import MediaType, get
from litestar.handlers import HTTPRouteHandler
from litestar.response import Response

from api.http.middleware.security_headers import DESCRIPTION
from api.http.openapi.components import Schema, resolved
from api.http.openapi.document import JSON
from api.http.wire import encode

_STYLE: Final = b"""body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto;
  padding: 0 1rem 4rem; color: #1c2430; background: #fff; }
h1, h2, h3 { line-height: 1.2; }
h2 { margin-top: 3rem; border-bottom: 1px solid #d5dae2; }
h3 { margin: 2.5rem 0 .5rem; }
p { white-space: pre-line; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .2rem .6rem .2rem 0;
  border-bottom: 1px solid #eef0f4; }
pre { background: #f5f6f9; padding: .6rem; overflow-x: auto; }
code { font: 14px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
summary { cursor: pointer; }
@media (prefers-color-scheme: dark) {
  body { color: #e3e7ee; background: #14181f; }
  pre { background: #1e242e; }
  h2, th, td { border-color: #333b48; }
  a { color: #8ab4f8; }
}
"""


def routes(document: Schema) -> tuple[HTTPRouteHandler, ...]:
    """Returns the routes; the documents are made once."""
    as_json, as_page = encode(document), _page(document).encode()

    @get("/schema/openapi.json", include_in_schema=False)
    async def machine() -> Response[bytes]:
        return Response(as_json, media_type=MediaType.JSON)

    @get(DESCRIPTION, include_in_schema=False)
    async def human() -> Response[bytes]:
        return Response(as_page, media_type=MediaType.HTML)

    @get("/schema/page.css", include_in_schema=False)
    async def style() -> Response[bytes]:
        return Response(_STYLE, media_type=MediaType.CSS)

    return machine, human, style


def _page(document: Schema) -> str:
    """Returns the HTML page of a document."""
    info = document["info"]
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{escape(info['title'])}</title>",
        '<link rel="stylesheet" href="/schema/page.css"></head><body>',
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>",
        f"<p>{escape(_flowing(info['description']))}</p>",
        '<p><a href="/schema/openapi.json">The same for programs (OpenAPI 3.1)</a></p>',
        *_contents(document),
        *_areas(document),
        "<h2>Objects</h2>",
        *(_object(name, it) for name, it in sorted(document["components"]["schemas"].items())),
        "</body></html>",
    ]
    return "".join(parts)


def _flowing(text: str) -> str:
    """Join the lines of each paragraph of a docstring, except in lists."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(
        each if each.startswith("- ") else each.replace("\n", " ") for each in paragraphs
    )


def _operations(document: Schema, area: str) -> Iterator[tuple[str, str, Schema]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if area in operation["tags"]:
                yield path, method, operation


def _contents(document: Schema) -> Iterator[str]:
    for tag in document["tags"]:
        links = ", ".join(
            f'<a href="#{operation["operationId"]}">{escape(path)}</a>'
            for path, _, operation in _operations(document, tag["name"])
        )
        yield f"<p><b>{escape(tag['name'])}</b>: {links}</p>"


def _areas(document: Schema) -> Iterator[str]:
    for tag in document["tags"]:
        yield f"<h2>{escape(tag['name'])}: {escape(tag['description'])}</h2>"
        for path, method, operation in _operations(document, tag["name"]):
            yield from _operation(document, path, method, operation)


def _operation(document: Schema, path: str, method: str, operation: Schema) -> Iterator[str]:
    yield f'<h3 id="{operation["operationId"]}">{method.upper()} <code>{escape(path)}</code></h3>'
    about = escape(_flowing(operation.get("description", "")))
    yield f"<p><b>{escape(operation['summary'])}.</b> {about}</p>"
    if operation["security"]:
        schemes = (" and ".join(each) or "nothing" for each in operation["security"])
        yield f"<p>Needs: {escape(', or '.join(schemes))}</p>"
    for parameter in operation.get("parameters", ()):
        description = parameter.get("description", "")
        name = escape(parameter["name"])
        yield f"<p>{parameter['in']} <code>{name}</code> {escape(description)}</p>"
    if "requestBody" in operation:
        body = operation["requestBody"]["content"][JSON]
        yield f"<p>Takes: {_type(body['schema'])}</p>"
        yield from _example("An example request", body.get("example"))
    for status, response in operation["responses"].items():
        yield from _response(status, resolved(document, response))


def _response(status: str, response: Schema) -> Iterator[str]:
    for content in response["content"].values():
        schema = content["schema"]
        accepted, refused = schema.get("oneOf", (None, schema))
        if accepted is not None:
            yield f"<p>Answers with <code>data</code>: {_type(accepted['properties']['data'])}</p>"
            example = content.get("examples", {}).get("accepted", {})
            yield from _example("An example answer", example.get("value"))
        reasons = refused["allOf"][1]["properties"]["reason"]["enum"] if "allOf" in refused else ()
        listed = " ".join(f"<code>{reason}</code>" for reason in reasons)
        yield f"<p>{status}: {escape(response['description'])}. {listed}</p>"


def _example(title: str, value: Any) -> Iterator[str]:
    if value is not None:
        text = escape(json.dumps(value, indent=2, ensure_ascii=False))
        yield f"<details><summary>{title}</summary><pre><code>{text}</code></pre></details>"


def _object(name: str, schema: Schema) -> str:
    required = schema.get("required", ())
    rows = "".join(
        f"<tr><td><code>{escape(field)}</code></td><td>{_type(field_schema)}</td>"
        f"<td>{'' if field in required else 'optional'}</td>"
        f"<td>{_description(field_schema)}</td></tr>"
        for field, field_schema in schema.get("properties", {}).items()
    )
    table = f"<table>{rows}</table>" if rows else f"<p>{_type(schema)}</p>"
    about = escape(_flowing(schema.get("description", "")))
    return f'<h3 id="{name}">{name}</h3><p>{about}</p>{table}'


def _description(schema: Schema) -> str:
    """Returns a field's description: its own, or the first one of its alternatives."""
    text = schema.get("description") or next(
        (each["description"] for each in schema.get("anyOf", ()) if "description" in each), ""
    )
    return escape(text)


def _type(schema: Schema) -> str:
    """Returns a short form of a schema, with links to its objects."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f'<a href="#{name}">{name}</a>'
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        return escape(" | ".join(map(str, schema.get("enum", [schema.get("const")]))))
    if schema.get("type") == "array":
        items = schema.get("items") or {"anyOf": schema.get("prefixItems", [])}
        return f"list of {_type(items)}"
    if "additionalProperties" in schema:
        return f"map to {_type(schema['additionalProperties'])}"
    kinds = schema.get("type", "object")
    kind = " or ".join(kinds) if isinstance(kinds, list) else kinds
    unit = f" ({schema['x-unit']})" if "x-unit" in schema else ""
    return escape(kind + unit)
