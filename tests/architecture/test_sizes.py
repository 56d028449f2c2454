import ast
from collections.abc import Iterable

from tests.architecture.sources import Source, python

_FUNCTION_LINES = 60


def _long_functions(sources: Iterable[Source]) -> list[str]:
    return [
        f"{source.path}:{node.lineno} {node.name} has {lines} lines"
        for source in sources
        for node in source.nodes()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if (lines := (node.end_lineno or 0) - node.lineno + 1) > _FUNCTION_LINES
    ]


def test_no_function_is_longer_than_a_screen() -> None:
    assert _long_functions(python("engine", "projections", "api", "scripts", "tests")) == []


def test_a_long_function_is_found() -> None:
    body = "        x = 1\n" * _FUNCTION_LINES
    assert _long_functions([Source("api/a.py", f"async def f():\n{body}")])
    assert _long_functions([Source("api/a.py", f"class C:\n    def f():\n{body}")])
    assert not _long_functions([Source("api/a.py", f"def f():\n{body[14:]}")])
