"""What a type is decoded with is made at import, on one thread.

msgspec builds its information of a type at the type's first use and publishes it unfinished: a
second thread that decodes the type meanwhile crashes the process (a segmentation fault).
"""

import ast
from collections.abc import Iterator
from typing import Final

from tests.architecture.sources import Source, python

_MAKERS: Final = frozenset({"Decoder", "converter"})
_EXEMPT: Final = {
    "api.http.wire": "defines `converter`",
    "api.http.call_request": "an endpoint makes its decoder, and endpoints are declared at import",
    "engine.runtime.child_process": "a process reads its configuration before its first thread",
}


def late(source: Source) -> Iterator[str]:
    """Yields where a file decodes into a type whose decoder was not made at import."""
    inside = {
        id(node)
        for function in source.nodes()
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(function)
    }
    for node in source.nodes():
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        typed = any(it.arg == "type" for it in node.keywords)
        if called.endswith(".convert") or (called.endswith("json.decode") and typed):
            yield f"{source.path}:{node.lineno} calls {called} with a type"
        made = called.partition("[")[0].rpartition(".")[2]
        if id(node) in inside and made in _MAKERS:
            yield f"{source.path}:{node.lineno} makes a {made} in a function"


def test_decoders_of_types_are_made_at_import() -> None:
    found = [
        place
        for source in python("engine", "api", "projections")
        if source.module not in _EXEMPT
        for place in late(source)
    ]
    assert found == []


def test_each_late_way_to_decode_is_found() -> None:
    text = """
import msgspec
early = msgspec.json.Decoder(int)
untyped = msgspec.json.decode(b"1")
def read(content):
    msgspec.json.decode(content, type=int)
    msgspec.convert(content, int)
    msgspec.msgpack.Decoder[int | str](int | str)
    return converter(int)(content)
"""
    assert sorted(late(Source("api/some.py", text))) == [
        "api/some.py:6 calls msgspec.json.decode with a type",
        "api/some.py:7 calls msgspec.convert with a type",
        "api/some.py:8 makes a Decoder in a function",
        "api/some.py:9 makes a converter in a function",
    ]
