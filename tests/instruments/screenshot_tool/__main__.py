"""Takes the screenshots; `scripts/screenshots` sets up before it."""

import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.instruments.screenshot_tool.demo_server import (
    DemoServer,
    DemoServerError,
    ScreenshotPlayer,
    running_demo_server,
)
from tests.instruments.screenshot_tool.options import ScreenshotOptions, read_options
from tests.instruments.screenshot_tool.page_capture import (
    Phone,
    chromium,
    opened_page,
    take_picture,
    write_sheet,
)
from tests.instruments.screenshot_tool.pages import BUSIEST, VIEWS, View

_ALL_VIEWS_PHONES = tuple(
    Phone(f"english-{theme}", {"width": 390, "height": 844}, "en", theme)
    for theme in ("dark", "light")
)
_BUSIEST_VIEWS_PHONES = tuple(
    Phone(name, {"width": 360, "height": 640}, locale, "dark")
    for name, locale in (("chinese", "zh"), ("vietnamese", "vi"), ("russian", "ru"))
)


def main() -> int:
    """Returns 0 if every picture was taken, otherwise 1."""
    options = read_options(sys.argv[1:])
    unknown = set(options.only) - {view.name for view in VIEWS}
    if unknown:
        print(f"scripts/screenshots: no such page: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 1
    shutil.rmtree(options.folder, ignore_errors=True)
    try:
        with tempfile.TemporaryDirectory(prefix="fairdraw-screenshots-") as folder:
            # The database server's own account needs to traverse this folder.
            Path(folder).chmod(0o711)
            with (
                running_demo_server(Path(folder, "data")) as server,
                sync_playwright() as playwright,
            ):
                browser = chromium(playwright)
                faults = _photograph(browser, server, options)
                browser.close()
    except DemoServerError as error:
        print(f"scripts/screenshots: {error}", file=sys.stderr)
        return 1
    for fault in faults:
        print(f"not taken: {fault}", file=sys.stderr)
    return 1 if faults else 0


def _photograph(browser: Browser, server: DemoServer, options: ScreenshotOptions) -> list[str]:
    print("A member settles in and plays a round …", flush=True)
    player = server.register_player()
    selected = [view for view in VIEWS if not options.only or view.name in options.only]
    busy = [view for view in selected if view.name in BUSIEST]
    faults: list[str] = []
    looks = [
        *((phone, selected) for phone in _ALL_VIEWS_PHONES),
        *((phone, busy) for phone in _BUSIEST_VIEWS_PHONES),
    ]
    for phone, views in looks:
        reader = replace(phone, text=options.text)
        faults += _take_all(browser, server, player, reader, views, options.folder)
    return faults


def _take_all(
    browser: Browser,
    server: DemoServer,
    player: ScreenshotPlayer,
    phone: Phone,
    views: Sequence[View],
    folder: Path,
) -> list[str]:
    """Take every view on one phone, and write their contact sheet."""
    phone_folder = folder / phone.name
    phone_folder.mkdir(parents=True)
    faults, pictures = [], []
    for number, view in enumerate(views, start=1):
        print(f"\r  {phone.name}: {number} of {len(views)}", end="", flush=True)
        file = phone_folder / f"{view.name}.png"
        with opened_page(browser, server, phone, player if view.signed_in else None) as page:
            fault = take_picture(page, view, player, file)
        if fault:
            faults.append(f"{phone.name}/{fault}")
        else:
            pictures.append(file)
    sheet = folder / f"{phone.name}.png"
    write_sheet(browser, pictures, sheet)
    print(f"\r  {phone.name}: {len(pictures)} pictures, contact sheet {sheet.name}", flush=True)
    return faults


if __name__ == "__main__":
    sys.exit(main())
