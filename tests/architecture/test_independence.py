import sys

import pytest

from tests.architecture.imports import Rule, violations
from tests.architecture.sources import Source, is_within, python

_CLIENT = ("client", "entities", "test_evening", "test_account")
_RULE = Rule(
    "the old client is written from the specification alone",
    inside=tuple(f"tests.contract.{module}" for module in _CLIENT),
    only=(
        *(*sorted(sys.stdlib_module_names), "httpx", "pytest"),
        *("tests.contract.client", "tests.contract.entities"),
    ),
)


_AUDITS = (
    *("scripts.audit_tool.log", "scripts.audit_tool.log_checkpoints"),
    *("scripts.audit_tool.fairness", "scripts.audit_tool.draw_audit"),
)
#: Exit statuses, the connection to the database, the progress line, and the published formats,
#: which a stranger's verifier reads with code of its own (`_STRANGER`).
_SHARED = (
    *("CLEAN", "FINDING", "AuditError", "database", "progress"),
    *("evidence_checking", "evidence_formats"),
)
_AUDIT_RULE = Rule(
    "the audits of the log and of the draws share no code with what they verify",
    inside=_AUDITS,
    only=(
        *(*sorted(sys.stdlib_module_names), "cryptography", "nacl", "psycopg"),
        "py_arkworks_bls12381",
        *(f"scripts.audit_tool.{name}" for name in _SHARED),
        *_AUDITS,
    ),
)
_VERIFIERS_RULE = Rule(
    "the verification itself uses the standard library and the library of signatures",
    inside=("scripts.audit_tool.draw_audit",),
    outside=(
        "scripts.audit_tool.draw_audit.stored",
        "scripts.audit_tool.draw_audit.beacons",
    ),
    only=(
        *(*sorted(sys.stdlib_module_names), "nacl"),
        "scripts.audit_tool.draw_audit",
    ),
)
_VERIFIER = (
    *("evidence_account", "evidence_checking", "evidence_checks", "evidence_file"),
    *("evidence_fork", "evidence_formats", "verify"),
)
_STRANGER = Rule(
    "the verifier of evidence is a stranger's own code, with signatures of a library",
    inside=tuple(f"scripts.audit_tool.{module}" for module in _VERIFIER),
    only=(
        *(*sorted(sys.stdlib_module_names), "cryptography"),
        *(f"scripts.audit_tool.{module}" for module in _VERIFIER),
        "scripts.audit_tool.draw_audit.rules",
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


def test_the_audits_of_the_log_and_of_the_draws_import_nothing_that_they_verify() -> None:
    assert violations(python("scripts"), [_AUDIT_RULE, _VERIFIERS_RULE]) == []


@pytest.mark.parametrize("module", _AUDITS)
def test_each_of_these_audits_is_checked(module: str) -> None:
    assert any(is_within(source.module, module) for source in python("scripts"))


@pytest.mark.parametrize(
    "text",
    [
        "from engine.fairness.draw import link",
        "from engine.schedule import slot",
        "from scripts.audit_tool.facts import stream",
        "import msgspec",
    ],
)
def test_an_import_of_what_is_verified_is_found_in_an_audit(text: str) -> None:
    source = Source("scripts/audit_tool/draw_audit/rules.py", text)
    assert violations([source], [_AUDIT_RULE])


def test_only_the_reader_of_the_log_uses_the_database() -> None:
    text = "import psycopg"
    assert violations([Source("scripts/audit_tool/draw_audit/rules.py", text)], [_VERIFIERS_RULE])
    reader = Source("scripts/audit_tool/draw_audit/stored.py", text)
    assert not violations([reader], [_AUDIT_RULE, _VERIFIERS_RULE])


def test_the_verifier_of_evidence_imports_none_of_our_modules() -> None:
    assert violations(python("scripts"), [_STRANGER]) == []


def test_all_of_the_verifier_is_checked() -> None:
    seen = {source.module for source in python("scripts") if _STRANGER.binds(source.module)}
    assert seen == set(_STRANGER.inside)


@pytest.mark.parametrize(
    "line",
    [
        "from engine.fairness import merkle",
        "import psycopg",
        "from scripts.audit_tool import AuditError",
        "from scripts.audit_tool.log import LogAudit",
    ],
)
def test_another_import_is_found_in_the_verifier(line: str) -> None:
    assert violations([Source("scripts/audit_tool/evidence_checks.py", line)], [_STRANGER])
