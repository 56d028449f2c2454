import ast
from collections.abc import Iterable

from tests.architecture.sources import Source, python, texts

_FUNCTION_LINES = 60
_FILE_LINES = {".py": 400, ".ts": 400, ".tsx": 400}
_GENERATED = (".gen.ts", ".d.ts")


def _long_functions(sources: Iterable[Source]) -> list[str]:
    return [
        f"{source.path}:{node.lineno} {node.name} has {lines} lines"
        for source in sources
        for node in source.nodes()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if (lines := (node.end_lineno or 0) - node.lineno + 1) > _FUNCTION_LINES
    ]


def _long_files(sources: Iterable[Source]) -> list[str]:
    return [
        f"{source.path} has {lines} lines"
        for source in sources
        for suffix, most in _FILE_LINES.items()
        if source.path.endswith(suffix) and not source.path.endswith(_GENERATED)
        if (lines := len(source.text.splitlines())) > most
    ]


def test_no_function_is_longer_than_a_screen() -> None:
    assert _long_functions(python("engine", "projections", "api", "scripts", "tests")) == []


def test_no_file_is_longer_than_its_kind_may_be() -> None:
    assert _long_files(texts(*_FILE_LINES)) == []


def test_a_long_function_is_found() -> None:
    body = "        x = 1\n" * _FUNCTION_LINES
    assert _long_functions([Source("api/a.py", f"async def f():\n{body}")])
    assert _long_functions([Source("api/a.py", f"class C:\n    def f():\n{body}")])
    assert not _long_functions([Source("api/a.py", f"def f():\n{body[14:]}")])


def test_a_long_file_is_found() -> None:
    assert _long_files([Source("api/a.py", "x\n" * 401)])
    assert _long_files([Source("webapp/src/a.tsx", "x\n" * 401)])
    assert not _long_files([Source("webapp/src/api/types.gen.ts", "x\n" * 401)])
