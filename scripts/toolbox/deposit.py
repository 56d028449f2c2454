"""`scripts/deposit`: hands a deposit to the house that runs, with its own Python."""

import os
import sys
from typing import NoReturn

from scripts.toolbox.places import PYTHON, ROOT, tool_environment


def main() -> NoReturn:
    """Become the command line of the product, told where `scripts/run` keeps its data."""
    if not PYTHON.exists():
        sys.exit("Nothing has been set up yet: start the house with scripts/run first.")
    arguments = sys.argv[1:]
    if not any(argument.split("=")[0] == "--data" for argument in arguments):
        arguments += ["--data", str(ROOT / ".data")]
    environment = tool_environment() | {"PYTHONPATH": str(ROOT)}
    os.execve(PYTHON, [str(PYTHON), "-m", "api.deposit", *arguments], environment)
