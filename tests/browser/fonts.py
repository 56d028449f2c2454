"""Controls which fonts Chromium finds, whatever fonts the machine has installed.

A fontconfig of the tests names the files. `OWN` shows the app with the font it ships, and without
any other Latin font. `NARROWEST` and `WIDEST` show it as on a phone that could not load the font:
the Latin signs of the CJK font are the narrowest, those of DejaVu Sans the widest.
"""

from pathlib import Path
from typing import Final, NamedTuple

import pytest

from scripts.devtools.browser import CJK_FONT, WIDE_FONT, font_files


class FontSetup(NamedTuple):
    """The installed families, and the family that replaces the app's own font ("" for none)."""

    name: str
    installed: tuple[str, ...]
    instead: str = ""


OWN: Final = FontSetup("own", (CJK_FONT,))
NARROWEST: Final = FontSetup("narrowest", (CJK_FONT,), CJK_FONT)
WIDEST: Final = FontSetup("widest", (CJK_FONT, WIDE_FONT), WIDE_FONT)
SETUPS: Final = (OWN, NARROWEST, WIDEST)

_CONFIGURATION = """\
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>{folder}/files</dir>
  <cachedir>{folder}/cache</cachedir>
  <alias><family>sans-serif</family><prefer><family>{default}</family></prefer></alias>
</fontconfig>
"""
# A style sheet of the document itself: the app's style sheets load later and lose to `!important`.
_REPLACED = """{
  const style = new CSSStyleSheet();
  style.replaceSync(`:root { --font: "%s", var(--font-han), sans-serif !important }`);
  document.adoptedStyleSheets.push(style);
}"""


def configuration(setup: FontSetup, folder: Path) -> Path:
    """Write the fontconfig of a set-up below `folder` and return the value of FONTCONFIG_FILE."""
    files = folder / "files"
    files.mkdir(parents=True)
    for family in setup.installed:
        found = font_files(family)
        assert found, f"{family} is not installed; scripts/test installs it"
        for file in found:
            (files / file.name).symlink_to(file)
    path = folder / "fonts.conf"
    path.write_text(_CONFIGURATION.format(folder=folder, default=setup.installed[-1]))
    return path


def replacement(setup: FontSetup) -> str:
    """A script that shows all pages in the family that replaces the app's own; "" for none."""
    return _REPLACED % setup.instead if setup.instead else ""


def in_fonts(*setups: FontSetup) -> pytest.MarkDecorator:
    """Run a test, or all tests of a file, once in each set-up."""
    return pytest.mark.parametrize("fonts", setups, ids=lambda setup: setup.name, indirect=True)
