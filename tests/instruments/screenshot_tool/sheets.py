"""Contact sheets: many pictures on one sheet, each with its name."""

import html
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Browser

_ACROSS = 6
_WIDTH = 260
_STYLE = (
    "body{margin:0;padding:12px;background:#777;font:12px sans-serif;display:grid;"
    f"grid-template-columns:repeat({_ACROSS},{_WIDTH}px);gap:12px}}"
    "figure{margin:0}img{width:100%;display:block}figcaption{color:#fff;padding:4px 0}"
)


def write_sheet(browser: Browser, pictures: Sequence[Path], file: Path) -> None:
    """Lay the pictures out on one sheet, in their order."""
    figures = "".join(
        f"<figure><img src='{picture.as_uri()}'>"
        f"<figcaption>{html.escape(picture.stem)}</figcaption></figure>"
        for picture in pictures
    )
    layout = file.with_suffix(".html")
    layout.write_text(f"<style>{_STYLE}</style>{figures}")
    page = browser.new_page(viewport={"width": _ACROSS * (_WIDTH + 12) + 12, "height": 800})
    page.goto(layout.as_uri())
    page.screenshot(path=file, full_page=True)
    page.close()
    layout.unlink()
