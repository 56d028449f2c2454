"""System requirements of browser tests: Chromium, a font for CJK languages and a wide one."""

import os
import shutil
import subprocess
from pathlib import Path

from scripts.devtools.console import SetupError, run_step
from scripts.devtools.paths import CACHE

CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# The first is Chromium without its own user interface, and needs a fifth less processor time.
_CHROMIUM_NAMES = (
    *("chromium-headless-shell", "chromium", "chromium-browser"),
    *("google-chrome", "google-chrome-stable"),
)
_PACKAGES = ("chromium-headless-shell", "fonts-noto-cjk", "fonts-dejavu-core")
CJK_FONT, WIDE_FONT = "Noto Sans CJK SC", "DejaVu Sans"
_LOG = CACHE / "setup" / "browser.log"


def prepare_browser() -> None:
    """Provide a browser and fonts, installing them if permitted.

    Raises:
        SetupError: something is missing and cannot be installed.
    """
    if (missing := _missing()) and os.geteuid() == 0 and shutil.which("apt-get"):
        install = (
            f"apt-get update && apt-get install -y --no-install-recommends {' '.join(_PACKAGES)}"
        )
        run_step("installing a browser and its fonts", ["sh", "-c", install], _LOG)
        missing = _missing()
    if missing:
        raise SetupError(
            f"A browser needs {missing}: apt-get install {' '.join(_PACKAGES)} as root"
        )


def find_chromium() -> str | None:
    """Returns the path of the system's Chromium."""
    return next((path for name in _CHROMIUM_NAMES if (path := shutil.which(name))), None)


def _missing() -> str:
    lacks = {
        "Chromium": find_chromium() is None,
        CJK_FONT: not font_files(CJK_FONT),
        WIDE_FONT: not font_files(WIDE_FONT),
    }
    return " and ".join(name for name, lacking in lacks.items() if lacking)


def font_files(family: str) -> list[Path]:
    """Returns the installed files of a font family."""
    if shutil.which("fc-list") is None:
        return []
    command = ["fc-list", "--format", "%{file}\\n", family]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return sorted({Path(line) for line in found.stdout.splitlines()})
