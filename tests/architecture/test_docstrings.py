import ast
from collections.abc import Iterable, Iterator

import pytest

from tests.architecture.sources import Source, python

_Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _undocumented(sources: Iterable[Source]) -> list[str]:
    return [
        f"{source.path}:{node.lineno} {node.name} has no docstring"
        for source in sources
        for node in _public(source.tree)
        if ast.get_docstring(node) is None
    ]


def _public(tree: ast.Module) -> Iterator[_Documented]:
    """The functions and classes that other modules may use; ruff checks the methods."""
    for node in tree.body:
        if isinstance(node, _Documented) and not node.name.startswith("_"):
            yield node


def test_public_names_of_the_engine_have_docstrings() -> None:
    assert _undocumented(python("engine")) == []


def test_every_module_has_a_docstring() -> None:
    modules = python("engine", "projections", "api", "scripts")
    bare = [source.path for source in modules if source.text and not ast.get_docstring(source.tree)]
    assert bare == []


@pytest.mark.parametrize("text", ["def f(): ...", "async def f(): ...", "class C: ..."])
def test_a_missing_docstring_is_found(text: str) -> None:
    assert _undocumented([Source("engine/a.py", text)])


@pytest.mark.parametrize("text", ['def f():\n    """Returns."""', "def _f(): ...", "X = 1"])
def test_a_documented_or_private_name_is_left_alone(text: str) -> None:
    assert _undocumented([Source("engine/a.py", text)]) == []
