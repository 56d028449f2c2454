"""Checks that an import rule cannot make: clock reads in value modules, floats near money."""

import ast
from collections.abc import Iterable, Iterator

import pytest

from tests.architecture.sources import Source, is_within, python

_CLOCKS = frozenset({"now", "today", "utcnow"})
_CHANCE_AND_OUTSIDE = frozenset({"open", "print", "input", "exec", "eval", "__import__", "id"})
_DURATIONS = ("_s", "_seconds")  # such a name is a duration, which may be a fraction


_MEASURES_SPEED = frozenset({"projections/runner/rebuild.py"})


def _impure_calls(sources: Iterable[Source]) -> list[str]:
    return [
        f"{source.path}:{node.lineno} calls {name}"
        for source in sources
        for node in source.nodes()
        if isinstance(node, ast.Call)
        if (name := _impure_name(node.func))
    ]


def _impure_name(function: ast.expr) -> str | None:
    if isinstance(function, ast.Attribute) and function.attr in _CLOCKS:
        return function.attr
    if isinstance(function, ast.Name) and function.id in _CHANCE_AND_OUTSIDE:
        return function.id
    return None


def _floats(sources: Iterable[Source]) -> list[str]:
    return [
        f"{source.path}:{line} {what}" for source in sources for line, what in _floats_in(source)
    ]


def _floats_in(source: Source) -> Iterator[tuple[int, str]]:
    durations = {id(value) for node in source.nodes() for value in _duration_values(node)}
    for node in source.nodes():
        if isinstance(node, ast.Constant) and isinstance(node.value, float | complex):
            if id(node) not in durations:
                yield node.lineno, f"has the float {node.value}"
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in {"float", "round"}:
            yield node.lineno, f"calls {ast.unparse(node)}"
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div):
            yield node.lineno, f"divides: {ast.unparse(node)}"


def _duration_values(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield from _if_duration(name, value)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield from _if_duration(name, value)
        case ast.keyword(arg=str(name), value=value):
            yield from _if_duration(name, value)
        case _:
            return


def _if_duration(name: str, value: ast.expr) -> Iterator[ast.expr]:
    if name.lower().endswith(_DURATIONS):
        yield value


def _pure_engine() -> list[Source]:
    return [source for source in python("engine") if not is_within(source.module, "engine.runtime")]


def test_the_pure_engine_reads_no_clock_and_does_no_io() -> None:
    assert _impure_calls(_pure_engine()) == []


def test_no_float_comes_near_money() -> None:
    sources = [*_pure_engine(), *python("projections")]
    assert _floats(source for source in sources if source.path not in _MEASURES_SPEED) == []


@pytest.mark.parametrize(
    "text",
    ["datetime.now(UTC)", "date.today()", "datetime.datetime.utcnow()", "open('x')", "print(1)"],
)
def test_an_impure_call_is_found(text: str) -> None:
    assert _impure_calls([Source("engine/money.py", text)])


@pytest.mark.parametrize(
    "text",
    [
        "RATE = 0.5",
        "stake * 1.95",
        "float(stake)",
        "round(stake)",
        "stake / 2",
        "stake /= 2",
        "def f(rate=1e3): ...",
    ],
)
def test_a_float_is_found(text: str) -> None:
    assert _floats([Source("engine/money.py", text)])


@pytest.mark.parametrize(
    "text", ["stake * odds // 1000", "POLL_S: Final = 0.25", "wait(timeout_seconds=0.5)"]
)
def test_integers_and_durations_are_left_alone(text: str) -> None:
    assert _floats([Source("projections/runner/runner.py", text)]) == []
