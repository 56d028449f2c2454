"""The options of `scripts/screenshots`. Standard library only: read before any setup."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from scripts.devtools.browser import prepare_browser
from scripts.devtools.console import run_module
from scripts.devtools.setup import prepare_to_develop, prepare_web_build

_FOLDER = ".screenshots"


@dataclass(frozen=True)
class ScreenshotOptions:
    """`folder` is emptied first; `only` names the pages to take, or is empty for all.

    `text` is the size of the reader's text, in percent of the default.
    """

    folder: Path
    only: tuple[str, ...]
    text: int


def main() -> NoReturn:
    """`scripts/screenshots`: an invalid option is reported before the setup."""
    read_options(sys.argv[1:])
    prepare = (prepare_to_develop, prepare_browser, prepare_web_build)
    run_module("tests.instruments.screenshot_tool", sys.argv[1:], *prepare)


def read_options(arguments: Sequence[str]) -> ScreenshotOptions:
    """Parse the command line. Exits with a message if it is invalid."""
    parser = argparse.ArgumentParser(
        prog="scripts/screenshots",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Take a picture of every page of the app, and contact sheets of them.\n\n"
        "The tool starts a server with short rounds and a player who has bets, payments and\n"
        "messages. English at 390x844 in dark and light; the busiest pages at 360x640 in\n"
        "Chinese, Vietnamese and Russian.",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path(_FOLDER),
        metavar="FOLDER",
        help=f"folder for the pictures; those of an earlier run are removed ({_FOLDER})",
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="PAGE", help="only these pages")
    parser.add_argument(
        "--text",
        type=int,
        choices=(100, 150, 200),
        default=100,
        help="text size in percent of the default (100)",
    )
    args = parser.parse_args(arguments)
    return ScreenshotOptions(args.folder.absolute(), tuple(args.only), args.text)
