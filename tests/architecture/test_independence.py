import sys

from tests.architecture.imports import Rule, violations
from tests.architecture.sources import Source, python

_CLIENT = ("client", "entities", "test_evening", "test_account")
_RULE = Rule(
    "the old client is written from the specification alone",
    inside=tuple(f"tests.contract.{module}" for module in _CLIENT),
    only=(
        *(*sorted(sys.stdlib_module_names), "httpx", "pytest"),
        *("tests.contract.client", "tests.contract.entities"),
    ),
)


def test_the_old_client_imports_none_of_our_modules() -> None:
    assert violations(python("tests"), [_RULE]) == []


def test_all_of_the_old_client_is_checked() -> None:
    seen = {source.module for source in python("tests") if _RULE.binds(source.module)}
    assert seen == set(_RULE.inside)


def test_an_import_of_our_modules_is_found_in_the_old_client() -> None:
    source = Source("tests/contract/client.py", "from api.http.envelope import Envelope")
    assert violations([source], [_RULE])
