"""Programs that need Python's packages and read their own options. Standard library only."""

import argparse
import sys
from typing import NoReturn

from scripts.devtools.console import run_module
from scripts.devtools.paths import DATA_VARIABLE, data_folder
from scripts.devtools.setup import prepare_python, prepare_to_develop


def audit() -> NoReturn:
    """`scripts/audit`."""
    run_module("scripts.audit_tool", sys.argv[1:], prepare_python, quiet=True)


def projections() -> NoReturn:
    """`scripts/projections`: stays in the caller's folder, to which `--data` may be relative."""
    data = {DATA_VARIABLE: str(data_folder())}
    run_module("projections", sys.argv[1:], prepare_python, quiet=True, environment=data)


def witness() -> NoReturn:
    """`scripts/witness`: stays in the caller's folder, to which `--data` may be relative."""
    run_module("scripts.witness_cli", sys.argv[1:], prepare_python, quiet=True)


def cluster() -> NoReturn:
    """`scripts/cluster`: stays in the caller's folder, to which `--dir` may be relative."""
    run_module("scripts.cluster_tool", sys.argv[1:], prepare_python, quiet=True)


def backup() -> NoReturn:
    """`scripts/backup`: stays in the caller's folder, to which its folders may be relative."""
    data = {DATA_VARIABLE: str(data_folder())}
    run_module("scripts.backup_tool", sys.argv[1:], prepare_python, quiet=True, environment=data)


def restore() -> NoReturn:
    """`scripts/restore`: stays in the caller's folder, to which its folders may be relative."""
    run_module("scripts.backup_tool.restore", sys.argv[1:], prepare_python, quiet=True)


def types() -> NoReturn:
    """`scripts/types`: has no options, as there is one description and one output file."""
    argparse.ArgumentParser(
        prog="scripts/types",
        description="Regenerate webapp/src/api/schema.d.ts from the OpenAPI description.",
    ).parse_args()
    run_module("scripts.openapi_types", (), prepare_to_develop)


def texts() -> NoReturn:
    """`scripts/texts`: stays in the caller's folder, where sheets are read and written."""
    run_module("scripts.texts_tool", sys.argv[1:], prepare_to_develop, quiet=True)
