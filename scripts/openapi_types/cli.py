"""`scripts/types`: sets up, then runs the generator of the types."""

import argparse
import os
import sys
from typing import NoReturn

from scripts.devtools.console import exit_on_setup_error
from scripts.devtools.paths import PYTHON, ROOT, tool_environment
from scripts.devtools.setup import prepare_to_develop


def main() -> NoReturn:
    """It has no options: there is one description, and one output file."""
    argparse.ArgumentParser(
        prog="scripts/types",
        description="Regenerate webapp/src/api/schema.d.ts from the OpenAPI description.",
    ).parse_args()
    exit_on_setup_error(prepare_to_develop)
    sys.stdout.flush()
    command = [str(PYTHON), "-m", "scripts.openapi_types"]
    os.execve(PYTHON, command, tool_environment() | {"PYTHONPATH": str(ROOT)})
