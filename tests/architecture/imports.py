"""The allowed import directions, as data, and the check that applies them."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.architecture.sources import Source, is_within

# Modules that compute values from values. Left out on purpose: time, uuid, random, secrets,
# logging, os, threading and every other module that reads a clock, randomness or the environment.
VALUE_MODULES = (
    *("abc", "annotationlib", "base64", "binascii", "bisect", "collections", "contextlib", "copy"),
    *("dataclasses", "datetime", "decimal", "enum", "fractions", "functools", "hashlib", "heapq"),
    *(
        "hmac",
        "itertools",
        "json",
        "math",
        "numbers",
        "operator",
        "re",
        "string",
        "struct",
        "types",
    ),
    *("typing", "unicodedata", "zoneinfo"),
)
#: Rooms of the engine by whose streams they decide on; their states meet in the registry alone.
STREAMS = (
    ("engine.players", "engine.bets", "engine.cashier", "engine.chat"),
    ("engine.rounds",),
    ("engine.house", "engine.staff"),
)


@dataclass(frozen=True)
class Rule:
    """Modules in `inside` and not in `outside` import only `only`, of package `of` or of all.

    `never` overrides `only`. Packages are dotted names; `*` matches a part of a name, or its rest.
    """

    description: str
    inside: tuple[str, ...]
    outside: tuple[str, ...] = ()
    of: str | None = None
    only: tuple[str, ...] | None = None
    never: tuple[str, ...] = ()

    def binds(self, module: str) -> bool:
        return _is_in(module, self.inside) and not _is_in(module, self.outside)

    def forbids(self, imported: str) -> bool:
        if _is_in(imported, self.never):
            return True
        if self.only is None or (self.of is not None and not is_within(imported, self.of)):
            return False
        return not _is_in(imported, self.only)


RULES = (
    Rule(
        "the pure engine imports value modules, msgspec and itself",
        inside=("engine",),
        outside=("engine.runtime", "engine.fairness", "engine.strategies"),
        only=(*VALUE_MODULES, "msgspec", "engine"),
        never=("engine.runtime",),
    ),
    Rule(
        "the published strategies are as pure, and use hypothesis",
        inside=("engine.strategies",),
        only=(*VALUE_MODULES, "msgspec", "hypothesis", "engine"),
        never=("engine.runtime",),
    ),
    Rule(
        "hypothesis is optional: nothing that runs imports the strategies",
        inside=("engine", "projections", "api", "scripts"),
        never=("engine.strategies", "hypothesis"),
        outside=("engine.strategies",),
    ),
    Rule(
        "nothing that runs decides in a sandbox",
        inside=("engine", "projections", "api", "scripts"),
        never=("engine.sandbox",),
        outside=("engine.strategies",),
    ),
    Rule(
        "proofs are as pure, and may use the libraries of signatures",
        inside=("engine.fairness",),
        only=(*VALUE_MODULES, "msgspec", "cryptography", "py_arkworks_bls12381", "engine"),
        never=("engine.runtime",),
    ),
    Rule(
        "the engine never imports the API or projections",
        inside=("engine",),
        never=("api", "projections"),
    ),
    *(
        Rule(
            "streams never meet in each other's state or decisions",
            inside=rooms,
            never=tuple(
                f"{room}.{part}"
                for others in STREAMS
                if others != rooms
                for room in others
                for part in ("state", "decisions", "game_day", "house_state")
            ),
        )
        for rooms in STREAMS
    ),
    Rule(
        "projections take facts, values and the store from the engine, never decisions",
        inside=("projections",),
        outside=("projections.__main__",),  # a separate program, which has to find the database
        of="engine",
        only=(
            *(
                "engine.facts",
                "engine.*.facts",
                "engine.terms",
                "engine.ledger",
                "engine.lifecycle",
                "engine.money",
                "engine.staff.roles",
            ),
            *("engine.house.bookings", "engine.house.published_content"),
            *("engine.staff.staff", "engine.staff.passes", "engine.staff.void_proposals"),
            *("engine.odds", "engine.catalogue", "engine.schedule", "engine.fairness"),
            *(
                "engine.runtime.log.fact_log",
                "engine.runtime.log.deadlines",
                "engine.runtime.log.tile_writer",
                "engine.runtime.child_process",
                "engine.runtime.garbage_collection",
                "engine.runtime.supervision",
                "engine.runtime.log.pg_arrays",
                "engine.runtime.secret_keys",
            ),
        ),
        never=("engine.*.*.decide", "engine.*.*.evolve"),
    ),
    Rule(
        "projections never import the API",
        inside=("projections",),
        never=("api",),
    ),
    Rule(
        "the API sends commands and queries, and never decides or applies",
        inside=("api",),
        never=(
            *("engine.engine_state", "engine.*.state", "engine.*.decisions", "engine.*.game_day"),
            *("projections.*.*Projection", "projections.*.apply"),
            "engine.runtime.writer.batch_decider",
            "engine.runtime.writer.commit",
        ),
    ),
    Rule(
        "the product never imports tests or scripts",
        inside=("engine", "projections", "api"),
        never=("tests", "scripts"),
    ),
    Rule(
        "scripts run before anything is installed",
        inside=("scripts.devtools",),
        never=("engine", "projections", "api", "tests"),
    ),
)


def imported_names(source: Source) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of everything a file imports, or uses of a module it imports."""
    names: dict[str, str] = {}
    for node in source.nodes():
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            package = source.module.split(".")[: -node.level] if node.level else []
            base = ".".join([*package, *([node.module] if node.module else [])])
            for alias in node.names:
                names[alias.asname or alias.name] = f"{base}.{alias.name}"
                yield node.lineno, f"{base}.{alias.name}"
    for node in source.nodes():
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr=used) if module in names:
                yield node.lineno, f"{names[module]}.{used}"


def violations(sources: Iterable[Source], rules: Iterable[Rule] = RULES) -> list[str]:
    """Every import that a rule forbids, as a line to print."""
    rules = list(rules)
    return [
        f"{source.path}:{line} imports {name}, but {rule.description}"
        for source in sources
        for rule in rules
        if rule.binds(source.module)
        for line, name in imported_names(source)
        if rule.forbids(name)
    ]


def _is_in(module: str, packages: tuple[str, ...]) -> bool:
    return any(is_within(module, package) for package in packages)


def longest_chain(sources: Iterable[Source]) -> list[str]:
    """The longest chain of modules of which each imports the next one."""
    modules = {source.module: source for source in sources}
    chains: dict[str, list[str]] = {}

    def chain_of(module: str) -> list[str]:
        if module not in chains:
            names = {name for _, name in imported_names(modules[module])}
            found = {name if name in modules else name.rpartition(".")[0] for name in names}
            below = [chain_of(name) for name in sorted(found & modules.keys() - {module})]
            chains[module] = [module, *max(below, key=len, default=[])]
        return chains[module]

    return max((chain_of(module) for module in modules), key=len, default=[])
