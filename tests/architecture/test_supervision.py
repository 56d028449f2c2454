"""Only `engine.runtime.supervision` starts threads and tasks, with a rule for their failure."""

import ast
from collections.abc import Iterator
from typing import Final

from tests.architecture.sources import Source, python

_HOME: Final = "engine.runtime.supervision"
_PARTS: Final = ("engine", "api", "projections")
_STARTERS: Final = frozenset(
    {
        *("Thread", "Timer", "ThreadPoolExecutor", "ProcessPoolExecutor", "start_new_thread"),
        *("create_task", "ensure_future", "run_coroutine_threadsafe"),
    }
)


def starts(source: Source) -> Iterator[str]:
    """Yields the calls and imports by which a file starts a thread or a task."""
    groups = set(_groups(source))
    for node in source.nodes():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
            # A task group ends its tasks with it and raises their errors.
            if node.func.attr in _STARTERS and of not in groups:
                yield f"{source.path}:{node.lineno} starts a {node.func.attr}"
        elif isinstance(node, ast.ImportFrom):
            for name in node.names:
                if name.name in _STARTERS:
                    yield f"{source.path}:{node.lineno} imports {name.name}"


def _groups(source: Source) -> Iterator[str]:
    for node in source.nodes():
        if isinstance(node, ast.AsyncWith):
            for item in node.items:
                is_group = ast.unparse(item.context_expr) == "asyncio.TaskGroup()"
                if is_group and isinstance(item.optional_vars, ast.Name):
                    yield item.optional_vars.id


def test_every_thread_and_task_is_supervised() -> None:
    found = [
        start for source in python(*_PARTS) if source.module != _HOME for start in starts(source)
    ]
    assert found == []


def test_other_ways_to_start_a_thread_or_task_are_found() -> None:
    text = """
import threading
from concurrent.futures import ThreadPoolExecutor
threading.Thread(target=print).start()
async def go():
    asyncio.create_task(go())
    asyncio.get_running_loop().create_task(go())
    async with asyncio.TaskGroup() as group:
        group.create_task(go())
"""
    assert sorted(starts(Source("api/some.py", text))) == [
        "api/some.py:3 imports ThreadPoolExecutor",
        "api/some.py:4 starts a Thread",
        "api/some.py:6 starts a create_task",
        "api/some.py:7 starts a create_task",
    ]
