"""What browser tests need from the system: Chromium, and a font for CJK languages."""

import os
import shutil
import subprocess

from scripts.toolbox.console import SetupError, run_step
from scripts.toolbox.places import CACHE

CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PACKAGES = ("chromium", "fonts-noto-cjk")
_LOG = CACHE / "setup" / "browser.log"


def prepare_browser() -> None:
    """Have a browser and a font, installing them where we may.

    Raises:
        SetupError: something is missing and not ours to install.
    """
    if (missing := _missing()) and os.geteuid() == 0 and shutil.which("apt-get"):
        install = (
            f"apt-get update && apt-get install -y --no-install-recommends {' '.join(_PACKAGES)}"
        )
        run_step("installing a browser and its font", ["sh", "-c", install], _LOG)
        missing = _missing()
    if missing:
        raise SetupError(
            f"A browser needs {missing}: apt-get install {' '.join(_PACKAGES)} as root"
        )


def find_chromium() -> str | None:
    """The path of the system's Chromium."""
    return next((path for name in _CHROMIUM_NAMES if (path := shutil.which(name))), None)


def _missing() -> str:
    lacks = {
        "Chromium": find_chromium() is None,
        "a CJK font": not _has_cjk_font(),
    }
    return " and ".join(name for name, lacking in lacks.items() if lacking)


def _has_cjk_font() -> bool:
    if shutil.which("fc-list") is None:
        return False
    fonts = subprocess.run(["fc-list", ":lang=zh"], capture_output=True, check=False)
    return bool(fonts.stdout.strip())
