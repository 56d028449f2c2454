"""`scripts/bench`: sets up, then becomes the benchmark."""

import os
import sys
from dataclasses import replace
from typing import NoReturn

from scripts.benchmarks.options import BenchOptions, read_options
from scripts.toolbox.browser import prepare_browser
from scripts.toolbox.console import SetupError, exit_on_setup_error
from scripts.toolbox.places import PYTHON, ROOT, tool_environment
from scripts.toolbox.setup import prepare_lighthouse, prepare_to_run


def main() -> NoReturn:
    """Read the options first, so that a wrong one is reported before anything is set up."""
    options = read_options(sys.argv[1:])
    exit_on_setup_error(prepare_to_run)
    if "web" in options.only:
        options = _with_browser(options)
    sys.stdout.flush()
    command = [str(PYTHON), "-m", "scripts.benchmarks", *options.arguments()]
    environment = tool_environment() | {"PYTHONPATH": str(ROOT)}
    os.execve(PYTHON, command, environment)


def _with_browser(options: BenchOptions) -> BenchOptions:
    """The options without `web` where no browser can be had; exits where only that was asked."""
    try:
        prepare_browser()
        prepare_lighthouse()
    except SetupError as error:
        others = tuple(name for name in options.only if name != "web")
        if not others:
            sys.exit(f"scripts/bench: web cannot run. {error}")
        print(f"web is left out. {error}")
        return replace(options, only=others)
    return options
